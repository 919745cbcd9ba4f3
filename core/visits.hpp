// The order in which an epoch visits its rows. Twin of `shuffled` in src/clausal/engine/random_stream.py.
// Not here: which rows are visited, and how often (Python).
#pragma once

#include <cstdint>
#include <span>

namespace clausal {

// Fills `out` with the rows, sorted by the draw that each has under the key: row i has the word at index i.
// Rows of equal draws keep their order.
void shuffle(std::span<const std::int64_t> rows, std::uint64_t key, std::span<std::int64_t> out);

}  // namespace clausal
