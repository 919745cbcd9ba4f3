// Rows on which the same terms are true have equal scores, so they count as one, a group, if the loss allows.
// A model of a few terms has far fewer groups than rows, and sums over groups equal sums over rows, as both
// are integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/scorecard/loss.hpp"
#include "core/scorecard/table.hpp"

namespace clausal::scorecard {

struct Term;

struct Groups {
    std::vector<std::uint32_t> of_row;
    std::size_t count = 1;

    // The same words with one bit per group; rows of a group must have the same bit.
    Words words(const Words& rows) const;
};

// The groups of some terms; nothing if there are more than `max_count`.
std::optional<Groups> group_rows(const std::vector<Term>& terms, const Loss& loss, std::size_t max_count);

// Terms and losses on groups instead of rows.
struct Grouped {
    Grouped(const std::vector<Term>& of, const Loss& rows, const Groups& groups);

    std::vector<Term> terms;
    Loss loss;
};

}  // namespace clausal::scorecard
