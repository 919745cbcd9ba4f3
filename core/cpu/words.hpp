// Eight or four words side by side, in registers as wide as the including file's instruction set has.
// Compilers' vector extensions, no std code, internal linkage: each instruction set keeps its own copy.
#pragma once

#include <cstddef>
#include <cstdint>

namespace clausal {
namespace {  // internal linkage

constexpr std::size_t kBlock = 8;
typedef std::uint64_t Words __attribute__((vector_size(kBlock * sizeof(std::uint64_t))));
typedef std::uint64_t HalfWords __attribute__((vector_size(kBlock / 2 * sizeof(std::uint64_t))));

template <class W>
[[gnu::always_inline]] inline W load(const std::uint64_t* from) {
    W words;
    __builtin_memcpy(&words, from, sizeof words);
    return words;
}

template <class W>
[[gnu::always_inline]] inline void store(std::uint64_t* to, W words) {
    __builtin_memcpy(to, &words, sizeof words);
}

// Plain words stay in plain registers: through memory a compiler is tempted to join them.
template <>
[[gnu::always_inline, maybe_unused]] inline std::uint64_t load(const std::uint64_t* from) {
    return *from;
}
template <>
[[gnu::always_inline, maybe_unused]] inline void store(std::uint64_t* to, std::uint64_t word) {
    *to = word;
}

}  // namespace
}  // namespace clausal
