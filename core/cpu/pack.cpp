// Packing rows, dense and sparse, in blocks of rows over threads.
#include "core/cpu/pack.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#if defined(__SSE2__)  // part of every 64-bit x86
#include <emmintrin.h>
#endif

namespace clausal {

namespace {

constexpr std::size_t kRowsPerJob = 1024;
constexpr std::uint64_t kAll = ~std::uint64_t{0};

// The lowest `count` bits, 0 to 64.
std::uint64_t low_bits(std::size_t count) { return count >= 64 ? kAll : (std::uint64_t{1} << count) - 1; }

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
bool for_rows(std::size_t n_rows, std::size_t n_threads, const Poll& poll, const RowJob& row_job) {
    StopFlag stop(poll);
    run_jobs((n_rows + kRowsPerJob - 1) / kRowsPerJob, n_threads, stop,
             [&](std::size_t block, bool on_caller) {
                 const std::size_t last = std::min(n_rows, (block + 1) * kRowsPerJob);
                 for (std::size_t row = block * kRowsPerJob; row < last; ++row) row_job(row);
                 if (on_caller) stop.check_now();
             });
    return !stop.stopped();
}

void pack_row(const std::uint8_t* bytes, std::size_t n_columns, std::uint64_t* out) {
    std::fill_n(out, words_per_row(n_columns), 0);
    std::size_t c = 0;
    for (; c + 64 <= n_columns; c += 64) out[c / 64] = true_bytes(bytes + c);
    if (c < n_columns) {
        std::uint8_t rest[64] = {};
        std::memcpy(rest, bytes + c, n_columns - c);
        out[c / 64] = true_bytes(rest);
    }
    write_negations(out, n_columns, 0, n_columns);
}

}  // namespace

#if defined(__SSE2__)
std::uint64_t true_bytes(const std::uint8_t* bytes) {
    std::uint64_t zeros = 0;
    for (unsigned i = 0; i < 64; i += 16) {
        const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + i));
        const int mask = _mm_movemask_epi8(_mm_cmpeq_epi8(part, _mm_setzero_si128()));
        zeros |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(mask)) << i;
    }
    return ~zeros;
}
#else
std::uint64_t true_bytes(const std::uint8_t* bytes) {
    constexpr std::uint64_t kOnes = 0x0101010101010101u, kSevens = 0x7F * kOnes;
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < 64; i += 8) {
        std::uint64_t part = 0;
        for (unsigned k = 0; k < 8; ++k) part |= static_cast<std::uint64_t>(bytes[i + k]) << (8 * k);
        part = ((((part & kSevens) + kSevens) | part) >> 7) & kOnes;  // bytes of 1 where not 0
        bits |= ((part * 0x0102040810204080u) >> 56) << i;
    }
    return bits;
}
#endif

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
                std::size_t n_threads, const Poll& poll) {
    const std::size_t n_words = words_per_row(n_columns);
    if (n_words == 0) return true;
    return for_rows(literals.size() / n_words, n_threads, poll, [&](std::size_t row) {
        pack_row(bits.data() + row * n_columns, n_columns, literals.data() + row * n_words);
    });
}

bool pack_sparse(std::span<const std::int64_t> row_starts, std::span<const std::int64_t> columns,
                 std::size_t n_columns, std::span<std::uint64_t> literals, std::size_t n_threads,
                 const Poll& poll) {
    const std::size_t n_words = words_per_row(n_columns);
    const auto n_entries = static_cast<std::int64_t>(columns.size());
    return for_rows(row_starts.size() - 1, n_threads, poll, [&](std::size_t row) {
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
