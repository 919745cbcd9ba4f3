// The loops of prediction, over blocks of 512 rows: a vector has one bit per row, 8 words side by side, row
// 64 g + r being bit r of word g. Written once in prediction.inl, a part of the table of kernels. No std code
// here.
#pragma once

#include <cstddef>
#include <cstdint>

namespace clausal {

inline constexpr std::size_t kVectorWords = 8;
inline constexpr std::size_t kBlockRows = 64 * kVectorWords;
inline constexpr std::size_t kGroup = 4;        // operands come in groups of four, the last one repeated
inline constexpr std::size_t kTiles = 8;        // tiles of 64 columns read together
inline constexpr std::size_t kVotePlanes = 64;  // the bits of an int64

// One AND: vector `target` becomes the AND of its operands, negated ones complemented. Operands and target
// are places in the workspace, in words.
struct Step {
    std::uint32_t first;            // of its operands, those that hold before those negated
    std::uint32_t positive_groups;  // groups of kGroup operands
    std::uint32_t negative_groups;
    std::uint32_t target;
};

// The votes of a few clauses: the masks to add at each power of two, first as they are, then complemented.
struct Digits {
    const std::uint32_t* masks;   // places, in words
    const std::uint32_t* starts;  // [2 * n_levels + 1]: masks from starts[2 k] on count 2^k each
    unsigned n_levels;
    unsigned n_planes;  // beyond which no sum reaches
};

struct PredictionKernels {
    // tiles[t][r][g] = bits of columns 64 t.. of row 64 g + r, from bytes (not 0 = true) or words; columns
    // and rows that are not there are 0. Returns all bytes or-ed together.
    std::uint8_t (*read_bytes)(const std::uint8_t* bytes, std::size_t n_rows, std::size_t stride,
                               std::size_t n_columns, std::uint64_t* tiles);
    void (*read_words)(const std::uint64_t* words, std::size_t n_rows, std::size_t stride,
                       std::size_t n_words, std::uint64_t* tiles);
    // Transposes [64][8] words in place, 64 x 64 bits in each of the 8 places.
    void (*transpose)(std::uint64_t* tile);
    // Operands are vectors; results go to places among `targets`, which may be the vectors again.
    void (*run)(const Step* steps, std::size_t n_steps, const std::uint32_t* operands,
                const std::uint64_t* vectors, std::uint64_t* targets);
    // Adds masks to the sums in planes [64][8]; `carries` is scratch.
    void (*count)(const Digits& digits, const std::uint64_t* masks, std::uint64_t* carries,
                  std::uint64_t* planes);
};

}  // namespace clausal
