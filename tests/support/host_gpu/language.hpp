// The words of CUDA C++ that the kernels of core/cuda use, for an ordinary compiler. Included before them.
#pragma once

#include "tests/support/host_gpu/threads.hpp"

#define __device__
#define __global__
#define __shared__ static
#define __launch_bounds__(n)

struct uint4 {
    unsigned x, y, z, w;
};

template <class T>
T min(T a, T b) {
    return b < a ? b : a;
}
template <class T>
T atomicAdd(T* at, T value) {
    const T before = *at;
    *at += value;
    return before;
}
inline unsigned atomicOr(unsigned* at, unsigned value) {
    const unsigned before = *at;
    *at |= value;
    return before;
}
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __popcll(unsigned long long bits) { return __builtin_popcountll(bits); }
inline int __ffs(unsigned bits) { return __builtin_ffs(static_cast<int>(bits)); }
inline int __ffsll(unsigned long long bits) { return __builtin_ffsll(static_cast<long long>(bits)); }

inline void __syncthreads() { host_gpu::running()->block->barrier.meet(blockDim.x); }
inline void __syncwarp() { host_gpu::meet_in_warp("__syncwarp", 0); }

// Collectives are asked of all lanes: a mask with fewer would need another twin.
inline void __require_all(unsigned mask) {
    if (mask != 0xFFFFFFFFu) host_gpu::fail("a mask of some lanes only");
}
inline unsigned __ballot_sync(unsigned mask, bool holds) {
    __require_all(mask);
    const std::uint64_t* all = host_gpu::meet_in_warp("__ballot_sync", holds);
    unsigned ballot = 0;
    for (unsigned lane = 0; lane < host_gpu::kLanes; ++lane)
        ballot |= static_cast<unsigned>(all[lane]) << lane;
    return ballot;
}
inline bool __any_sync(unsigned mask, bool holds) { return __ballot_sync(mask, holds) != 0; }

template <class T>
T __from_lane(const char* call, T value, unsigned lane) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    const std::uint64_t found = host_gpu::meet_in_warp(call, bits)[lane];
    std::memcpy(&value, &found, sizeof value);
    return value;
}
template <class T>
T __shfl_sync(unsigned mask, T value, unsigned from, unsigned width = host_gpu::kLanes) {
    __require_all(mask);
    const unsigned lane = threadIdx.x % host_gpu::kLanes;
    return __from_lane("__shfl_sync", value, lane / width * width + from % width);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, unsigned other) {
    __require_all(mask);
    return __from_lane("__shfl_xor_sync", value, threadIdx.x % host_gpu::kLanes ^ other);
}
template <class T>
T __reduce_add_sync(unsigned mask, T value) {
    __require_all(mask);
    const std::uint64_t* all = host_gpu::meet_in_warp("__reduce_add_sync", static_cast<std::uint64_t>(value));
    std::uint64_t sum = 0;
    for (unsigned lane = 0; lane < host_gpu::kLanes; ++lane) sum += all[lane];
    return static_cast<T>(sum);
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value) {
    __require_all(mask);
    const std::uint64_t* all = host_gpu::meet_in_warp("__reduce_or_sync", value);
    std::uint64_t bits = 0;
    for (unsigned lane = 0; lane < host_gpu::kLanes; ++lane) bits |= all[lane];
    return static_cast<unsigned>(bits);
}
