// Shape, law and seed of one machine, as plain values; the Python side has validated them in the user's
// words. Twin of src/clausal/engine/config.py. Not here: anything that learning changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace clausal {

// The three weight rules are one bounded walk: a reward moves a clause's level up by one, a penalty down by
// one. The clause votes its level, or table[level - low] where a table is given (real weights).
struct WeightRule {
    std::int32_t low = 0;
    std::int32_t high = 0;
    std::vector<std::int32_t> table;  // [high - low + 1] or empty

    std::int32_t reward(std::int32_t level) const { return level < high ? level + 1 : level; }
    std::int32_t penalise(std::int32_t level) const { return level > low ? level - 1 : level; }
    std::int32_t points(std::int32_t level) const {
        return table.empty() ? level : table[static_cast<std::size_t>(level - low)];
    }
};

struct Config {
    std::size_t n_banks = 1;
    std::size_t n_clauses = 0;
    std::size_t n_literals = 0;
    unsigned n_states = 128;     // N; an automaton has 2N states
    std::int64_t threshold = 0;  // T in vote units
    WeightRule rule;
    std::vector<std::uint32_t> down_chance;  // [n_clauses], 1/s in units of 2^-24
    std::uint64_t seed = 0;
    bool boost_true_positive = false;
    std::size_t max_clause_literals = SIZE_MAX;
    std::uint64_t drop_chance = 0;  // in units of 2^-32
    bool focused_negatives = false;
    std::vector<std::uint64_t> allowed;  // [2, n_words]: literals of clauses for, and against

    std::size_t n_words() const { return (n_literals + 63) / 64; }
};

}  // namespace clausal
