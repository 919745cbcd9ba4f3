// See gains.hpp.
#include "core/scorecard/gains.hpp"

#include <algorithm>
#include <utility>

#include "core/bits.hpp"

namespace clausal::scorecard {

void RowDerivatives::compute(const Loss& loss, const Scores& scores, std::size_t bank) {
    shift_ = loss.packing_shift();
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
    std::vector<std::int64_t> bins;
    for (const Feature& feature : table.features()) {
        bins.assign(feature.n_bins, 0);
        const std::uint16_t* bin = feature.bins.data();
        if (rows) {
            for (std::size_t word = 0; word < rows->size(); ++word)
                for_each_bit((*rows)[word],
                             [&](std::size_t k) { bins[bin[64 * word + k]] += rows_[64 * word + k]; });
        } else {
            for (std::size_t row = 0; row < rows_.size(); ++row) bins[bin[row]] += rows_[row];
        }
        const std::uint8_t* truth = feature.truth.data();
        for (const std::uint32_t literal : feature.literals) {
            std::int64_t sum = 0;
            for (std::size_t k = 0; k < feature.n_bins; ++k)
                sum += bins[k] & -std::int64_t{truth[k]};  // no branch, as it could not be predicted
            sums[literal] = unpacked(sum);
            truth += feature.n_bins;
        }
    }
    return sums;
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

std::uint8_t signs_of(std::span<const std::uint32_t> literals, AllowedSigns signs) {
    std::uint8_t allowed = kPositive | kNegative;
    for (const std::uint32_t literal : literals) allowed &= signs[literal];
    return allowed;
}

Candidate make_candidate(const Table& table, Literals literals, AllowedSigns signs) {
    Words rows = table.rows(literals);
    const std::uint8_t allowed = signs_of(literals, signs);
    return {std::move(literals), std::move(rows), allowed};
}

}  // namespace clausal::scorecard
