// See constraints.hpp.
#include "core/scorecard/constraints.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace clausal::scorecard {
namespace {

std::uint8_t signs_within(std::int32_t low, std::int32_t high) {
    if (low > high) return 0;
    return static_cast<std::uint8_t>((high >= 1 ? kPositive : 0) | (low <= -1 ? kNegative : 0));
}

}  // namespace

Constraints::Constraints(const Table& table, const ConstraintArrays& arrays, std::vector<FixedRule> fixed)
    : table_(table), arrays_(arrays), fixed_(std::move(fixed)) {
    for (std::uint32_t literal = 0; literal < table.n_literals(); ++literal)
        single_.push_back(signs_of({&literal, 1}));
}

std::int32_t Constraints::low_of(std::span<const std::uint32_t> literals) const {
    if (arrays_.low.empty()) return -kMostPoints;
    std::int32_t low = INT32_MIN;
    for (const std::uint32_t literal : literals)
        low = std::max(low, arrays_.low[literal % table_.n_columns()]);
    return low;
}

std::int32_t Constraints::high_of(std::span<const std::uint32_t> literals) const {
    if (arrays_.high.empty()) return kMostPoints;
    std::int32_t high = INT32_MAX;
    for (const std::uint32_t literal : literals)
        high = std::min(high, arrays_.high[literal % table_.n_columns()]);
    return high;
}

bool Constraints::may_meet(std::span<const std::uint32_t> literals) const {
    if (arrays_.max_rule_features < literals.size()) {
        std::set<std::size_t> features;
        for (const std::uint32_t literal : literals) features.insert(table_.feature_of(literal));
        if (features.size() > arrays_.max_rule_features) return false;
    }
    if (arrays_.groups.empty()) return true;
    for (std::size_t word = 0; word < arrays_.group_words; ++word) {
        std::uint64_t shared = ~std::uint64_t{0};
        for (const std::uint32_t literal : literals)
            shared &= arrays_.groups[literal % table_.n_columns() * arrays_.group_words + word];
        if (shared) return true;
    }
    return false;
}

std::uint8_t Constraints::signs_of(std::span<const std::uint32_t> literals) const {
    std::uint8_t signs = kPositive | kNegative;
    for (const std::uint32_t literal : literals) signs &= arrays_.signs[literal];
    if (signs && !arrays_.low.empty()) signs &= signs_within(low_of(literals), high_of(literals));
    return signs && may_meet(literals) ? signs : std::uint8_t{0};
}

Candidate Constraints::candidate(Literals literals) const {
    Words rows = table_.rows(literals);
    const std::uint8_t signs = signs_of(literals);
    const std::int32_t low = low_of(literals), high = high_of(literals);
    return {std::move(literals), std::move(rows), signs, low, high, false};
}

std::vector<Term> Constraints::fixed_terms() const {
    std::vector<Term> terms;
    for (const FixedRule& rule : fixed_)
        terms.push_back({{rule.literals, table_.rows(rule.literals), signs_within(rule.low, rule.high),
                          rule.low, rule.high, true},
                         rule.bank,
                         0});
    return terms;
}

}  // namespace clausal::scorecard
