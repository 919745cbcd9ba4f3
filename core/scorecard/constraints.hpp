// What all scorecards of a search keep to: the signs and points of rules, which features may meet in one
// rule, and rules that every scorecard has. Not here: the size of a scorecard (greedy_search.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/scorecard/model.hpp"

namespace clausal::scorecard {

using Literals = std::vector<std::uint32_t>;

struct FixedRule {
    Literals literals;
    std::size_t bank = 0;
    std::int32_t low = 0, high = 0;  // the least and the most points
};

// Spans that are not needed are empty.
struct ConstraintArrays {
    std::span<const std::uint8_t> signs;      // of each literal, 0 where it is forbidden
    std::span<const std::int32_t> low, high;  // [columns], of the points of a rule that tests its feature
    std::span<const std::uint64_t> groups;    // [columns, words], the features of a rule must share a bit
    std::size_t group_words = 0;
    std::size_t max_rule_features = SIZE_MAX;
};

class Constraints {
  public:
    Constraints(const Table& table, const ConstraintArrays& arrays, std::vector<FixedRule> fixed = {});

    // The signs that a rule may have; 0 where there may be no such rule.
    std::uint8_t signs_of(std::uint32_t literal) const { return single_[literal]; }
    std::uint8_t signs_of(std::span<const std::uint32_t> literals) const;
    Candidate candidate(Literals literals) const;
    // Without coefficients yet.
    std::vector<Term> fixed_terms() const;

  private:
    bool may_meet(std::span<const std::uint32_t> literals) const;
    std::int32_t low_of(std::span<const std::uint32_t> literals) const;
    std::int32_t high_of(std::span<const std::uint32_t> literals) const;

    const Table& table_;
    ConstraintArrays arrays_;
    std::vector<FixedRule> fixed_;
    std::vector<std::uint8_t> single_;  // the signs of each literal as a rule
};

}  // namespace clausal::scorecard
