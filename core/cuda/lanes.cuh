// How threads work together: LANES threads hold the words of one clause, a warp has 32 / LANES such groups,
// BLOCKS blocks (a cluster) train one machine. Here: what a group and a block agree on; blocks: cluster.cuh.
// Sizes in capitals are constants that the program is compiled with (engine/cuda/layout.py).
#pragma once

#include "core/cuda/cluster.cuh"
#include "core/cuda/standard_types.cuh"
#include "core/wide_math.hpp"

namespace clausal {

constexpr unsigned kWarp = 32;
constexpr unsigned kAll = 0xFFFFFFFFu;         // all lanes of a warp
constexpr unsigned kGroups = THREADS / LANES;  // of a block
constexpr unsigned kGroupsPerWarp = kWarp / LANES;
constexpr unsigned kWarps = THREADS / kWarp;

__device__ inline unsigned lane_of_group() { return threadIdx.x % LANES; }
__device__ inline unsigned lane_of_warp() { return threadIdx.x % kWarp; }

// Whether it holds in any lane of the calling thread's group. All lanes of the warp must call.
__device__ inline bool any_of_group(bool holds) {
    if constexpr (LANES == 1) return holds;
    if constexpr (LANES == kWarp) return __any_sync(kAll, holds);
    const unsigned first = lane_of_warp() / LANES * LANES;
    return (__ballot_sync(kAll, holds) >> first & ((1u << LANES % kWarp) - 1)) != 0;
}

// Which of the groups of a warp it holds in, in no lane of them, as a bit per group.
__device__ inline bool in_no_lane(unsigned ballot, unsigned group_of_warp) {
    if constexpr (LANES == kWarp) return ballot == 0;
    return (ballot >> group_of_warp * LANES % kWarp & ((1u << LANES % kWarp) - 1)) == 0;
}

// visit(i, is_one) for i < n, an item per group; lanes of the same warp come together, so that those without
// an item come with is_one = false.
template <class Visit>
__device__ inline void for_groups(unsigned n, const Visit& visit) {
    const unsigned group = threadIdx.x / LANES;
    for (unsigned first = group - group % kGroupsPerWarp; first < n; first += kGroups) {
        const unsigned i = first + group % kGroupsPerWarp;
        visit(i, i < n);
    }
}

// Makes what the block has written visible to all of it.
__device__ inline void sync_block() { __syncthreads(); }

// A sum of numbers of 32 bits in two halves, each of which is added up by instructions for 32 bits.
struct Sum {
    std::uint32_t low = 0;
    std::int32_t high = 0;

    __device__ void add(std::int32_t value) {
        low += static_cast<std::uint32_t>(value) & 0xFFFFu;
        high += value >> 16;
    }
    // The sum over the lanes of the warp is added to a sum of the block.
    __device__ void add_warp_to(Sum& of_block) const {
        const std::uint32_t lows = __reduce_add_sync(kAll, low);
        const std::int32_t highs = __reduce_add_sync(kAll, high);
        if (lane_of_warp() != 0) return;
        if (lows) atomicAdd(&of_block.low, lows);
        if (highs) atomicAdd(&of_block.high, highs);
    }
    __device__ std::int64_t value() const { return static_cast<std::int64_t>(high) * 65536 + low; }
};

// Quotients by the same number again and again.
struct Divisor {
    std::int64_t whole;
    double per_part;  // 2^32 / whole

    // share_of(part, whole) of core/wide_math.hpp. The quotient of doubles is off by one at most.
    __device__ std::uint64_t share(std::int64_t part) const {
        if (whole >> 31) return share_of(part, whole);
        auto quotient = static_cast<std::int64_t>(static_cast<double>(part) * per_part);
        const std::int64_t rest = (part << 32) - quotient * whole;
        if (rest < 0) --quotient;
        if (rest >= whole) ++quotient;
        return quotient;
    }
};

}  // namespace clausal
