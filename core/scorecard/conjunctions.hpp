// Candidate rules of two and more literals: the best pairs of literals of two features, the best of these
// with a third literal, and the clauses of a machine. Not here: single literals, which are all tried
// (greedy_search.cpp).
#pragma once

#include "core/scorecard/constraints.hpp"
#include "core/scorecard/gains.hpp"

namespace clausal::scorecard {

// The candidates, by their gain over a model without rules; `clauses` are lists of literals.
std::vector<Candidate> find_conjunctions(const Table& table, const Loss& loss, const Constraints& constraints,
                                         const std::vector<Literals>& clauses);

}  // namespace clausal::scorecard
