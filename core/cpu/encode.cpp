// Encoding by blocks of 64 rows: a column is a word with a bit per row, 64 columns are turned at once into a
// word for each row. Bytes that are 0 or 1 already, side by side, are packed as they are.
#include "core/cpu/encode.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/bits.hpp"
#include "core/cpu/pack.hpp"
#include "core/require.hpp"

namespace clausal {

namespace {

constexpr std::size_t kRows = 64;          // of a block
constexpr std::size_t kShortestRun = 8;    // of columns of bytes, to be packed as they are
constexpr std::size_t kBlocksPerJob = 16;  // between two looks at the stop flag

// --- values ---

struct Block {
    std::size_t first;
    std::size_t count;  // rows, at most kRows
};

template <class T>
void load_as(const FeatureView& feature, const Block& block, double* values) {
    const std::byte* from = feature.values + static_cast<std::ptrdiff_t>(block.first) * feature.stride;
    for (std::size_t r = 0; r < block.count; ++r, from += feature.stride) {
        T value;
        std::memcpy(&value, from, sizeof value);
        values[r] = static_cast<double>(value);
    }
}

void load(const FeatureView& feature, const Block& block, double* values) {
    switch (feature.type) {
        case ValueType::f64:
            return load_as<double>(feature, block, values);
        case ValueType::f32:
            return load_as<float>(feature, block, values);
        case ValueType::i64:
            return load_as<std::int64_t>(feature, block, values);
        case ValueType::i32:
            return load_as<std::int32_t>(feature, block, values);
        case ValueType::i16:
            return load_as<std::int16_t>(feature, block, values);
        case ValueType::i8:
            return load_as<std::int8_t>(feature, block, values);
        case ValueType::u64:
            return load_as<std::uint64_t>(feature, block, values);
        case ValueType::u32:
            return load_as<std::uint32_t>(feature, block, values);
        case ValueType::u16:
            return load_as<std::uint16_t>(feature, block, values);
        case ValueType::u8:
            return load_as<std::uint8_t>(feature, block, values);
    }
}

template <class Valid>
bool all(const double* values, std::size_t count, const Valid& valid) {
    unsigned wrong = 0;
    for (std::size_t r = 0; r < count; ++r) wrong |= !valid(values[r]);
    return wrong == 0;
}

// Whether every value of a block can be encoded.
bool acceptable(const FeatureView& feature, const double* values, std::size_t count) {
    const bool nan = feature.missing_allowed;
    if (feature.comparison == Comparison::truth)
        return all(values, count, [nan](double v) {
            return static_cast<int>(v == 0.0) | (v == 1.0) | (static_cast<int>(nan) & (v != v));
        });
    switch (feature.type) {
        case ValueType::i64:
        case ValueType::u64:
            return all(values, count, [](double v) { return std::fabs(v) < kExactIntegers; });
        case ValueType::f64:
        case ValueType::f32:
            return all(values, count, [nan](double v) {
                return static_cast<int>(std::fabs(v) < HUGE_VAL) | (static_cast<int>(nan) & (v != v));
            });
        default:
            return true;
    }
}

// --- bits ---

// Transposes 64 x 64 bits: bit c of word r becomes bit r of word c. As transposed_8x8 in bits.hpp, from the
// largest squares down.
void transpose(std::uint64_t (&square)[64]) {
    std::uint64_t mask = 0x00000000FFFFFFFFu;
    for (unsigned half = 32; half != 0; half /= 2, mask ^= mask << half) {
        for (unsigned start = 0; start < 64; start += 2 * half)
            for (unsigned i = start; i < start + half; ++i) {
                const std::uint64_t swapped = ((square[i] >> half) ^ square[i + half]) & mask;
                square[i] ^= swapped << half;
                square[i + half] ^= swapped;
            }
    }
}

// Collects the columns of a block, in order, and writes them to its rows, 64 at a time.
class ColumnWriter {
  public:
    ColumnWriter(const LiteralRows& rows, const Block& block, const EncodingKernels& kernels)
        : kernels_(kernels),
          n_words_(words_per_row(rows.n_columns)),
          words_(rows.words.data() + block.first * n_words_),
          count_(block.count),
          column_(rows.first_column) {}

    std::size_t column() const { return column_; }

    // bits: bit r for row r of the block.
    void write(std::uint64_t bits) {
        square_[column_ % 64] = bits;
        if (++column_ % 64 == 0) flush(column_ / 64 - 1);
    }

    void finish() {
        if (column_ % 64 != 0) flush(column_ / 64);
    }

    // n columns at once, from bytes side by side in each row: whether they are 0, or not 0.
    void write_bytes(const std::byte* bytes, std::ptrdiff_t stride, std::size_t n, bool zero) {
        finish();
        for (std::size_t r = 0; r < count_; ++r, bytes += stride)
            write_row(reinterpret_cast<const std::uint8_t*>(bytes), words_ + r * n_words_, n, zero);
        column_ += n;
    }

  private:
    void flush(std::size_t word) {
        transpose(square_);
        for (std::size_t r = 0; r < count_; ++r) words_[r * n_words_ + word] |= square_[r];
        std::fill_n(square_, 64, 0);
    }

    void write_row(const std::uint8_t* bytes, std::uint64_t* row, std::size_t n, bool zero) {
        const std::size_t shift = column_ % 64;
        for (std::size_t c = 0; c < n; c += 64) {
            const std::size_t count = std::min<std::size_t>(64, n - c);
            std::uint64_t bits = 0;
            kernels_.pack_bytes(bytes + c, count, &bits);
            if (zero) bits = ~bits & ~std::uint64_t{0} >> (64 - count);
            std::uint64_t* out = row + (column_ + c) / 64;
            out[0] |= bits << shift;
            if (shift + count > 64) out[1] |= bits >> (64 - shift);
        }
    }

    const EncodingKernels& kernels_;
    std::uint64_t square_[64] = {};
    std::size_t n_words_;
    std::uint64_t* words_;
    std::size_t count_;
    std::size_t column_;
};

// --- features ---

// Whether the feature is one column that says whether a byte is 0.
bool asks_for_zero(const FeatureView& feature) {
    if (feature.type != ValueType::u8 || feature.nullable || feature.marks.size() != 1) return false;
    return feature.comparison == Comparison::truth ||
           (feature.comparison == Comparison::at_most && feature.marks[0] >= 0.0 && feature.marks[0] < 1.0);
}

// How many features from the first on are such columns of one kind and lie side by side in each row.
std::size_t run_length(std::span<const FeatureView> features) {
    const FeatureView& first = features[0];
    std::size_t n = 0;
    while (n < features.size() && asks_for_zero(features[n]) && features[n].stride == first.stride &&
           features[n].comparison == first.comparison && features[n].values == first.values + n)
        ++n;
    return n;
}

bool are_0_or_1(const std::byte* bytes, std::ptrdiff_t stride, std::size_t n_rows, std::size_t n) {
    unsigned char any = 0;
    for (std::size_t r = 0; r < n_rows; ++r, bytes += stride)
        for (std::size_t i = 0; i < n; ++i) any |= static_cast<unsigned char>(bytes[i]);
    return any <= 1;
}

struct Encoder {
    std::span<const FeatureView> features;
    const LiteralRows& rows;
    const EncodingKernels& kernels;
    std::vector<std::size_t> runs;  // [n_features], the length of the run that starts there, or 0

    Encoder(std::span<const FeatureView> features_, const LiteralRows& rows_, const EncodingKernels& kernels_)
        : features(features_), rows(rows_), kernels(kernels_), runs(features_.size()) {
        for (std::size_t i = 0; i < features.size(); i += std::max<std::size_t>(runs[i], 1)) {
            const std::size_t n = run_length(features.subspan(i));
            runs[i] = n < kShortestRun ? 0 : n;
        }
    }

    bool encode_run(const FeatureView& first, std::size_t n, const Block& block, ColumnWriter& out) const {
        const std::byte* bytes = first.values + static_cast<std::ptrdiff_t>(block.first) * first.stride;
        const bool zero = first.comparison == Comparison::at_most;
        if (!zero && !are_0_or_1(bytes, first.stride, block.count, n)) return false;
        out.write_bytes(bytes, first.stride, n, zero);
        return true;
    }

    bool encode_feature(const FeatureView& feature, const Block& block, ColumnWriter& out) const {
        double values[kRows] = {};
        load(feature, block, values);
        if (!acceptable(feature, values, block.count)) return false;
        const auto holds = feature.comparison == Comparison::at_most ? kernels.at_most : kernels.equal;
        for (const double mark : feature.marks) out.write(holds(values, mark));
        if (feature.nullable) {
            std::uint64_t missing = 0;
            for (std::size_t r = 0; r < kRows; ++r)
                missing |= static_cast<std::uint64_t>(values[r] != values[r]) << r;
            out.write(missing);
        }
        return true;
    }

    bool encode_block(const Block& block) const {
        ColumnWriter out(rows, block, kernels);
        for (std::size_t i = 0; i < features.size(); i += std::max<std::size_t>(runs[i], 1)) {
            const bool good = runs[i] > 0 ? encode_run(features[i], runs[i], block, out)
                                          : encode_feature(features[i], block, out);
            if (!good) return false;
        }
        out.finish();
        const std::size_t n_words = words_per_row(rows.n_columns);
        for (std::size_t r = block.first; r < block.first + block.count; ++r)
            write_negations(rows.words.data() + r * n_words, rows.n_columns, rows.first_column, out.column());
        return true;
    }
};

}  // namespace

Encoded encode_features(std::span<const FeatureView> features, const LiteralRows& rows,
                        const Kernels& kernels, const Run& run) {
    constexpr std::size_t kRowsPerJob = kRows * kBlocksPerJob;
    std::size_t last_column = rows.first_column;
    for (const FeatureView& feature : features) last_column += feature.n_columns();
    require(rows.first_column <= last_column && last_column <= rows.n_columns &&
                rows.words.size() == rows.n_rows * words_per_row(rows.n_columns),
            "the features do not fit the rows of literals");
    const Encoder encoder(features, rows, kernels.encoding);
    StopFlag stop(run.poll);
    std::atomic<bool> declined{false};
    run_jobs((rows.n_rows + kRowsPerJob - 1) / kRowsPerJob, run.n_threads, stop,
             [&](std::size_t job, bool on_caller) {
                 const std::size_t last = std::min(rows.n_rows, (job + 1) * kRowsPerJob);
                 for (std::size_t row = job * kRowsPerJob; row < last; row += kRows) {
                     if (encoder.encode_block({row, std::min(kRows, last - row)})) continue;
                     declined = true;
                     stop.stop();
                     return;
                 }
                 if (on_caller) stop.check_now();
             });
    if (declined) return Encoded::declined;
    return stop.stopped() ? Encoded::stopped : Encoded::done;
}

}  // namespace clausal
