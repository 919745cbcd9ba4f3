// What every backend requires of a configuration, and of patches.
#include "core/config.hpp"

#include <algorithm>

#include "core/random.hpp"
#include "core/require.hpp"

namespace clausal {

void check(const PatchView& v, std::size_t n_literals) {
    constexpr std::size_t kMost = std::size_t{1} << 31;
    for (const std::size_t size :
         {v.height, v.width, v.depth, v.patch_height, v.patch_width, v.row_stride, v.column_stride})
        require(size >= 1 && size <= kMost, "the sizes and strides of patches must be from 1 to 2^31");
    require(v.patch_height <= v.height && v.patch_width <= v.width, "a patch must fit into its sample");
    require(v.height <= kMost / v.width && v.depth <= kMost / (v.height * v.width),
            "a sample must have at most 2^31 booleans");
    require(n_literals == 2 * v.n_columns(), "literals must be the columns of a patch and their negations");
}

void check(const Config& c) {
    require(c.n_banks >= 1 && c.n_clauses >= 1 && c.n_literals >= 1,
            "a machine needs banks, clauses, literals");
    require(c.n_literals <= std::size_t{1} << 32, "n_literals must be at most 2^32");
    require(c.n_states >= 1 && c.n_states <= 128, "n_states must be from 1 to 128");
    require(c.threshold >= 1 && c.threshold <= (std::int64_t{1} << 47), "threshold must be from 1 to 2^47");
    require(c.rule.low <= c.rule.high, "the weight rule's bounds are crossed");
    const auto span = static_cast<std::size_t>(static_cast<std::int64_t>(c.rule.high) - c.rule.low) + 1;
    require(c.rule.table.empty() || c.rule.table.size() == span, "the weight table does not fit its bounds");
    for (const auto* moves : {&c.rule.up, &c.rule.down}) {
        require(moves->size() == (c.rule.up.empty() ? 0 : span),
                "the moves of weights do not fit their bounds");
        for (const std::int32_t level : *moves)
            require(c.rule.low <= level && level <= c.rule.high, "a weight moves out of its bounds");
    }
    require(c.down_chance.size() == c.n_clauses, "down_chance needs one value per clause");
    for (const std::uint32_t chance : c.down_chance)
        require(chance <= (1u << kAutomatonBits), "down_chance must not exceed 2^24");
    require(c.drop_chance <= (std::uint64_t{1} << 32), "drop_chance must not exceed 2^32");
    require(c.label_sets.size() % c.n_banks == 0, "label_sets needs one value per bank in each row");
    require(!c.shared || (c.rule.table.empty() && c.rule.up.empty() && c.rule.low <= 0 && c.rule.high >= 0),
            "shared clauses need whole weights of both signs");
    require(c.allowed_words.size() == 2 * c.n_words(), "allowed_words needs two rows of literal words");
    if (c.view.has_patches()) check(c.view, c.n_literals);
    const auto half = c.allowed_words.begin() + static_cast<std::ptrdiff_t>(c.n_words());
    require(!(c.shared || c.loss.is_given()) || std::equal(c.allowed_words.begin(), half, half),
            "clauses without a polarity are allowed the same literals");
    if (!c.loss.is_given()) return;
    require(c.n_banks == 1 && !c.shared && c.label_sets.empty(), "a number is learned by one bank");
    for (const std::uint64_t chance : {c.loss.rise, c.loss.fall})
        require(chance <= (std::uint64_t{1} << 32), "rise and fall must not exceed 2^32");
}

}  // namespace clausal
