// See table.hpp.
#include "core/scorecard/table.hpp"

#include <algorithm>

#include "core/require.hpp"

namespace clausal::scorecard {
namespace {

// Packed literals: bit k of a row is literal k.
struct Rows {
    std::span<const std::uint64_t> literals;
    std::size_t n_rows, n_words, n_columns;

    bool is_true(std::size_t row, std::size_t literal) const {
        return (literals[row * n_words + literal / 64] >> (literal % 64)) & 1u;
    }
    // 1 where a column is true, 0 where its negation is, 2 where neither is.
    std::uint32_t value(std::size_t row, std::size_t column) const {
        return is_true(row, column) ? 1u : is_true(row, n_columns + column) ? 0u : 2u;
    }
};

// The bins of a feature: rows with equal values in all these columns of it share one.
Feature make_feature(const Rows& rows, std::span<const std::size_t> columns) {
    const std::size_t n_rows = rows.n_rows, n_columns = rows.n_columns;
    Feature feature;
    feature.bins.assign(n_rows, 0);
    std::vector<std::uint32_t> bin(n_rows, 0);
    std::vector<std::uint32_t> next;
    std::uint32_t n_bins = 1;
    for (const std::size_t column : columns) {
        next.assign(3 * std::size_t{n_bins}, UINT32_MAX);
        std::uint32_t n_next = 0;
        for (std::size_t row = 0; row < n_rows; ++row) {
            std::uint32_t& split = next[3 * std::size_t{bin[row]} + rows.value(row, column)];
            if (split == UINT32_MAX) split = n_next++;
            bin[row] = split;
        }
        n_bins = n_next;
    }
    require(n_bins <= UINT16_MAX, "a feature must have at most 65,535 different values");
    feature.n_bins = n_bins;
    std::vector<std::size_t> example(n_bins, 0);
    for (std::size_t row = 0; row < n_rows; ++row) {
        feature.bins[row] = static_cast<std::uint16_t>(bin[row]);
        example[bin[row]] = row;
    }
    for (const bool negated : {false, true})
        for (const std::size_t column : columns) {
            feature.literals.push_back(static_cast<std::uint32_t>(column + (negated ? n_columns : 0)));
            for (std::uint32_t b = 0; b < n_bins; ++b)
                feature.truth.push_back(rows.is_true(example[b], column + (negated ? n_columns : 0)));
        }
    return feature;
}

}  // namespace

Table::Table(std::size_t n_rows, std::span<const std::uint64_t> literals,
             std::span<const std::uint32_t> feature_of, std::span<const std::uint8_t> begins)
    : n_rows_(n_rows), n_columns_(feature_of.size()) {
    const Rows rows{literals, n_rows, n_rows ? literals.size() / n_rows : 0, n_columns_};
    index_in_.resize(2 * n_columns_);
    for (std::uint32_t literal = 0; literal < 2 * n_columns_; ++literal)
        if (begins[literal % n_columns_]) first_literals_.push_back(literal);
    for (std::size_t first = 0; first < n_columns_;) {
        std::size_t last = first;
        while (last < n_columns_ && feature_of[last] == feature_of[first]) ++last;
        std::vector<std::size_t> columns, beginning;
        for (std::size_t column = first; column < last; ++column) {
            index_in_[column] = column - first;
            index_in_[n_columns_ + column] = last - first + column - first;
            feature_of_.push_back(features_.size());
            columns.push_back(column);
            if (begins[column]) beginning.push_back(column);
        }
        features_.push_back(make_feature(rows, columns));
        if (has_more_cuts()) first_features_.push_back(make_feature(rows, beginning));
        first = last;
    }
}

std::span<const std::uint8_t> Table::truth(std::uint32_t literal) const {
    const Feature& feature = features_[feature_of(literal)];
    return std::span(feature.truth).subspan(index_in_[literal] * feature.n_bins, feature.n_bins);
}

Words Table::rows(std::span<const std::uint32_t> literals) const {
    Words words(n_words(), ~std::uint64_t{0});
    if (n_rows_ % 64) words.back() = (std::uint64_t{1} << (n_rows_ % 64)) - 1;
    for (const std::uint32_t literal : literals) {
        const auto true_in = truth(literal);
        const std::uint16_t* bins = features_[feature_of(literal)].bins.data();
        for (std::size_t word = 0; word < words.size(); ++word) {
            const std::size_t n = std::min<std::size_t>(64, n_rows_ - 64 * word);
            std::uint64_t bits = 0;
            for (std::size_t k = 0; k < n; ++k) bits |= std::uint64_t{true_in[bins[64 * word + k]]} << k;
            words[word] &= bits;
        }
    }
    return words;
}

const Words& LiteralRows::of(std::uint32_t literal) {
    Words& rows = rows_[literal];
    if (rows.empty()) rows = table_.rows({&literal, 1});
    return rows;
}

Words LiteralRows::all(std::span<const std::uint32_t> literals) {
    Words rows = of(literals[0]);
    for (const std::uint32_t literal : literals.subspan(1)) {
        const Words& other = of(literal);
        for (std::size_t word = 0; word < rows.size(); ++word) rows[word] &= other[word];
    }
    return rows;
}

bool Table::same_split(std::span<const std::uint32_t> one, std::span<const std::uint32_t> two) const {
    if (std::ranges::equal(one, two)) return true;
    if (one.size() != 1 || two.size() != 1 || feature_of(one[0]) != feature_of(two[0])) return false;
    const auto a = truth(one[0]), b = truth(two[0]);
    bool equal = true, opposite = true;
    for (std::size_t bin = 0; bin < a.size(); ++bin) (a[bin] == b[bin] ? opposite : equal) = false;
    return equal || opposite;
}

std::vector<std::uint32_t> Table::simplified(std::vector<std::uint32_t> literals) const {
    std::sort(literals.begin(), literals.end());
    literals.erase(std::unique(literals.begin(), literals.end()), literals.end());
    for (std::size_t k = 0; k < literals.size();) {
        const std::size_t feature = feature_of(literals[k]);
        const auto own = truth(literals[k]);
        std::vector<std::uint8_t> others(own.size(), 1);
        bool any = false;
        for (std::size_t j = 0; j < literals.size(); ++j)
            if (j != k && feature_of(literals[j]) == feature) {
                any = true;
                const auto true_in = truth(literals[j]);
                for (std::size_t b = 0; b < own.size(); ++b) others[b] &= true_in[b];
            }
        bool implied = any;
        for (std::size_t b = 0; b < own.size(); ++b) implied = implied && others[b] <= own[b];
        if (implied)
            literals.erase(literals.begin() + static_cast<std::ptrdiff_t>(k));
        else
            ++k;
    }
    return literals;
}

}  // namespace clausal::scorecard
