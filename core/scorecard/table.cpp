// See table.hpp.
#include "core/scorecard/table.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "core/require.hpp"

namespace clausal::scorecard {
namespace {

// The bins of a feature as some of its columns see it: those that these do not tell apart are one.
Feature restricted(const Feature& all, std::size_t n_rows, const std::vector<std::size_t>& columns) {
    const std::size_t n_own = all.literals.size() / 2;
    std::map<std::string, std::uint16_t> bin_of;  // by what is true in them
    std::vector<std::uint16_t> bins;              // of each bin of `all`
    for (std::size_t bin = 0; bin < all.n_bins; ++bin) {
        std::string truth;
        for (const std::size_t first : {std::size_t{0}, n_own})
            for (const std::size_t column : columns)
                truth.push_back(static_cast<char>(all.truth[(first + column) * all.n_bins + bin]));
        bins.push_back(
            bin_of.try_emplace(std::move(truth), static_cast<std::uint16_t>(bin_of.size())).first->second);
    }
    Feature feature;
    feature.n_bins = bin_of.size();
    for (const std::size_t first : {std::size_t{0}, n_own})
        for (const std::size_t column : columns) feature.literals.push_back(all.literals[first + column]);
    feature.truth.resize(feature.literals.size() * feature.n_bins);
    for (const auto& [truth, bin] : bin_of)
        for (std::size_t k = 0; k < truth.size(); ++k)
            feature.truth[k * feature.n_bins + bin] = static_cast<std::uint8_t>(truth[k]);
    std::vector<std::uint16_t> of_row(n_rows);
    all.bins.visit([&](const auto* own) {
        for (std::size_t row = 0; row < n_rows; ++row) of_row[row] = bins[own[row]];
    });
    feature.bins = Bins(std::move(of_row), feature.n_bins);
    return feature;
}

}  // namespace

Table::Table(std::size_t n_rows, std::vector<Feature> features, std::span<const std::uint32_t> feature_of,
             std::span<const std::uint8_t> begins)
    : n_rows_(n_rows), n_columns_(feature_of.size()), features_(std::move(features)) {
    index_in_.resize(2 * n_columns_);
    for (std::uint32_t literal = 0; literal < 2 * n_columns_; ++literal)
        if (begins[literal % n_columns_]) first_literals_.push_back(literal);
    std::size_t first = 0;
    for (std::size_t index = 0; index < features_.size(); ++index) {
        std::size_t last = first;
        while (last < n_columns_ && feature_of[last] == feature_of[first]) ++last;
        std::vector<std::size_t> beginning;
        for (std::size_t column = first; column < last; ++column) {
            index_in_[column] = column - first;
            index_in_[n_columns_ + column] = last - first + column - first;
            feature_of_.push_back(index);
            if (begins[column]) beginning.push_back(column - first);
        }
        Feature& feature = features_[index];
        for (const std::size_t negation : {std::size_t{0}, n_columns_})
            for (std::size_t column = first; column < last; ++column)
                feature.literals.push_back(static_cast<std::uint32_t>(negation + column));
        require(feature.truth.size() == feature.literals.size() * feature.n_bins,
                "a feature must have the truth of each literal in each bin");
        if (has_more_cuts()) first_features_.push_back(restricted(feature, n_rows, beginning));
        first = last;
    }
    require(first == n_columns_, "there must be as many features as the columns have");
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
        features_[feature_of(literal)].bins.visit([&](const auto* bins) {
            for (std::size_t word = 0; word < words.size(); ++word) {
                const std::size_t n = std::min<std::size_t>(64, n_rows_ - 64 * word);
                std::uint64_t bits = 0;
                for (std::size_t k = 0; k < n; ++k) bits |= std::uint64_t{true_in[bins[64 * word + k]]} << k;
                words[word] &= bits;
            }
        });
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
    if (std::equal(one.begin(), one.end(), two.begin(), two.end())) return true;
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
