// Boolean rows to literal words: bit k of a row is literal k, columns first, then their negations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace clausal {

// bits [n_rows, n_columns], not 0 = true; literals [n_rows, n_words] is filled.
void pack_dense(std::span<const std::uint8_t> bits, std::size_t n_columns, std::span<std::uint64_t> literals);

// Rows as the indices of their true columns (CSR). Throws where an index or pointer is out of range.
void pack_sparse(std::span<const std::int64_t> row_starts, std::span<const std::int64_t> columns,
                 std::size_t n_columns, std::span<std::uint64_t> literals);

}  // namespace clausal
