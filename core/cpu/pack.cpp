// Packing rows, dense and sparse, in blocks of rows over threads.
#include "core/cpu/pack.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/bits.hpp"
#include "core/require.hpp"

namespace clausal {

namespace {

constexpr std::size_t kRowsPerJob = 1024;

// Sets bits first to last - 1 of a row.
void set_bits(std::uint64_t* row, std::size_t first, std::size_t last) {
    while (first < last) {
        const std::size_t place = first % 64;
        const std::size_t count = std::min(64 - place, last - first);
        row[first / 64] |= low_bits(count) << place;
        first += count;
    }
}

// row_job(row) for all rows, in blocks over threads. False when the poll stops it.
template <class RowJob>
bool for_rows(std::size_t n_rows, const Run& run, const RowJob& row_job) {
    StopFlag stop(run.poll);
    run_jobs((n_rows + kRowsPerJob - 1) / kRowsPerJob, run.n_threads, stop,
             [&](std::size_t block, bool on_caller) {
                 const std::size_t last = std::min(n_rows, (block + 1) * kRowsPerJob);
                 for (std::size_t row = block * kRowsPerJob; row < last; ++row) row_job(row);
                 if (on_caller) stop.check_now();
             });
    return !stop.stopped();
}

void pack_row(const std::uint8_t* bytes, std::size_t n_columns, const Kernels& kernels, std::uint64_t* out) {
    const std::size_t n_words = words_of(n_columns);
    kernels.encoding.pack_bytes(bytes, n_columns, out);
    std::fill(out + n_words, out + words_per_row(n_columns), 0);
    write_negations(out, n_columns, 0, n_columns);
}

}  // namespace

// Up to 64 columns at a time. Their negations may start anywhere in a word and go on in the next; with words
// of 8 bits, to % 8 = 5 and the highest bit on the left:
//
//   negated            h g f e d c b a
//   row[to / 8]        c b a . . . . .      negated << 5
//   row[to / 8 + 1]    . . . h g f e d      negated >> 3
void write_negations(std::uint64_t* row, std::size_t n_columns, std::size_t first, std::size_t last) {
    while (first < last) {
        const std::size_t count = std::min(64 - first % 64, last - first);
        const std::uint64_t negated = ~row[first / 64] >> (first % 64) & low_bits(count);
        const std::size_t to = n_columns + first;
        row[to / 64] |= negated << (to % 64);
        if (to % 64 + count > 64) row[to / 64 + 1] |= negated >> (64 - to % 64);
        first += count;
    }
}

bool pack_dense(std::span<const std::uint8_t> bits, std::size_t n_columns, std::span<std::uint64_t> literals,
                const Kernels& kernels, const Run& run) {
    const std::size_t n_words = words_per_row(n_columns);
    if (n_words == 0) return true;
    require(bits.size() == literals.size() / n_words * n_columns, "bits and literals differ in rows");
    return for_rows(literals.size() / n_words, run, [&](std::size_t row) {
        pack_row(bits.data() + row * n_columns, n_columns, kernels, literals.data() + row * n_words);
    });
}

bool pack_sparse(std::span<const std::int64_t> row_starts, std::span<const std::int64_t> columns,
                 std::size_t n_columns, std::span<std::uint64_t> literals, const Run& run) {
    const std::size_t n_words = words_per_row(n_columns);
    require(!row_starts.empty() && literals.size() == (row_starts.size() - 1) * n_words,
            "row starts and literals differ in rows");
    const auto n_entries = static_cast<std::int64_t>(columns.size());
    return for_rows(row_starts.size() - 1, run, [&](std::size_t row) {
        const std::int64_t begin = row_starts[row];
        const std::int64_t end = row_starts[row + 1];
        if (begin < 0 || end < begin || end > n_entries)
            throw std::invalid_argument("row " + std::to_string(row) +
                                        " of the sparse matrix has no valid extent");
        std::uint64_t* out = literals.data() + row * n_words;
        std::fill_n(out, n_words, 0);
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
    });
}

}  // namespace clausal
