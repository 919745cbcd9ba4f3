// Kernel: the turns of each team, from the visits of a call. One block per team.
#include "core/cuda/arguments.cuh"
#include "core/random.hpp"
#include "core/wide_math.hpp"

namespace clausal {

enum class Kind : std::uint64_t {
    kOne = 0,        // one bank: every visit, with its target as the label
    kOneOfMany = 1,  // one bank of several: the visits of its class, and those that it is the negative of
    kLabel = 2,      // one bank of several: every visit, with this bank's label
    kClassThenOther = 3,  // banks that share their clauses: each visit for its class, then for its negative
    kLabels = 4,          // the same for each bank in order, with its label
    kFocused = 5          // every visit, with the bank of its class
};

constexpr unsigned kThreads = 1024;

__device__ std::uint32_t negative_bank(const Visits& v, std::uint64_t visit, std::uint64_t target) {
    const std::uint64_t drawn = draw(draw(v.seed, Purpose::kNegative), v.first_step + visit);
    const std::uint64_t other = multiply_high(drawn, v.n_banks - 1);
    return static_cast<std::uint32_t>(other + (other >= target));
}

extern "C" __global__ void __launch_bounds__(kThreads) list_turns(const Visits* all) {
    __shared__ unsigned counts[kThreads / 32];
    const Visits v = all[blockIdx.x];
    const auto kind = static_cast<Kind>(v.kind);
    std::uint64_t n = 0;
    for (std::uint64_t begin = 0; begin < v.n_visits; begin += kThreads) {
        const std::uint64_t i = begin + threadIdx.x;
        Turn turn{};
        Turn second{};
        bool is_listed = i < v.n_visits;
        if (is_listed) {
            const auto row = static_cast<std::uint32_t>(v.order[i]);
            const auto target = static_cast<std::uint32_t>(v.targets[row]);
            turn = {row, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(v.bank), target};
            if (kind == Kind::kOneOfMany) {
                turn.label = target == v.bank;
                is_listed = turn.label || negative_bank(v, i, target) == v.bank;
            } else if (kind == Kind::kLabel) {
                turn.label = v.label_sets[target * v.n_banks + v.bank] != 0;
            } else if (kind == Kind::kClassThenOther) {
                turn.bank = target;
                turn.label = 1;
                second = turn;
                second.bank = negative_bank(v, i, target);
                second.label = 0;
            } else if (kind == Kind::kFocused) {
                turn.bank = target;
                turn.label = 1;
            }
        }
        if (kind == Kind::kOneOfMany) {  // those listed move together, in their order
            const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
            const unsigned listed = __ballot_sync(0xFFFFFFFFu, is_listed);
            if (lane == 0) counts[warp] = __popc(listed);
            __syncthreads();
            unsigned before = 0, total = 0;
            for (unsigned w = 0; w < kThreads / 32; ++w) {
                before += w < warp ? counts[w] : 0;
                total += counts[w];
            }
            if (is_listed) v.turns[n + before + __popc(listed & ((1u << lane) - 1))] = turn;
            n += total;
            __syncthreads();
        } else if (kind == Kind::kLabels) {
            for (std::uint32_t b = 0; is_listed && b < v.n_banks; ++b)
                v.turns[i * v.n_banks + b] = {turn.row, turn.visit, b,
                                              v.label_sets[turn.label * v.n_banks + b] != 0u};
        } else if (kind == Kind::kClassThenOther) {
            if (is_listed) v.turns[2 * i] = turn, v.turns[2 * i + 1] = second;
        } else if (is_listed) {
            v.turns[i] = turn;
        }
    }
    if (threadIdx.x != 0) return;
    const std::uint64_t per_visit = kind == Kind::kLabels ? v.n_banks : kind == Kind::kClassThenOther ? 2 : 1;
    *v.n_turns = static_cast<std::uint32_t>(kind == Kind::kOneOfMany ? n : v.n_visits * per_visit);
}

}  // namespace clausal
