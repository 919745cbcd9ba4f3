// Samples with patches: which patches satisfy a clause, and which one it learns from, as in
// core/cpu/sample_patches.cpp. A literal is a vector with a bit per patch, so that a clause is an AND of
// vectors.
#pragma once

#include "core/cuda/lanes.cuh"

namespace clausal {

#if HAS_PATCHES

constexpr unsigned kPatchRows = (HEIGHT - PATCH_HEIGHT) / ROW_STRIDE + 1;
constexpr unsigned kPatchColumns = (WIDTH - PATCH_WIDTH) / COLUMN_STRIDE + 1;
constexpr unsigned kPatches = kPatchRows * kPatchColumns;
constexpr unsigned kPixelColumns = PATCH_HEIGHT * PATCH_WIDTH * DEPTH;
constexpr unsigned kColumns = kPixelColumns + kPatchRows - 1 + kPatchColumns - 1;
constexpr unsigned kVectorWords = (kPatches + 31) / 32;  // of 32 bits
constexpr unsigned kWordsOfLane = (kVectorWords + LANES - 1) / LANES;

struct Patches {
    std::uint32_t vectors[2 * kColumns][kVectorWords];

    // All threads of the block must call; sync_block before the patches are used.
    __device__ void read(const std::uint64_t* sample) {
        for (unsigned i = threadIdx.x; i < kColumns * kVectorWords; i += THREADS) {
            const unsigned column = i / kVectorWords, word = i % kVectorWords;
            std::uint32_t holds = 0, every = 0;
            for (unsigned k = 0; k < 32 && 32 * word + k < kPatches; ++k) {
                holds |= static_cast<std::uint32_t>(is_true(sample, column, 32 * word + k)) << k;
                every |= 1u << k;
            }
            vectors[column][word] = holds;
            vectors[kColumns + column][word] = ~holds & every;
        }
    }

    // Whether any patch satisfies the clause whose word q is include(q). All lanes of the warp must call.
    template <class Include>
    __device__ bool any_matches(const Include& include) const {
        std::uint32_t found = 0;
        for (unsigned w = 0; w < kWordsOfLane; ++w) found |= matches(include, lane_of_group() + w * LANES);
        return any_of_group(found != 0);
    }

    // The match whose rank is the draw's high half times their number, over 2^32; 0 where there is none.
    template <class Include>
    __device__ unsigned pick(const Include& include, std::uint64_t drawn) const {
        std::uint32_t words[kWordsOfLane];
        unsigned n = 0;
        for (unsigned w = 0; w < kWordsOfLane; ++w) {
            words[w] = matches(include, lane_of_group() + w * LANES);
            n += __popc(words[w]);
        }
        for (unsigned other = LANES / 2; other; other /= 2) n += __shfl_xor_sync(kAll, n, other);
        std::uint64_t rank = (drawn >> 32) * n >> 32;
        bool is_found = false;
        unsigned patch = 0;
        for (unsigned v = 0; v < kVectorWords; ++v) {
            std::uint32_t word = 0;
            for (unsigned w = 0; w < kWordsOfLane; ++w)
                if (w == v / LANES) word = words[w];
            word = __shfl_sync(kAll, word, v % LANES, LANES);
            const unsigned here = __popc(word);
            if (!is_found && rank < here) {
                for (; rank; --rank) word &= word - 1;
                patch = 32 * v + __ffs(word) - 1;
                is_found = true;
            } else if (!is_found) {
                rank -= here;
            }
        }
        return patch;
    }

    // Word q of the literals of a patch.
    __device__ std::uint64_t literals(unsigned patch, unsigned q) const {
        std::uint64_t word = 0;
        for (unsigned k = 0; k < 64 && 64 * q + k < 2 * kColumns; ++k)
            word |= std::uint64_t{vectors[64 * q + k][patch / 32] >> (patch % 32) & 1u} << k;
        return word;
    }

  private:
    // The patches of word v that satisfy a clause, 0 beyond the last.
    template <class Include>
    __device__ std::uint32_t matches(const Include& include, unsigned v) const {
        if (v >= kVectorWords) return 0;
        std::uint32_t holds = 32 * v + 32 <= kPatches ? 0xFFFFFFFFu : (1u << kPatches % 32) - 1;
        for (unsigned q = 0; q < N_WORDS && holds; ++q)
            for (std::uint64_t rest = include(q); rest && holds; rest &= rest - 1)
                holds &= vectors[64 * q + __ffsll(rest) - 1][v];
        return holds;
    }

    __device__ static bool is_true(const std::uint64_t* sample, unsigned column, unsigned patch) {
        const unsigned row = patch / kPatchColumns, across = patch % kPatchColumns;
        if (column >= kPixelColumns + kPatchRows - 1)
            return across <= column - kPixelColumns - (kPatchRows - 1);
        if (column >= kPixelColumns) return row <= column - kPixelColumns;
        const unsigned d = column % DEPTH, x = column / DEPTH % PATCH_WIDTH, y = column / DEPTH / PATCH_WIDTH;
        const unsigned bit = ((row * ROW_STRIDE + y) * WIDTH + across * COLUMN_STRIDE + x) * DEPTH + d;
        return sample[bit / 64] >> (bit % 64) & 1u;
    }
};

#else

struct Patches {  // none: these are never called
    template <class Include>
    __device__ bool any_matches(const Include&) const {
        return false;
    }
    template <class Include>
    __device__ unsigned pick(const Include&, std::uint64_t) const {
        return 0;
    }
    __device__ std::uint64_t literals(unsigned, unsigned) const { return 0; }
    __device__ void read(const std::uint64_t*) {}
};

#endif

}  // namespace clausal
