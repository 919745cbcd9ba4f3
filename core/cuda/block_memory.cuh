// What the threads of a block share while they train, and how many of them have which part of a clause.
// Not here: the planes of automata (automata.cuh), what is done with it (bank.cuh).
#pragma once

#include "core/cuda/arguments.cuh"
#include "core/cuda/draws.cuh"
#include "core/cuda/patches.cuh"

namespace clausal {

constexpr unsigned kTurns = 64;  // that are read from memory at once
constexpr unsigned kTypes = 3;
#if CLAUSES_PER_BLOCK < 1024
using Counts = std::uint32_t;  // of the three lists, side by side, so that one instruction adds to all
constexpr unsigned kCountBits = 10;
#else
using Counts = std::uint64_t;
constexpr unsigned kCountBits = 21;
#endif
constexpr unsigned kWordsOfLaneOfClause = (N_WORDS + LANES - 1) / LANES;
constexpr unsigned kCount = kWordsOfLaneOfClause < kChunk ? kWordsOfLaneOfClause : kChunk;
constexpr unsigned kChunks = (kWordsOfLaneOfClause + kCount - 1) / kCount;
// Clauses that a warp evaluates before its lanes look at what came out: as many as make all warps work.
constexpr unsigned of_warp(unsigned n) {
    return n * kWarps >= CLAUSES_PER_BLOCK || n == kWarp ? n : of_warp(2 * n);
}
constexpr unsigned kOfWarp = of_warp(kGroupsPerWarp);
constexpr unsigned kUnrolled = HAS_PATCHES ? 1 : 16;
// Where a block has as many threads as clauses or more, threads keep the literals that a clause includes in
// registers: kSplit threads a clause, with the words part, part + kSplit, ... each.
constexpr unsigned split_of(unsigned n) {
    return 2 * n * SETS * CLAUSES_PER_BLOCK <= THREADS && n < kWarp ? split_of(2 * n) : n;
}
constexpr unsigned kSplit = split_of(1);
constexpr unsigned kKept = (N_WORDS + kSplit - 1) / kSplit;  // words of a thread
constexpr bool kKeeps = !HAS_PATCHES && SETS == 1 && CLAUSES_PER_BLOCK <= THREADS && kKept <= 16;
constexpr unsigned kListed = SETS * CLAUSES_PER_BLOCK;

// What a step draws and aims at.
struct Step {
    std::uint64_t select, automata, table, patch;  // keys
    std::uint64_t index;                           // of the step
    std::int64_t goal;                             // see ClauseBank in core/cpu/clause_bank.hpp
    std::uint32_t row, bank;
};

// What the threads of a block share, besides the planes.
struct Shared {
    Team team;
    std::uint64_t table[kTabled ? kTableWords : 1];
    Notes notes[kTabled ? kGroups : 1];
    Patches patches;
    std::uint64_t x[2][SAMPLE_WORDS];
    Mail mail;
    Divisor twice_threshold;
    Sum sums[2];  // of this step, and of the one before
    Step steps[kTurns];
    std::int32_t levels[SHARED_CLAUSES ? 1 : kListed];
    std::int32_t points[SHARED_CLAUSES ? 1 : kListed];
    std::uint32_t selection[CLAUSES_PER_BLOCK];  // draws of 32 bits
    Counts counts;
    std::uint16_t listed[kTypes][CLAUSES_PER_BLOCK];  // clauses that get each type of feedback
    std::uint8_t fired[kListed], dropped[kListed], fits[kListed];
    std::uint32_t
        changed[kKeeps ? CLAUSES_PER_BLOCK : 1];  // the turn of the last change of a clause's literals
};

}  // namespace clausal
