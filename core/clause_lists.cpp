// Lists of literals from words of bits, and what every backend requires of them.
#include "core/clause_lists.hpp"

#include <algorithm>

#include "core/bits.hpp"
#include "core/require.hpp"

namespace clausal {

namespace {
constexpr std::uint64_t kMostPoints = std::uint64_t{1} << 62;  // of a bank, so that a vote is an int64
}

ClauseLists clause_lists(std::span<const std::uint64_t> include, std::span<const std::int32_t> points,
                         std::size_t n_banks, std::size_t n_columns) {
    ClauseLists clauses;
    clauses.n_columns = n_columns;
    clauses.n_banks = n_banks;
    const std::size_t n_words = words_per_row(n_columns);
    require(include.size() == points.size() * n_words, "a clause must have the words of a literal row");
    const std::size_t per_bank = n_banks == 0 ? 0 : points.size() / n_banks;
    for (std::size_t j = 0; j < points.size(); ++j) {
        if (points[j] == 0) continue;
        for (std::size_t q = 0; q < n_words; ++q)
            for_each_bit(include[j * n_words + q], [&](std::size_t k) {
                clauses.literals.push_back(static_cast<std::uint32_t>(64 * q + k));
            });
        clauses.starts.push_back(clauses.literals.size());
        clauses.banks.push_back(static_cast<std::uint32_t>(j / per_bank));
        clauses.points.push_back(points[j]);
    }
    return clauses;
}

void check(const ClauseLists& clauses) {
    const std::size_t n_clauses = clauses.banks.size();
    require(clauses.points.size() == n_clauses && clauses.starts.size() == n_clauses + 1,
            "clauses must have a start, a bank and points each, and an end");
    require(std::is_sorted(clauses.starts.begin(), clauses.starts.end()) &&
                clauses.starts.back() <= clauses.literals.size(),
            "clause starts must ascend and end within the literals");
    std::vector<std::uint64_t> total(clauses.n_banks);
    for (const std::uint32_t literal : clauses.literals)
        require_below("a literal", literal, 2 * clauses.n_columns);
    for (std::size_t j = 0; j < clauses.banks.size(); ++j) {
        require_below("a bank", clauses.banks[j], clauses.n_banks);
        const std::int64_t points = clauses.points[j];
        const std::uint64_t size =
            points < 0 ? -static_cast<std::uint64_t>(points) : static_cast<std::uint64_t>(points);
        std::uint64_t& sum = total[clauses.banks[j]];
        require(size <= kMostPoints - sum,
                "the points of a bank must add up to at most 2^62 in size. Got more.");
        sum += size;
    }
}

}  // namespace clausal
