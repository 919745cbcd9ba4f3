// How the blocks of a cluster work together: their ranks, a barrier, and numbers sent from one to the other,
// in the GPU's own instructions (PTX). tests/support/host_gpu has a twin without them.
#pragma once

#include "core/cuda/standard_types.cuh"

namespace clausal {

__device__ inline unsigned rank_in_cluster() {
    if constexpr (BLOCKS == 1) return 0;
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// Waits for all blocks of the cluster, and makes what they have written visible.
__device__ inline void sync_cluster() {
    if constexpr (BLOCKS > 1)
        asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                         : "memory");
}

__device__ inline unsigned shared_address(const void* address) {
    return static_cast<unsigned>(__cvta_generic_to_shared(address));
}

// A number from each block of the cluster to all: whoever waits does so for the numbers only, in memory of
// its own block, which is faster than a barrier of the cluster. Two boxes take turns, as a block may be a
// step ahead.
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
        asm volatile(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&arrived[box])),
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
        asm volatile(
            "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(slot),
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

}  // namespace clausal
