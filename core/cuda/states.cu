// Kernels: automata from and to one byte each, state - 1, [clauses, literals] per set, one thread per word.
#include "core/cuda/automata.cuh"

namespace clausal {

__device__ unsigned n_literals_of(unsigned q) { return min(64u, N_LITERALS - 64 * q); }

// planes [n_sets, kPlanes, N_CLAUSES, N_WORDS], states [n_sets, N_CLAUSES, N_LITERALS].
extern "C" __global__ void states_to_planes(const std::uint8_t* states, std::uint64_t* planes,
                                            unsigned n_sets) {
    const std::uint64_t at = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (at >= std::uint64_t{n_sets} * N_CLAUSES * N_WORDS) return;
    const std::uint64_t clause = at / N_WORDS, set = clause / N_CLAUSES;
    const unsigned q = at % N_WORDS;
    std::uint64_t bits[kStateBits + 1] = {}, can_fall = 0;
    for (unsigned k = 0; k < 64; ++k) {
        const bool is_literal = k < n_literals_of(q);
        const unsigned state = is_literal ? states[clause * N_LITERALS + 64 * q + k] : 0;
        for (unsigned p = 0; p <= kStateBits; ++p) bits[p] |= std::uint64_t{(kBottom + state) >> p & 1u} << k;
        can_fall |= std::uint64_t{state > 0} << k;
    }
    std::uint64_t* own = planes + (set * (kPlanes - 1) * N_CLAUSES) * N_WORDS + at;
    for (unsigned p = 0; p <= kStateBits; ++p) own[std::uint64_t{p} * N_CLAUSES * N_WORDS] = bits[p];
    own[std::uint64_t{kCanFall} * N_CLAUSES * N_WORDS] = can_fall;
}

extern "C" __global__ void planes_to_states(const std::uint64_t* planes, std::uint8_t* states,
                                            unsigned n_sets) {
    const std::uint64_t at = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (at >= std::uint64_t{n_sets} * N_CLAUSES * N_WORDS) return;
    const std::uint64_t clause = at / N_WORDS, set = clause / N_CLAUSES;
    const unsigned q = at % N_WORDS;
    const std::uint64_t* own = planes + (set * (kPlanes - 1) * N_CLAUSES) * N_WORDS + at;
    std::uint64_t bits[kStateBits + 1];
    for (unsigned p = 0; p <= kStateBits; ++p) bits[p] = own[std::uint64_t{p} * N_CLAUSES * N_WORDS];
    for (unsigned k = 0; k < n_literals_of(q); ++k) {
        unsigned value = 0;
        for (unsigned p = 0; p <= kStateBits; ++p) value |= static_cast<unsigned>(bits[p] >> k & 1u) << p;
        states[clause * N_LITERALS + 64 * q + k] = static_cast<std::uint8_t>(value - kBottom);
    }
}

}  // namespace clausal
