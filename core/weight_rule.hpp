// The weight rule: how a reward or a penalty changes the weight of a clause, and what the clause then votes.
// Twin of src/clausal/engine/weight_rule.py. Without std code, as CUDA compiles it too. Not here: when a
// clause is rewarded or penalised (feedback.hpp), the arrays that the tables lie in (config.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace clausal {

// All rules are one walk: a reward raises a clause's level by one, a penalty lowers it by one, within bounds,
// or to up[level - low] and down[level - low] where these tables are given. The clause votes its level, or
// table[level - low] where that is given. Its level stays where the vote without it is right by more than the
// margin.
//
//   rule      low   high        table                           up, down    margin
//   none        1      1        -                               -           -
//   integer     0   2^31 - 1    -                               -           -
//   real       -k      m        65536 (1 + gain)^level, rounded -           -
//   rwtla       0   2^31 - 1    -                               -           T / 2
//   cpl_ats     0      m        points of a grid                an automaton -
struct WeightRule {
    std::int32_t low, high;
    const std::int32_t* table;      // [high - low + 1] or nullptr
    const std::int32_t *up, *down;  // the same, both or neither
    std::int64_t margin;

    std::int32_t reward(std::int32_t level) const {
        if (up) return up[index(level)];
        return level < high ? level + 1 : level;
    }
    std::int32_t penalise(std::int32_t level) const {
        if (down) return down[index(level)];
        return level > low ? level - 1 : level;
    }
    std::int32_t points(std::int32_t level) const { return table ? table[index(level)] : level; }
    // `lead` is the clipped vote for the label of the sample.
    bool stays(std::int32_t level, std::int64_t lead) const { return lead - points(level) > margin; }

  private:
    std::size_t index(std::int32_t level) const { return static_cast<std::size_t>(level - low); }
};

}  // namespace clausal
