// The orders in which epochs visit their rows. Twin of `shuffled` in src/clausal/engine/random_stream.py.
// Not here: which rows are visited, and how often (Python).
#pragma once

#include <cstdint>
#include <span>

namespace clausal {

// Fills `out` [keys, rows] with the rows, for each key sorted by the draw that each has under it: row i has
// the word at index i. Rows of equal draws keep their order.
void shuffle(std::span<const std::int64_t> rows, std::span<const std::uint64_t> keys,
             std::span<std::int64_t> out);

}  // namespace clausal
