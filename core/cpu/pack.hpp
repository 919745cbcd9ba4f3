// Boolean rows to literal words: bit k of a row is literal k, columns first, then their negations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/threads.hpp"

namespace clausal {

// The words of a row of literals.
constexpr std::size_t words_per_row(std::size_t n_columns) { return (2 * n_columns + 63) / 64; }

// bits [n_rows, n_columns], not 0 = true; literals [n_rows, n_words] is filled. False when the poll stops it.
bool pack_dense(std::span<const std::uint8_t> bits, std::size_t n_columns, std::span<std::uint64_t> literals,
                std::size_t n_threads, const Poll& poll);

// Rows as the indices of their true columns (CSR). Throws where an index or pointer is out of range.
bool pack_sparse(std::span<const std::int64_t> row_starts, std::span<const std::int64_t> columns,
                 std::size_t n_columns, std::span<std::uint64_t> literals, std::size_t n_threads,
                 const Poll& poll);

// Sets the negated literals of columns first to last - 1 of a row, where they are still 0.
void write_negations(std::uint64_t* row, std::size_t n_columns, std::size_t first, std::size_t last);

// Bit i where byte i of 64 is not 0.
std::uint64_t true_bytes(const std::uint8_t* bytes);

}  // namespace clausal
