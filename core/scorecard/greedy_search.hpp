// Models of growing size: a rule is added, all coefficients are fitted again, and an older rule is replaced
// where another one of at most its length lowers the loss. Not here: whole points (points.hpp).
#pragma once

#include <functional>

#include "core/scorecard/constraints.hpp"
#include "core/scorecard/gains.hpp"

namespace clausal::scorecard {

struct Limits {
    std::size_t max_literals = 40;
    std::size_t max_rules = SIZE_MAX;
    std::size_t max_features = SIZE_MAX;
    std::int32_t max_points = 10;
};

struct Space {
    const Table* table;
    LiteralRows* literal_rows;
    const Constraints* constraints;
    bool conjunctions = false;          // whether rules may have more than one literal
    std::vector<Candidate> candidates;  // of two and more literals
};

// The terms of each model, the smallest first. Rules are replaced only in small models at `sizes`, those that
// become scorecards. Ends early where `stopped` says so.
std::vector<std::vector<Term>> find_path(const Space& space, const Loss& loss, double ridge,
                                         const Limits& limits, std::span<const std::size_t> sizes,
                                         const std::function<bool()>& stopped);

}  // namespace clausal::scorecard
