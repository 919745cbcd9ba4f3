// The random draws of automata, as core/cpu/kernels/draws.inl makes them: which automata of a clause draw
// below its chance 1/s. Not here: what the draws decide (automata.cuh).
#pragma once

#include "core/cuda/lanes.cuh"
#include "core/random.hpp"

namespace clausal {

constexpr bool kTabled = N_CLAUSES * N_WORDS >= kTabledBank && N_WORDS >= kTabledWords;
constexpr unsigned kTableWords = kTabled ? kOffsetUnit * kOffsets + N_WORDS : 0;
constexpr unsigned kTabledWordsOfClause = kTabled ? N_WORDS / kTabledWords * kTabledWords : 0;
constexpr unsigned kHashedWordsOfClause = N_WORDS - kTabledWordsOfClause;

constexpr unsigned kChunk = 4;  // words of a lane that are decided together
constexpr unsigned kBlind = 8;  // levels that are read without asking whether any automaton is undecided

// Some automata of a lane: undecided while their draw agrees with the chance.
struct Undecided {
    std::uint64_t undecided, below;

    // `differ`: where the bits of a level are not that of the chance, which is given, too.
    __device__ void decide(std::uint64_t differ, bool one) {
        const std::uint64_t before = undecided;
        undecided &= ~differ;
        if (one) below |= before ^ undecided;
    }
};

__device__ inline bool level_is_one(std::uint32_t chance, unsigned level) {
    return chance >> (kAutomatonBits - 1 - level) & 1u;
}

// All ones where the chance has a 1: a draw's bits differ from it where draw ^ flip is 1.
__device__ inline std::uint64_t flip_of(std::uint32_t chance, unsigned level) {
    return level_is_one(chance, level) ? ~std::uint64_t{0} : 0;
}

// Without a table every word has its own hash.
__device__ inline std::uint64_t keep_hashed(std::uint64_t key, unsigned q, std::uint32_t chance,
                                            std::uint64_t candidates) {
    Undecided all{candidates, 0};
    for (unsigned level = 0; level < kAutomatonBits && all.undecided; ++level)
        all.decide(draw(key, std::uint64_t{kAutomatonBits} * q + level) ^ flip_of(chance, level),
                   level_is_one(chance, level));
    return all.below;
}

// What a clause draws itself, written down for its lanes: of each level the mask, flipped by the chance, and
// the offset in the table; then all levels, flipped, of the words that are not in the table.
struct alignas(16) Notes {
    struct alignas(16) Level {
        std::uint64_t mask, offset;
    } levels[kAutomatonBits];
    std::uint64_t hashed[kAutomatonBits * (kTabled && kHashedWordsOfClause ? kHashedWordsOfClause : 1)];

    // All lanes of the warp must call.
    __device__ void write(std::uint64_t key, std::uint32_t chance) {
        constexpr unsigned kDraws = kAutomatonBits / 8;  // of offsets, eight in each
        const unsigned lane = lane_of_group();
        const std::uint64_t own = draw(key, kAutomatonBits + lane % kDraws);
        for (unsigned first = 0; first < kAutomatonBits; first += LANES) {
            const unsigned level = first + lane, of_level = level / 8 % kDraws;
            const std::uint64_t eight = LANES < kDraws ? draw(key, kAutomatonBits + of_level)
                                                       : __shfl_sync(kAll, own, of_level, LANES);
            if (level < kAutomatonBits)
                levels[level] = {draw(key, level) ^ flip_of(chance, level),
                                 (eight >> (8 * (level % 8)) & (kOffsets - 1)) * kOffsetUnit};
        }
        for (unsigned i = lane; i < kHashedWordsOfClause * kAutomatonBits; i += LANES)
            hashed[i] =
                draw(key, kAutomatonBits * kTabledWordsOfClause + i) ^ flip_of(chance, i % kAutomatonBits);
    }
};

// Leaves in `chosen` the automata whose draw is below the chance. `chosen` are the words q = first, first +
// LANES, ... of a lane. All lanes of the warp must call.
template <unsigned kCount>
__device__ inline void keep_tabled(const std::uint64_t* table, const Notes& notes, unsigned first,
                                   std::uint32_t chance, std::uint64_t* chosen) {
    Undecided all[kCount];
    const std::uint64_t* words[kCount];  // of level 0
    bool tabled[kCount];
    for (unsigned w = 0; w < kCount; ++w) {
        const unsigned q = min(first + w * LANES, N_WORDS - 1);
        all[w] = {chosen[w], 0};
        tabled[w] = kHashedWordsOfClause == 0 || q < kTabledWordsOfClause;
        words[w] = tabled[w] ? table + q : notes.hashed + kAutomatonBits * (q - kTabledWordsOfClause);
    }
    const auto decide = [&](unsigned level) {
        const Notes::Level note = notes.levels[level];
        const bool one = level_is_one(chance, level);
        for (unsigned w = 0; w < kCount; ++w) {
            const std::uint64_t bits = words[w][tabled[w] ? note.offset : level];
            all[w].decide(bits ^ (tabled[w] ? note.mask : 0), one);
        }
    };
#pragma unroll
    for (unsigned level = 0; level < kBlind; ++level) decide(level);
    for (unsigned level = kBlind; level < kAutomatonBits; ++level) {
        std::uint64_t left = 0;
        for (unsigned w = 0; w < kCount; ++w) left |= all[w].undecided;
        if (!__any_sync(kAll, left != 0)) break;
        decide(level);
    }
    for (unsigned w = 0; w < kCount; ++w) chosen[w] = all[w].below;
}

// The draw of clause j, of 32 bits: two share a word.
__device__ inline std::uint32_t clause_draw(std::uint64_t key, unsigned j) {
    const std::uint64_t word = draw(key, j / 2);
    return static_cast<std::uint32_t>(j % 2 ? word >> 32 : word);
}

}  // namespace clausal
