// See gains.hpp.
#include "core/scorecard/gains.hpp"

#include <algorithm>
#include <utility>

#include "core/bits.hpp"

namespace clausal::scorecard {

std::vector<Derivatives> literal_sums(const Table& table, std::span<const Derivatives> derivatives,
                                      const Words* rows) {
    std::vector<Derivatives> sums(table.n_literals());
    std::vector<Derivatives> bins;
    for (const Feature& feature : table.features()) {
        bins.assign(feature.n_bins, {});
        const std::uint16_t* bin = feature.bins.data();
        if (rows) {
            for (std::size_t word = 0; word < rows->size(); ++word)
                for_each_bit((*rows)[word],
                             [&](std::size_t k) { bins[bin[64 * word + k]] += derivatives[64 * word + k]; });
        } else {
            for (std::size_t row = 0; row < derivatives.size(); ++row) bins[bin[row]] += derivatives[row];
        }
        const std::uint8_t* truth = feature.truth.data();
        for (const std::uint32_t literal : feature.literals) {
            Derivatives sum;
            for (std::size_t k = 0; k < feature.n_bins; ++k) {
                const std::int64_t mask = -std::int64_t{truth[k]};  // no branch, as it could not be predicted
                sum += {bins[k].gradient & mask, bins[k].curvature & mask};
            }
            sums[literal] = sum;
            truth += feature.n_bins;
        }
    }
    return sums;
}

Derivatives sum_over(std::span<const Derivatives> derivatives, const Words& rows) {
    Derivatives sum;
    for (std::size_t word = 0; word < rows.size(); ++word)
        for_each_bit(rows[word], [&](std::size_t k) { sum += derivatives[64 * word + k]; });
    return sum;
}

Derivatives sum_of(std::span<const Derivatives> derivatives) {
    Derivatives sum;
    for (const Derivatives& row : derivatives) sum += row;
    return sum;
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
