// Eight words side by side, in registers as wide as the including file's instruction set has.
// Compilers' vector extensions, no std code, internal linkage: each instruction set keeps its own copy.
#pragma once

#include <cstddef>
#include <cstdint>

namespace clausal {
namespace {  // internal linkage

constexpr std::size_t kBlock = 8;
typedef std::uint64_t Words __attribute__((vector_size(kBlock * sizeof(std::uint64_t))));

[[maybe_unused]] inline Words load_words(const std::uint64_t* from) {
    Words words;
    __builtin_memcpy(&words, from, sizeof words);
    return words;
}

// The first `count` words, at most eight, zeros behind them.
[[maybe_unused]] inline Words load_words(const std::uint64_t* from, std::size_t count) {
    if (count == kBlock) return load_words(from);
    Words words{};
    for (std::size_t i = 0; i < kBlock; ++i) words[i] = i < count ? from[i] : 0;
    return words;
}

}  // namespace
}  // namespace clausal
