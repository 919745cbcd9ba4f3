// Whole points for a model: points per rule, the value of one point, and a polish.
//
// A coefficient is points times the value of a point, which is a whole number of score units. So a scorecard
// has the exact loss of a model, and every move below is judged by that loss. Not here: the calibration of
// the value, and the decision (Python, validation).
#pragma once

#include "core/scorecard/greedy_search.hpp"

namespace clausal::scorecard {

struct Card {
    std::vector<Term> terms;            // their coefficients are points, none of them 0
    std::vector<std::int32_t> offsets;  // of each bank, in units of scores
    std::int32_t point_value = 1;       // in units of scores
    double objective = 0.0;
};

// A good card for some terms. Moves: one point more or less, a larger or smaller value of a point, then
// another cut point of a literal (not where that makes two rules of a bank equal). A move is evaluated in
// full if its effect on the rows that it changes says that it may help. If `thorough`, two rules of a bank
// may also change by a point at once, there are as many rounds as help, and in the end every move is
// evaluated in full: none, with Newton steps of the offsets after it, lowers the objective of the result by
// more than 1e-6.
Card whole_points(const Space& space, const std::vector<Term>& terms, const Loss& loss, double ridge,
                  const Limits& limits, bool thorough);

}  // namespace clausal::scorecard
