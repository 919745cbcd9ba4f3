// Twin of core/cuda/cluster.cuh: what the GPU's own instructions do there, in C++.
#pragma once

#include "core/cuda/standard_types.cuh"

namespace clausal {

inline unsigned rank_in_cluster() { return host_gpu::running()->block->rank; }

inline void sync_cluster() {
    if constexpr (BLOCKS > 1) host_gpu::running()->block->cluster->barrier.meet(BLOCKS * THREADS);
}

struct Mail {
    std::int64_t numbers[2][BLOCKS];
    host_gpu::ByteBarrier arrived[2];

    void open() {
        for (host_gpu::ByteBarrier& box : arrived) box = {};
    }
    void expect(unsigned box) { arrived[box].arrive(8 * BLOCKS); }
    void send(unsigned box, unsigned to_block, std::int64_t number) {
        Mail& to = *host_gpu::twin_of(this, to_block);
        to.numbers[box][rank_in_cluster()] = number;
        to.arrived[box].complete(8);
    }
    std::int64_t receive(unsigned box, unsigned phase) const {
        arrived[box].wait(phase);
        std::int64_t sum = 0;
        for (unsigned b = 0; b < BLOCKS; ++b) sum += numbers[box][b];
        return sum;
    }
};

}  // namespace clausal
