// Kernels: the votes of finished clauses. Rows are first turned into vectors with a bit per row, so that a
// clause is an AND of vectors for 32 rows at once in each thread.
#include "core/cuda/shared_memory.cuh"
#include "core/cuda/standard_types.cuh"

namespace clausal {

#if WIDE_POINTS
using Points = std::int64_t;
#else
using Points = std::int32_t;
#endif

constexpr unsigned kWarp = 32;
constexpr unsigned kAll = 0xFFFFFFFFu;
constexpr unsigned kRows = 1024;  // of a block: a vector of them is a word per lane of a warp
constexpr unsigned kNoSlot = 0xFFFFFFFFu;

// Vectors [blocks of rows, n_slots, 32 words]: the columns that any clause looks at. bits(row, tile) gives 32
// columns of a row as a word. A block takes 1,024 rows, its warp g the rows 32 g and on.
template <class Bits>
__device__ void slice(const Bits& bits, std::uint64_t n_rows, const std::uint32_t* slots, unsigned n_columns,
                      unsigned n_slots, std::uint32_t* vectors) {
    __shared__ std::uint32_t tile[kWarp][kWarp + 1];  // [columns, words]
    const unsigned lane = threadIdx.x % kWarp, group = threadIdx.x / kWarp;
    const std::uint64_t row = std::uint64_t{blockIdx.x} * kRows + threadIdx.x;
    for (unsigned t = 0; t < (n_columns + kWarp - 1) / kWarp; ++t) {
        const std::uint32_t own = row < n_rows ? bits(row, t) : 0;
        std::uint32_t word = 0;
#pragma unroll
        for (unsigned k = 0; k < kWarp; ++k) {
            const std::uint32_t of_column = __ballot_sync(kAll, own >> k & 1u);
            if (lane == k) word = of_column;
        }
        tile[lane][group] = word;
        __syncthreads();
        const unsigned column = kWarp * t + group;
        const unsigned slot = column < n_columns ? slots[column] : kNoSlot;
        if (slot != kNoSlot)
            vectors[(std::uint64_t{blockIdx.x} * n_slots + slot) * kWarp + lane] = tile[group][lane];
        __syncthreads();
    }
}

// rows [n_rows, row_words], packed literals of which columns come first.
extern "C" __global__ void __launch_bounds__(kRows)
    slice_words(const std::uint32_t* rows, std::uint64_t n_rows, unsigned row_words,
                const std::uint32_t* slots, unsigned n_columns, unsigned n_slots, std::uint32_t* vectors) {
    const auto bits = [&](std::uint64_t row, unsigned tile) { return rows[row * row_words + tile]; };
    slice(bits, n_rows, slots, n_columns, n_slots, vectors);
}

// Four bytes, 0 or 1 each, as four bits.
//
//   bytes         d0000000 c0000000 b0000000 a0000000  (bit 0 of each first)
//   times 2^24 + 2^17 + 2^10 + 2^3: a goes to bit 24, b to 25, c to 26, d to 27
__device__ inline std::uint32_t bits_of(std::uint32_t bytes) { return bytes * 0x01020408u >> 24 & 0xF; }

// rows [n_rows, n_columns] of bytes, `stride` from row to row; `seen` becomes all bytes or-ed together.
extern "C" __global__ void __launch_bounds__(kRows)
    slice_bytes(const std::uint8_t* rows, std::uint64_t n_rows, std::uint64_t stride,
                const std::uint32_t* slots, unsigned n_columns, unsigned n_slots, std::uint32_t* vectors,
                unsigned* seen) {
    unsigned met = 0;
    const bool is_aligned = (reinterpret_cast<std::uint64_t>(rows) | stride) % 16 == 0;
    const auto bits = [&](std::uint64_t row, unsigned tile) {
        const std::uint8_t* first = rows + row * stride + kWarp * tile;
        std::uint32_t word = 0;
        if (is_aligned && kWarp * (tile + 1) <= n_columns) {
            const auto* sixteen = reinterpret_cast<const uint4*>(first);
            const uint4 low = sixteen[0], high = sixteen[1];
            const std::uint32_t fours[] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
            for (unsigned k = 0; k < 8; ++k) {
                met |= fours[k] | fours[k] >> 16;
                word |= bits_of(fours[k]) << (4 * k);
            }
            return word;
        }
        for (unsigned k = 0; k < min(kWarp, n_columns - kWarp * tile); ++k) {
            met |= first[k];
            word |= static_cast<std::uint32_t>(first[k] != 0) << k;
        }
        return word;
    };
    slice(bits, n_rows, slots, n_columns, n_slots, vectors);
    met = __reduce_or_sync(kAll, (met | met >> 8) & 0xFF);
    if (threadIdx.x % kWarp == 0 && met) atomicOr(seen, met);
}

// Adds the votes of some clauses to votes [n_rows, n_banks]. Clause j has the literals from starts[j] on:
// twice the slot, plus one where negated. A block takes 1,024 rows and, of the clauses, a share of gridDim.y;
// each of its warps takes a share of that. Clauses come bank by bank.
extern "C" __global__ void __launch_bounds__(THREADS)
    vote(const std::uint32_t* vectors, std::uint64_t n_rows, unsigned n_slots, const std::uint32_t* starts,
         const std::uint32_t* literals, const std::uint32_t* banks, const Points* points, unsigned n_clauses,
         unsigned n_banks, unsigned long long* votes) {
    auto* memory = reinterpret_cast<std::uint32_t*>(shared_memory());
    const unsigned lane = threadIdx.x % kWarp;
    const std::uint32_t* own = vectors + std::uint64_t{blockIdx.x} * n_slots * kWarp;
    if (IN_SHARED) {
        for (unsigned i = threadIdx.x; i < n_slots * kWarp; i += THREADS) memory[i] = own[i];
        __syncthreads();
    }
    const std::uint32_t* vector = (IN_SHARED ? memory : own) + lane;
    const std::uint64_t share = blockIdx.y * (THREADS / kWarp) + threadIdx.x / kWarp;
    const std::uint64_t n_shares = std::uint64_t{gridDim.y} * (THREADS / kWarp);
    const auto first = static_cast<unsigned>(n_clauses * share / n_shares);
    const auto last = static_cast<unsigned>(n_clauses * (share + 1) / n_shares);

    Points sums[kWarp] = {};  // of the rows whose bits the thread has
    for (unsigned j = first; j < last; ++j) {
        std::uint32_t fires = kAll;
        unsigned i = starts[j];
        const unsigned end = starts[j + 1];
        const auto look = [&] {
            const std::uint32_t literal = literals[i++];
            fires &= vector[literal / 2 * kWarp] ^ (literal % 2 ? kAll : 0);
        };
        while (end - i >= 4 && __any_sync(kAll, fires != 0)) {
            look();
            look();
            look();
            look();
        }
        while (end - i < 4 && i < end) look();
        if (i < end) fires = 0;
        const Points own_points = points[j];
        if (__any_sync(kAll, fires != 0)) {
#pragma unroll
            for (unsigned r = 0; r < kWarp; ++r) sums[r] += fires >> r & 1u ? own_points : 0;
        }
        if (j + 1 < last && banks[j + 1] == banks[j]) continue;
        const std::uint64_t row = std::uint64_t{blockIdx.x} * kRows + kWarp * lane;
#pragma unroll
        for (unsigned r = 0; r < kWarp; ++r) {
            if (row + r < n_rows && sums[r] != 0)
                atomicAdd(votes + (row + r) * n_banks + banks[j],
                          static_cast<unsigned long long>(static_cast<std::int64_t>(sums[r])));
            sums[r] = 0;
        }
    }
}

}  // namespace clausal
