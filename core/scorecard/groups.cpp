// See groups.hpp.
#include "core/scorecard/groups.hpp"

#include <algorithm>
#include <unordered_map>

#include "core/bits.hpp"
#include "core/scorecard/model.hpp"

namespace clausal::scorecard {

Words Groups::words(const Words& rows) const {
    Words result(words_of(count), 0);
    for (std::size_t row = 0; row < of_row.size(); ++row)
        result[of_row[row] / 64] |= (rows[row / 64] >> (row % 64) & 1) << (of_row[row] % 64);
    return result;
}

namespace {

// The rows by the shift of their loss.
Groups by_shift(const Loss& loss) {
    Groups groups{std::vector<std::uint32_t>(loss.n_rows(), 0)};
    std::unordered_map<std::int32_t, std::uint32_t> numbers;
    for (std::size_t row = 0; row < loss.shifts().size(); ++row)
        groups.of_row[row] =
            numbers.try_emplace(loss.shifts()[row], static_cast<std::uint32_t>(numbers.size())).first->second;
    groups.count = std::max<std::size_t>(numbers.size(), 1);
    return groups;
}

}  // namespace

std::optional<Groups> group_rows(const std::vector<Term>& terms, const Loss& loss, std::size_t max_count) {
    const std::size_t n_rows = loss.n_rows();
    Groups groups = by_shift(loss);
    std::vector<std::uint32_t> next;  // of each group and bit
    for (const Term& term : terms) {
        next.assign(2 * groups.count, UINT32_MAX);
        std::uint32_t count = 0;
        for (std::size_t row = 0; row < n_rows; ++row) {
            const std::uint64_t bit = term.rule.rows[row / 64] >> (row % 64) & 1;
            std::uint32_t& split = next[2 * groups.of_row[row] + bit];
            if (split == UINT32_MAX) split = count++;
            groups.of_row[row] = split;
        }
        groups.count = count;
        if (count > max_count) return std::nullopt;
    }
    return groups;
}

Grouped::Grouped(const std::vector<Term>& of, const Loss& rows, const Groups& groups)
    : loss(rows.grouped(groups.of_row, groups.count)) {
    for (const Term& term : of) {
        const Candidate& rule = term.rule;
        terms.push_back(
            {{rule.literals, groups.words(rule.rows), rule.signs, rule.low, rule.high, rule.fixed},
             term.bank,
             term.coefficient});
    }
}

}  // namespace clausal::scorecard
