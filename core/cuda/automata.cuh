// The automata of a block's clauses as bit planes: where the planes lie, and how automata rise and fall.
// An automaton holds 128 - N + its state, as in core/cpu/kernels/kernels.hpp: bit p is in plane p, bit 7 is
// whether it includes its literal. Not here: which automata move (feedback.hpp).
#pragma once

#include "core/cuda/lanes.cuh"

namespace clausal {

constexpr unsigned kStateBits = 7;
constexpr unsigned kInclude = 7;
constexpr unsigned kCanFall = 8;  // no bit set where the automaton is at the bottom
constexpr unsigned kPlanes = 9;
constexpr unsigned kWordsPerPlane = CLAUSES_PER_BLOCK * N_WORDS;
constexpr bool kAllStates = N_STATES == 128;  // so that the ends are all zeros and all ones
constexpr unsigned kBottom = 128 - N_STATES;
constexpr unsigned kTop = 127 + N_STATES;

// The first SHARED_PLANES of this order lie in shared memory: those that are read most.
constexpr unsigned kOrder[kPlanes] = {kInclude, kCanFall, 0, 1, 2, 3, 4, 5, 6};

// The place of a plane in that order.
constexpr unsigned slot_of(unsigned plane) {
    return plane == kInclude ? 0 : plane == kCanFall ? 1 : plane + 2;
}
constexpr bool is_shared(unsigned plane) { return slot_of(plane) < SHARED_PLANES; }

struct Automata {
    std::uint64_t* shared;  // [SHARED_PLANES, CLAUSES_PER_BLOCK, N_WORDS]
    std::uint64_t* global;  // [kPlanes, N_CLAUSES, N_WORDS] from the block's first clause on

    // The word q of clause c of the block is at c * N_WORDS + q.
    __device__ std::uint64_t& at(unsigned plane, unsigned place) const {
        return is_shared(plane) ? shared[slot_of(plane) * kWordsPerPlane + place] : in_global(plane, place);
    }
    __device__ std::uint64_t& in_global(unsigned plane, unsigned place) const {
        return global[std::uint64_t{plane} * N_CLAUSES * N_WORDS + place];
    }

    // The first n words of each plane from where they lie in global memory, and those of shared memory back.
    __device__ void load(const std::uint64_t* before, unsigned n) const {
        for (unsigned slot = 0; slot < kPlanes; ++slot)
            for (unsigned i = threadIdx.x; i < n; i += THREADS)
                at(kOrder[slot], i) = before[std::uint64_t{kOrder[slot]} * N_CLAUSES * N_WORDS + i];
    }
    __device__ void store(unsigned n) const {
        for (unsigned slot = 0; slot < SHARED_PLANES; ++slot)
            for (unsigned i = threadIdx.x; i < n; i += THREADS)
                in_global(kOrder[slot], i) = shared[slot * kWordsPerPlane + i];
    }

    // Moves the automata of a word by one state; they stop at the ends. `falls` may be set only where
    // can_fall is. Whether any may have crossed between include and exclude.
    __device__ bool move(unsigned place, std::uint64_t rises, std::uint64_t falls) const {
        if (!(rises | falls)) return false;
        std::uint64_t bits[kStateBits + 1];
        if constexpr (!kAllStates) stop_at_ends(place, rises, falls);
        // Addition of one: a bit changes where a carry comes in, which goes on where the bit was 1; for falls
        // a borrow goes on where it was 0. Planes in shared memory are read only as far as any goes.
        std::uint64_t carry = rises, borrow = falls;
        unsigned n_read = 0;
#pragma unroll
        for (unsigned p = 0; p <= kStateBits; ++p) {
            if (carry | borrow) {
                if (!is_shared(p) && (p == 0 || is_shared(p - 1))) read_rest(p, place, bits);
                const std::uint64_t before = is_shared(p) ? at(p, place) : bits[p];
                bits[p] = before ^ (carry | borrow);
                carry &= before;
                borrow &= ~before;
                n_read = p + 1;
            }
        }
        // Where one is left, the automaton was at the end.
#pragma unroll
        for (unsigned p = 0; p <= kStateBits; ++p)
            if (p < n_read) at(p, place) = (bits[p] | carry) & ~borrow;
        std::uint64_t& can_fall = at(kCanFall, place);
        if (rises | borrow) can_fall = (can_fall | rises) & ~borrow;
        return n_read > kInclude;
    }

  private:
    // Planes of global memory that come one after the other, all at once.
    __device__ void read_rest(unsigned first, unsigned place, std::uint64_t* bits) const {
#pragma unroll
        for (unsigned p = 0; p <= kStateBits; ++p)
            if (p >= first && !is_shared(p)) bits[p] = in_global(p, place);
    }

    __device__ void stop_at_ends(unsigned place, std::uint64_t& rises, std::uint64_t& falls) const {
        std::uint64_t at_bottom = ~std::uint64_t{0}, at_top = ~std::uint64_t{0};
#pragma unroll
        for (unsigned p = 0; p <= kStateBits; ++p) {
            const std::uint64_t bits = at(p, place);
            at_bottom &= kBottom >> p & 1u ? bits : ~bits;
            at_top &= kTop >> p & 1u ? bits : ~bits;
        }
        if (falls & at_bottom) at(kCanFall, place) &= ~at_bottom;
        rises &= ~at_top;
        falls &= ~at_bottom;
    }
};

}  // namespace clausal
