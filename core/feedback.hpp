// Feedback: which type of it each selected clause gets, and which of the clause's automata then move.
// Pure functions on bits, the same for one word and for several side by side. Twin of
// src/clausal/engine/feedback.py. No std code, internal linkage: the files per instruction set include this.
// Not here: the draws (random.hpp), the weights (weight_rule.hpp), how automata are stored (each backend).
#pragma once

#include <cstdint>

namespace clausal {

// Bit j is about clause j of 64. A clause is rewarded where it gets Type Ia, penalised where it gets Type II.
struct FeedbackTypes {
    std::uint64_t type_1a, type_1b, type_2;
};

namespace {  // internal linkage: each instruction set keeps its own copy

// Type I goes to clauses whose polarity favours the label, Type II to the others.
//
//   selected   1 1 1 1 1 0
//   favours    1 1 1 0 0 *
//   fired      1 1 0 1 0 *
//   fits       1 0 * * * *      at most max_clause_literals literals
//   ----------------------
//   Type Ia    1 0 0 0 0 0
//   Type Ib    0 1 1 0 0 0
//   Type II    0 0 0 1 0 0
[[maybe_unused]] constexpr FeedbackTypes feedback_types(std::uint64_t selected, std::uint64_t favours,
                                                        std::uint64_t fired, std::uint64_t fits) {
    return {.type_1a = selected & favours & (fired & fits),
            .type_1b = selected & favours & ~(fired & fits),
            .type_2 = selected & ~favours & fired};
}

// Automata to move by one state; bit k is about literal k. No bit is set in both. (Whether W is passed by
// value or by reference below was measured: with the other choice GCC's code for AVX2 or SSE2 is 2 to 5 %
// slower.)
template <class W>
struct Moves {
    W up, down;
};

// Type Ia: literals that are 1 rise unless drawn (with probability (s - 1)/s, or always with
// boost_true_positive), literals that are 0 fall where drawn (with probability 1/s).
//
//   literal x      1 1 0 0
//   drawn          1 0 1 0
//   -----------------------
//   up             0 1 0 0      boosted: 1 1 0 0
//   down           0 0 1 0
template <class W>
[[gnu::always_inline]] constexpr Moves<W> type_1a_moves(const W& x, const W& drawn,
                                                        bool boost_true_positive) {
    return {.up = boost_true_positive ? x : W(x & ~drawn), .down = ~x & drawn};
}

// Type Ib: every literal falls where drawn (with probability 1/s).
template <class W>
[[gnu::always_inline]] constexpr Moves<W> type_1b_moves(W drawn) {
    return {.up = W{}, .down = drawn};
}

// Type II: every literal that is 0 rises.
template <class W>
[[gnu::always_inline]] constexpr Moves<W> type_2_moves(W x) {
    return {.up = ~x, .down = W{}};
}

}  // namespace
}  // namespace clausal
