// The keyed random stream: every draw is a pure function of where it is used.
// Twin of src/clausal/engine/random_stream.py, which documents it. Header of plain inline integer arithmetic
// without std code, so that the per-instruction-set files may include it. Not here: vectorized reading
// (cpu/).
#pragma once

#include <cstddef>
#include <cstdint>

namespace clausal {
namespace {  // internal linkage: each instruction set keeps its own copy

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15u;
constexpr std::uint64_t kMix1 = 0xBF58476D1CE4E5B9u;
constexpr std::uint64_t kMix2 = 0x94D049BB133111EBu;
constexpr unsigned kAutomatonBits = 24;
constexpr std::uint64_t kDropBlock = 1024;
constexpr unsigned kOffsets = 128;       // offsets at which a level can be read in the table of random words
constexpr unsigned kOffsetUnit = 8;      // words from one offset to the next
constexpr std::size_t kTabledWords = 4;  // the fewest words of a clause that a table is made for
constexpr std::size_t kTabledBank = 2048;  // the fewest words of a bank that a table is made for

// Whether a bank makes a table in every step. Words left over after groups of four are hashed nevertheless.
[[maybe_unused]] inline bool has_table(std::size_t n_clauses, std::size_t n_words) {
    return n_words >= kTabledWords && n_clauses * n_words >= kTabledBank;
}

enum class Purpose : std::uint64_t {
    kSelect = 0,
    kAutomata = 1,
    kNegative = 2,
    kDrop = 3,
    kTable = 7,
    kRound = 12,
    kPatch = 13
};

[[maybe_unused]] inline std::uint64_t mix(std::uint64_t x) {
    x ^= x >> 30;
    x *= kMix1;
    x ^= x >> 27;
    x *= kMix2;
    return x ^ (x >> 31);
}

// The word at `index` under a key, and also the key derived from a key and an index.
[[maybe_unused]] inline std::uint64_t draw(std::uint64_t key, std::uint64_t index) {
    return mix(key + (index + 1) * kGolden);
}

[[maybe_unused]] inline std::uint64_t draw(std::uint64_t key, Purpose purpose) {
    return draw(key, static_cast<std::uint64_t>(purpose));
}

}  // namespace
}  // namespace clausal
