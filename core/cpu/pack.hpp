// Boolean rows to literal words: bit k of a row is literal k, columns first, then their negations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/backend.hpp"
#include "core/cpu/kernels/kernels.hpp"

namespace clausal {

// bits [n_rows, n_columns], not 0 = true; literals [n_rows, n_words] is filled. False when the poll stops it.
bool pack_dense(std::span<const std::uint8_t> bits, std::size_t n_columns, std::span<std::uint64_t> literals,
                const Kernels& kernels, const Run& run);

// Rows as the indices of their true columns (CSR). Throws where an index or pointer is out of range.
bool pack_sparse(std::span<const std::int64_t> row_starts, std::span<const std::int64_t> columns,
                 std::size_t n_columns, std::span<std::uint64_t> literals, const Run& run);

// Sets the negated literals of columns first to last - 1 of a row, where they are still 0.
void write_negations(std::uint64_t* row, std::size_t n_columns, std::size_t first, std::size_t last);

}  // namespace clausal
