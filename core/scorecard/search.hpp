// A search for scorecards: one for every size, from the rows of a table with weights and targets. Here: the
// steps. Not here: candidate rules (conjunctions.hpp), models of growing size (greedy_search.hpp), whole
// points and the polish (points.hpp).
#pragma once

#include "core/scorecard/points.hpp"
#include "core/threads.hpp"

namespace clausal::scorecard {

struct Settings {
    double ridge = 0.0;              // the penalty of squared coefficients
    bool conjunctions = false;       // whether rules may have more than one literal
    std::vector<std::size_t> sizes;  // maximum numbers of literals, ascending
    Limits limits;                   // max_literals is that of the largest size
    bool thorough = false;           // whether there is only a card for the largest size, with all moves
};

// One card for each size, or for the largest one; empty if `poll` says stop. `clauses` are candidates beside
// those that are found here.
std::vector<Card> find_cards(const Table& table, const Loss& loss, const Constraints& constraints,
                             const std::vector<Literals>& clauses, const Settings& settings,
                             const Poll& poll);

}  // namespace clausal::scorecard
