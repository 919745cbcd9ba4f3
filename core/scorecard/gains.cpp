// See gains.hpp.
#include "core/scorecard/gains.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/bits.hpp"

namespace clausal::scorecard {
namespace {

bool have_same_width(const Feature* first, const Feature* last) {
    return std::all_of(
        first, last, [&](const Feature& other) { return other.bins.is_narrow() == first->bins.is_narrow(); });
}

}  // namespace

void RowDerivatives::compute(const Loss& loss, const Scores& scores, std::size_t bank) {
    shift_ = loss.packing_shift(scores);
    rows_.resize(loss.n_rows());
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        const Derivatives own = loss.of_row(scores, bank, row);
        rows_[row] = (own.gradient >> shift_) * (std::int64_t{1} << 32) + (own.curvature >> shift_);
    }
}

Derivatives RowDerivatives::sum() const {
    std::int64_t total = 0;
    for (const std::int64_t row : rows_) total += row;
    return unpacked(total);
}

Derivatives RowDerivatives::sum(const Words& rows) const {
    std::int64_t total = 0;
    for (std::size_t word = 0; word < rows.size(); ++word)
        for_each_bit(rows[word], [&](std::size_t k) { total += rows_[64 * word + k]; });
    return unpacked(total);
}

std::vector<Derivatives> RowDerivatives::literal_sums(const Table& table, const Words* rows) const {
    std::vector<Derivatives> sums(table.n_literals());
    const std::vector<Feature>& features = table.first_features();
    for (std::size_t first = 0; first < features.size();) {
        const Feature* own = &features[first];
        const bool four = first + 4 <= features.size() && have_same_width(own, own + 4);
        own->bins.visit([&]<class Bin>(const Bin* bins) {
            const auto of = [&](std::size_t k) { return own[k].bins.as<Bin>(); };
            if (four)
                add_literal_sums<4, Bin>(own, {bins, of(1), of(2), of(3)}, rows, sums);
            else
                add_literal_sums<1, Bin>(own, {bins}, rows, sums);
        });
        first += four ? 4 : 1;
    }
    return sums;
}

// The sums of N features in one pass over the rows: one addition need not wait for another to the same bin.
template <std::size_t N, class Bin>
void RowDerivatives::add_literal_sums(const Feature* features, const std::array<const Bin*, N>& bin_of,
                                      const Words* rows, std::vector<Derivatives>& sums) const {
    std::array<std::vector<std::int64_t>, N> bins;
    std::array<std::int64_t*, N> bin_sums;
    for (std::size_t f = 0; f < N; ++f) {
        bins[f].assign(features[f].n_bins, 0);
        bin_sums[f] = bins[f].data();
    }
    const auto add = [&](std::size_t row) {
        const std::int64_t value = rows_[row];
        for (std::size_t f = 0; f < N; ++f) bin_sums[f][bin_of[f][row]] += value;
    };
    if (rows) {
        for (std::size_t word = 0; word < rows->size(); ++word)
            for_each_bit((*rows)[word], [&](std::size_t k) { add(64 * word + k); });
    } else {
        for (std::size_t row = 0; row < rows_.size(); ++row) add(row);
    }
    for (std::size_t f = 0; f < N; ++f) {
        const Feature& feature = features[f];
        const std::uint8_t* truth = feature.truth.data();
        for (const std::uint32_t literal : feature.literals) {
            std::int64_t sum = 0;
            for (std::size_t k = 0; k < feature.n_bins; ++k)
                sum += bins[f][k] & -std::int64_t{truth[k]};  // no branch, as it could not be predicted
            sums[literal] = unpacked(sum);
            truth += feature.n_bins;
        }
    }
}

Gain estimate(const Loss& loss, const Derivatives& sum, const Derivatives& all, double ridge,
              std::uint8_t signs) {
    if (all.curvature <= 0) return {};
    const double curvature = loss.real(sum.curvature), share = curvature / loss.real(all.curvature);
    const double gradient = loss.real(sum.gradient) - share * loss.real(all.gradient);
    const double own_curvature = curvature * (1.0 - share) + std::max(ridge, kMinGain);
    if (!(signs & (gradient > 0.0 ? kPositive : kNegative))) return {};
    return {gradient * gradient / (2.0 * own_curvature), gradient / own_curvature};
}

}  // namespace clausal::scorecard
