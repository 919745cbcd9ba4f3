// Finished clauses compiled for prediction: only those that can vote, equal ones of a bank merged, shared
// beginnings computed once, points as signed binary digits. Not here: rows (compiled_clauses).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/clause_lists.hpp"
#include "core/cpu/kernels/prediction.hpp"

namespace clausal {

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
