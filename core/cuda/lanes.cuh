// How threads work together: LANES threads hold the words of one clause, a warp has 32 / LANES such groups,
// BLOCKS blocks (a cluster) train one machine. Here: what a group, a block and a cluster agree on.
// Sizes in capitals are constants that the program is compiled with (engine/cuda/layout.py).
#pragma once

#include "core/cuda/standard_types.cuh"
#include "core/wide_math.hpp"

namespace clausal {

constexpr unsigned kWarp = 32;
constexpr unsigned kAll = 0xFFFFFFFFu;            // all lanes of a warp
constexpr unsigned kGroups = THREADS / LANES;     // of a block
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

__device__ inline unsigned rank_in_cluster() {
    if constexpr (BLOCKS == 1) return 0;
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// Waits for all blocks of the cluster, and makes what they have written visible.
__device__ inline void sync_cluster() {
    if constexpr (BLOCKS > 1)
        asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ inline unsigned shared_address(const void* address) {
    return static_cast<unsigned>(__cvta_generic_to_shared(address));
}

// A number from each block of the cluster to all: whoever waits does so for the numbers only, in memory of its
// own block, which is faster than a barrier of the cluster. Two boxes take turns, as a block may be a step ahead.
struct Mail {
    std::int64_t numbers[2][BLOCKS];
    std::uint64_t arrived[2];  // an mbarrier each, which counts the bytes that have come

    // One thread of the block calls this, before the first sync_cluster.
    __device__ void open() {
        for (std::uint64_t& box : arrived)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&box)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    // One thread of the block calls this before any waits.
    __device__ void expect(unsigned box) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&arrived[box])),
                     "r"(8 * BLOCKS)
                     : "memory");
    }
    __device__ void send(unsigned box, unsigned to_block, std::int64_t number) {
        unsigned slot, counter;
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                     : "=r"(slot)
                     : "r"(shared_address(&numbers[box][rank_in_cluster()])), "r"(to_block));
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                     : "=r"(counter)
                     : "r"(shared_address(&arrived[box])), "r"(to_block));
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(slot),
                     "l"(number), "r"(counter)
                     : "memory");
    }
    // The sum of the numbers; `phase` alternates with every use of the box.
    __device__ std::int64_t receive(unsigned box, unsigned phase) const {
        asm volatile(
            "{\n.reg .pred done;\nagain:\n"
            "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
            "@!done bra again;\n}" ::"r"(shared_address(&arrived[box])),
            "r"(phase)
            : "memory");
        std::int64_t sum = 0;
#pragma unroll
        for (unsigned b = 0; b < BLOCKS; ++b) sum += numbers[box][b];
        return sum;
    }
};

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
