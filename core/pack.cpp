// Packing rows, dense and sparse.
#include "core/pack.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace clausal {

namespace {

std::size_t words_per_row(std::size_t n_columns) { return (2 * n_columns + 63) / 64; }

void set_bits(std::uint64_t* row, std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) row[k / 64] |= std::uint64_t{1} << (k % 64);
}

}  // namespace

void pack_dense(std::span<const std::uint8_t> bits, std::size_t n_columns,
                std::span<std::uint64_t> literals) {
    const std::size_t n_words = words_per_row(n_columns);
    std::fill(literals.begin(), literals.end(), 0);
    for (std::size_t row = 0; row * n_words < literals.size(); ++row) {
        std::uint64_t* out = literals.data() + row * n_words;
        for (std::size_t c = 0; c < n_columns; ++c) {
            const std::size_t literal = bits[row * n_columns + c] ? c : n_columns + c;
            out[literal / 64] |= std::uint64_t{1} << (literal % 64);
        }
    }
}

void pack_sparse(std::span<const std::int64_t> row_starts, std::span<const std::int64_t> columns,
                 std::size_t n_columns, std::span<std::uint64_t> literals) {
    const std::size_t n_words = words_per_row(n_columns);
    const auto n_entries = static_cast<std::int64_t>(columns.size());
    std::fill(literals.begin(), literals.end(), 0);
    for (std::size_t row = 0; row + 1 < row_starts.size(); ++row) {
        const std::int64_t begin = row_starts[row];
        const std::int64_t end = row_starts[row + 1];
        if (begin < 0 || end < begin || end > n_entries)
            throw std::invalid_argument("row " + std::to_string(row) +
                                        " of the sparse matrix has no valid extent");
        std::uint64_t* out = literals.data() + row * n_words;
        set_bits(out, n_columns, 2 * n_columns);
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t column = columns[static_cast<std::size_t>(i)];
            if (column < 0 || column >= static_cast<std::int64_t>(n_columns))
                throw std::invalid_argument("sparse column index " + std::to_string(column) +
                                            " is not below " + std::to_string(n_columns));
            const auto c = static_cast<std::size_t>(column);
            out[c / 64] |= std::uint64_t{1} << (c % 64);
            out[(n_columns + c) / 64] &= ~(std::uint64_t{1} << ((n_columns + c) % 64));
        }
    }
}

}  // namespace clausal
