// Finished clauses compiled for prediction: only those that can vote, equal ones of a bank merged, shared
// beginnings computed once, points as signed binary digits. Not here: rows (compiled_clauses).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/cpu/kernels/prediction.hpp"

namespace clausal {

// Clauses as lists of literals; literal k < n_columns is column k, n_columns + k its negation.
struct ClauseLists {
    std::size_t n_columns = 0;
    std::size_t n_banks = 0;
    std::vector<std::size_t> starts{0};   // [n_clauses + 1], of each clause's literals
    std::vector<std::uint32_t> literals;  // in any order
    std::vector<std::uint32_t> banks;     // [n_clauses]
    std::vector<std::int64_t> points;     // [n_clauses], signed
};

// The same from words, include [n_banks, n_clauses, n_words] and points [n_banks, n_clauses].
ClauseLists clause_lists(std::span<const std::uint64_t> include, std::span<const std::int32_t> points,
                         std::size_t n_banks, std::size_t n_columns);

// What to do for each block of rows. A block has vectors (8 words each): the columns in use, then the shared
// beginnings of one bank; the masks of one chunk's clauses lie apart.
struct ClauseProgram {
    // A few clauses of one bank, small enough for their masks to stay in the nearest cache.
    struct Chunk {
        std::size_t first_step, last_step;
        std::size_t first_start;  // of its digits, in digit_starts
        unsigned n_levels;
    };
    struct Bank {
        std::size_t first_shared, last_shared;  // steps
        std::size_t first_chunk, last_chunk;
        unsigned n_planes;
        std::uint64_t excess;  // what complemented masks count too much, modulo 2^64
    };

    std::size_t n_columns = 0;
    std::vector<std::uint32_t> column_slots;  // [n_columns], the vector of a column, or kNoSlot
    std::size_t n_slots = 0;                  // vectors of columns in use
    std::size_t n_vectors = 0;                // and of shared beginnings
    std::size_t n_carries = 0;                // vectors of scratch that counting needs
    std::vector<Step> steps;
    std::vector<std::uint32_t> operands;
    std::vector<std::uint32_t> masks;         // digits, by chunk, level and sign
    std::vector<std::uint32_t> digit_starts;  // into masks
    std::vector<Chunk> chunks;
    std::vector<Bank> banks;
};

inline constexpr std::size_t kChunkClauses = 256;
inline constexpr std::uint32_t kNoSlot = UINT32_MAX;

// Throws where a literal, bank or sum of points is out of range.
ClauseProgram compile(const ClauseLists& clauses);

}  // namespace clausal
