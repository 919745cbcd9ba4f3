// See loss.hpp.
#include "core/scorecard/loss.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace clausal::scorecard {
namespace {

// 2^37: the loss of a row is below 2^20 * (16 + log(banks)), and so is what its shares add to it.
constexpr double kMaxTotalWeight = 137438953472.0;
constexpr int kMaxWeightBits = 24;
constexpr int kPackedBits = 30;

}  // namespace

Functions::Functions() {
    for (std::int32_t score = -kMaxScore; score <= kMaxScore; ++score) {
        const double power = exact_exp(static_cast<double>(score) / kScoreUnit);
        const double p = power / (1.0 + power);
        sigmoid.push_back({static_cast<std::int32_t>(fixed(p)),
                           static_cast<std::int32_t>(std::max<std::int64_t>(fixed(p / (1.0 + power)), 1))});
        softplus.push_back(static_cast<std::int32_t>(fixed(exact_log(1.0 + power))));
        exponential.push_back(power);
    }
}

const Functions& functions() {
    static const Functions tables;
    return tables;
}

Scores::Scores(std::size_t n_banks, std::size_t n_rows)
    : values_(n_banks, std::vector<std::int32_t>(n_rows, 0)),
      powers_(n_banks == 1 ? 0 : n_rows * n_banks, 1.0),
      sums_(n_banks == 1 ? 0 : n_rows, static_cast<double>(n_banks)),
      exponential_(functions().exponential.data()) {}

Scores Scores::spread(std::span<const std::uint32_t> group) const {
    Scores result(n_banks(), group.size());
    for (std::size_t bank = 0; bank < n_banks(); ++bank)
        for (std::size_t row = 0; row < group.size(); ++row)
            result.values_[bank][row] = values_[bank][group[row]];
    for (std::size_t row = 0; row < result.sums_.size(); ++row) {
        result.sums_[row] = sums_[group[row]];
        for (std::size_t bank = 0; bank < n_banks(); ++bank)
            result.powers_[row * n_banks() + bank] = powers_[group[row] * n_banks() + bank];
    }
    return result;
}

Loss::Loss(std::size_t n_banks, std::span<const double> weights, std::span<const double> shares)
    : n_banks_(n_banks), sigmoid_(functions().sigmoid.data()), softplus_(functions().softplus.data()) {
    double total = 0.0;
    for (const double weight : weights) total += std::ceil(weight);  // exact in any order
    int bits = kMaxWeightBits;
    while (bits > -64 && std::ldexp(total, bits) > kMaxTotalWeight) --bits;
    unit_ = std::ldexp(1.0, -bits - kFractionBits);
    weights_.reserve(weights.size());
    for (const double weight : weights)
        weights_.push_back(static_cast<std::int64_t>(std::rint(std::ldexp(weight, bits))));
    shares_.reserve(shares.size());
    for (std::size_t bank = 0; bank < n_banks; ++bank)
        for (std::size_t row = 0; row < weights.size(); ++row)
            shares_.push_back(static_cast<std::int64_t>(
                std::rint(static_cast<double>(weights_[row]) * shares[bank * weights.size() + row])));
}

Loss Loss::grouped(std::span<const std::uint32_t> group, std::size_t n_groups) const {
    Loss result = *this;
    result.weights_.assign(n_groups, 0);
    result.shares_.assign(n_banks_ * n_groups, 0);
    for (std::size_t row = 0; row < n_rows(); ++row) {
        result.weights_[group[row]] += weights_[row];
        for (std::size_t bank = 0; bank < n_banks_; ++bank)
            result.shares_[bank * n_groups + group[row]] += shares_[bank * n_rows() + row];
    }
    return result;
}

int Loss::packing_shift() const {
    std::int64_t total = 0;
    for (const std::int64_t weight : weights_) total += weight;
    const auto width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(total)));
    return std::max(0, width + kFractionBits - kPackedBits);
}

std::int64_t Loss::total(const Scores& scores) const {
    std::int64_t sum = 0;
    for (std::size_t row = 0; row < n_rows(); ++row) sum += of_one(scores, row);
    return sum;
}

}  // namespace clausal::scorecard
