// See bins.hpp.
#include "core/scorecard/bins.hpp"

#include <algorithm>
#include <unordered_map>

#include "core/require.hpp"

namespace clausal::scorecard {
namespace {

constexpr std::size_t kChunk = 32;  // columns whose two literals fit into one word

// Packed literals: bit k of a row is literal k.
struct Rows {
    std::span<const std::uint64_t> literals;
    std::size_t n_rows, n_words, n_columns;

    bool is_true(std::size_t row, std::size_t literal) const {
        return (literals[row * n_words + literal / 64] >> (literal % 64)) & 1u;
    }
    // `count` literals from `first` on, at most 32.
    std::uint64_t bits(std::size_t row, std::size_t first, std::size_t count) const {
        const std::uint64_t* words = &literals[row * n_words + first / 64];
        const std::size_t shift = first % 64;
        std::uint64_t value = words[0] >> shift;
        if (shift + count > 64) value |= words[1] << (64 - shift);
        return value & ((std::uint64_t{1} << count) - 1);
    }
};

struct Key {
    std::uint64_t bits;
    std::uint32_t bin;
    bool operator==(const Key&) const = default;
};

struct KeyHash {
    std::size_t operator()(const Key& key) const {
        return static_cast<std::size_t>((key.bits ^ key.bin) * 0x9E3779B97F4A7C15u >> 20);
    }
};

// The bins by the columns from `first` to `last`, a chunk at a time; returns how many there are.
std::size_t split(const Rows& rows, std::size_t first, std::size_t last, std::vector<std::uint32_t>& bins) {
    std::size_t n_bins = std::min<std::size_t>(rows.n_rows, 1);
    for (; first < last; first += kChunk) {
        const std::size_t count = std::min(kChunk, last - first);
        std::unordered_map<Key, std::uint32_t, KeyHash> seen;
        for (std::size_t row = 0; row < rows.n_rows; ++row) {
            const std::uint64_t negated = rows.bits(row, rows.n_columns + first, count);
            const Key key{rows.bits(row, first, count) | negated << 32, bins[row]};
            bins[row] = seen.try_emplace(key, static_cast<std::uint32_t>(seen.size())).first->second;
        }
        n_bins = seen.size();
    }
    require(n_bins <= UINT16_MAX, "a feature must have at most 65,535 different values");
    return n_bins;
}

Feature make_feature(const Rows& rows, std::size_t first, std::size_t last) {
    std::vector<std::uint32_t> bins(rows.n_rows, 0);
    Feature feature;
    feature.n_bins = split(rows, first, last, bins);
    std::vector<std::size_t> example(feature.n_bins, 0);
    std::vector<std::uint16_t> own(rows.n_rows);
    for (std::size_t row = 0; row < rows.n_rows; ++row) {
        own[row] = static_cast<std::uint16_t>(bins[row]);
        example[bins[row]] = row;
    }
    feature.bins = Bins(std::move(own), feature.n_bins);
    for (const std::size_t negation : {std::size_t{0}, rows.n_columns})
        for (std::size_t column = first; column < last; ++column)
            for (const std::size_t row : example)
                feature.truth.push_back(rows.is_true(row, negation + column));
    return feature;
}

}  // namespace

std::vector<Feature> bin_rows(std::size_t n_rows, std::span<const std::uint64_t> literals,
                              std::span<const std::uint32_t> feature_of) {
    const Rows rows{literals, n_rows, n_rows ? literals.size() / n_rows : 0, feature_of.size()};
    std::vector<Feature> features;
    for (std::size_t first = 0, last = 0; first < feature_of.size(); first = last) {
        while (last < feature_of.size() && feature_of[last] == feature_of[first]) ++last;
        features.push_back(make_feature(rows, first, last));
    }
    return features;
}

}  // namespace clausal::scorecard
