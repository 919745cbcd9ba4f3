// Features of a table to literal words, without boolean rows in between.
// Not here: reading tables, and what to say about a value that cannot be encoded (both in Python).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/backend.hpp"
#include "core/cpu/kernels/kernels.hpp"

namespace clausal {

enum class ValueType { f64, f32, i64, i32, i16, i8, u64, u32, u16, u8 };

// What a feature's columns say of its value: at most a mark; equal to a mark; for a boolean, that it is 1.
enum class Comparison { at_most, equal, truth };

// One feature: where its values are, and the comparisons that are its columns. NaN is a missing value.
struct FeatureView {
    const std::byte* values;  // of the first row
    std::ptrdiff_t stride;    // bytes from row to row
    ValueType type;
    Comparison comparison;
    std::span<const double> marks;  // one column each
    bool nullable;                  // one more column, the last: the value is missing
    bool missing_allowed;

    std::size_t n_columns() const { return marks.size() + nullable; }
};

// Whole numbers from this size on are not exact as float64.
inline constexpr double kExactIntegers = 9007199254740992.0;

enum class Encoded { done, declined, stopped };

// Where to write: rows of 2 * n_columns literals, of which the features fill columns first_column and on.
struct LiteralRows {
    std::span<std::uint64_t> words;  // [n_rows, n_words]; the bits to fill hold 0
    std::size_t n_rows;
    std::size_t n_columns;
    std::size_t first_column;
};

// Writes the literals of all features. Declines, leaving rows half written, where a value is infinite,
// missing though not allowed, a whole number too large to be exact, or neither 0 nor 1 in a boolean feature.
Encoded encode_features(std::span<const FeatureView> features, const LiteralRows& rows,
                        const Kernels& kernels, const Run& run);

}  // namespace clausal
