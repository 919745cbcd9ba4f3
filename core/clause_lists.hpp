// Finished clauses as lists of literals: what every backend compiles for prediction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace clausal {

// Literal k < n_columns is column k, n_columns + k its negation.
struct ClauseLists {
    std::size_t n_columns = 0;
    std::size_t n_banks = 0;
    std::vector<std::size_t> starts{0};   // [n_clauses + 1], of each clause's literals
    std::vector<std::uint32_t> literals;  // in any order
    std::vector<std::uint32_t> banks;     // [n_clauses]
    std::vector<std::int64_t> points;     // [n_clauses], signed
};

// The same from words, include [n_banks, n_clauses, n_words] and points [n_banks, n_clauses].
ClauseLists clause_lists(std::span<const std::uint64_t> include, std::span<const std::int32_t> points,
                         std::size_t n_banks, std::size_t n_columns);

// Throws where a literal, bank or sum of points is out of range.
void check(const ClauseLists& clauses);

}  // namespace clausal
