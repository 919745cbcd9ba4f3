// Packed rows as bins: rows on which the same literals of a feature hold share a bin of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/scorecard/table.hpp"

namespace clausal::scorecard {

// The features of packed literals [n_rows, words], in order of their columns: literal k is column k,
// n_columns + k its negation, and neither is true where the value satisfies none. `feature_of` [n_columns]
// is ascending. Bins are numbered as they are met; their literals are numbered by the table.
std::vector<Feature> bin_rows(std::size_t n_rows, std::span<const std::uint64_t> literals,
                              std::span<const std::uint32_t> feature_of);

}  // namespace clausal::scorecard
