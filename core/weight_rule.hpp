// The weight rule: how a reward or a penalty changes the weight of a clause, and what the clause then votes.
// Twin of src/clausal/engine/weight_rule.py. Not here: when a clause is rewarded or penalised (feedback.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace clausal {

// All rules are one bounded walk: a reward raises a clause's level by one, a penalty lowers it by one. The
// clause votes its level, or table[level - low] where a table is given (real weights).
//
//   rule      low   high        table
//   none        1      1        -
//   integer     0   2^31 - 1    -
//   real       -k      m        65536 (1 + gain)^level, rounded
struct WeightRule {
    std::int32_t low = 0;
    std::int32_t high = 0;
    std::vector<std::int32_t> table;  // [high - low + 1] or empty

    std::int32_t reward(std::int32_t level) const { return level < high ? level + 1 : level; }
    std::int32_t penalise(std::int32_t level) const { return level > low ? level - 1 : level; }
    std::int32_t points(std::int32_t level) const {
        return table.empty() ? level : table[static_cast<std::size_t>(level - low)];
    }

    // Calls visit(name, member) for each field, by the name it has in Python.
    template <class Visit>
    static void visit_fields(const Visit& visit) {
        visit("low", &WeightRule::low);
        visit("high", &WeightRule::high);
        visit("table", &WeightRule::table);
    }
};

}  // namespace clausal
