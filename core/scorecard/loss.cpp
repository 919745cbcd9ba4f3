// See loss.hpp.
#include "core/scorecard/loss.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace clausal::scorecard {
namespace {

// 2^37: the loss of a row is below 2^20 * (16 + log(banks)), and so is what its shares add to it. 2^34 for
// numbers, whose loss is below 2^27.
constexpr double kMaxTotalWeight = 137438953472.0, kMaxNumberWeight = 17179869184.0;
constexpr int kMaxWeightBits = 24;
constexpr int kPackedBits = 30;
constexpr std::int32_t kSmooth = kScoreUnit / 8;     // within it, the quantile loss is a parabola
constexpr std::int32_t kMaxShift = 12 * kScoreUnit;  // farther targets count as this: f is linear there

}  // namespace

Functions::Functions(LossKind kind) {
    for (std::int32_t score = -kMaxScore; score <= kMaxScore; ++score) {
        if (kind == LossKind::kLogistic) add_logistic(score);
        if (kind == LossKind::kSquared) add_squared(score);
        if (kind == LossKind::kQuantile) add_quantile(score);
    }
}

void Functions::add_logistic(std::int32_t score) {
    const double power = exact_exp(static_cast<double>(score) / kScoreUnit);
    const double p = power / (1.0 + power);
    slopes.push_back({static_cast<std::int32_t>(fixed(p)),
                      static_cast<std::int32_t>(std::max<std::int64_t>(fixed(p / (1.0 + power)), 1))});
    values.push_back(static_cast<std::int32_t>(fixed(exact_log(1.0 + power))));
    exponential.push_back(power);
}

void Functions::add_squared(std::int32_t score) {
    constexpr std::int32_t kOne = 1 << kFractionBits;
    slopes.push_back({score * (kOne / kScoreUnit), kOne});
    values.push_back(score * score * (kOne / kScoreUnit / kScoreUnit / 2));
}

void Functions::add_quantile(std::int32_t score) {
    constexpr std::int32_t kOne = 1 << kFractionBits;
    const std::int32_t size = std::abs(score), far = std::max(size, kSmooth);
    const std::int32_t parabola = size * size * (kOne / kScoreUnit / kSmooth / 2);
    values.push_back(size < kSmooth ? parabola : (2 * size - kSmooth) * (kOne / kScoreUnit / 2));
    slopes.push_back({std::clamp(score, -kSmooth, kSmooth) * (kOne / kSmooth), kOne / far * kScoreUnit});
}

const Functions& functions(LossKind kind) {
    static const Functions logistic(LossKind::kLogistic), squared(LossKind::kSquared),
        quantile(LossKind::kQuantile);
    if (kind == LossKind::kLogistic) return logistic;
    return kind == LossKind::kSquared ? squared : quantile;
}

Scores::Scores(std::size_t n_banks, std::size_t n_rows)
    : values_(n_banks, std::vector<std::int32_t>(n_rows, 0)),
      powers_(n_banks == 1 ? 0 : n_rows * n_banks, 1.0),
      sums_(n_banks == 1 ? 0 : n_rows, static_cast<double>(n_banks)),
      exponential_(functions(LossKind::kLogistic).exponential.data()) {}

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

Loss::Loss(LossKind kind, std::size_t n_banks)
    : kind_(kind),
      n_banks_(n_banks),
      slopes_(functions(kind).slopes.data()),
      values_(functions(kind).values.data()) {}

void Loss::set_weights(std::span<const double> weights, double total, double max_total) {
    int bits = kMaxWeightBits;
    while (bits > -64 && std::ldexp(total, bits) > max_total) --bits;
    unit_ = std::ldexp(1.0, -bits - kFractionBits);
    weights_.reserve(weights.size());
    for (const double weight : weights)
        weights_.push_back(static_cast<std::int64_t>(std::rint(std::ldexp(weight, bits))));
}

Loss::Loss(std::size_t n_banks, std::span<const double> weights, std::span<const double> shares)
    : Loss(LossKind::kLogistic, n_banks) {
    double total = 0.0;
    for (const double weight : weights) total += std::ceil(weight);  // exact in any order
    set_weights(weights, total, kMaxTotalWeight);
    shares_.reserve(shares.size());
    for (std::size_t bank = 0; bank < n_banks; ++bank)
        for (std::size_t row = 0; row < weights.size(); ++row)
            shares_.push_back(static_cast<std::int64_t>(
                std::rint(static_cast<double>(weights_[row]) * shares[bank * weights.size() + row])));
}

Loss::Loss(LossKind kind, double quantile, std::span<const double> weights, std::span<const double> targets)
    : Loss(kind, 1) {
    const bool squared = kind == LossKind::kSquared;
    double total = 0.0;
    for (std::size_t row = 0; row < weights.size(); ++row)
        total += std::ceil(weights[row] * (squared ? std::max(std::abs(targets[row]), 1.0) : 1.0));
    set_weights(weights, total, kMaxNumberWeight);
    shares_.reserve(weights.size());
    for (std::size_t row = 0; row < weights.size(); ++row) {
        const double share = squared ? targets[row] : 2.0 * quantile - 1.0;
        shares_.push_back(static_cast<std::int64_t>(std::rint(static_cast<double>(weights_[row]) * share)));
        if (!squared)
            shifts_.push_back(static_cast<std::int32_t>(
                std::rint(std::clamp(targets[row] * kScoreUnit, -1.0 * kMaxShift, 1.0 * kMaxShift))));
    }
}

Loss Loss::grouped(std::span<const std::uint32_t> group, std::size_t n_groups) const {
    Loss result = *this;
    result.weights_.assign(n_groups, 0);
    result.shares_.assign(n_banks_ * n_groups, 0);
    if (!shifts_.empty()) result.shifts_.assign(n_groups, 0);
    for (std::size_t row = 0; row < n_rows(); ++row) {
        result.weights_[group[row]] += weights_[row];
        if (!shifts_.empty()) result.shifts_[group[row]] = shifts_[row];
        for (std::size_t bank = 0; bank < n_banks_; ++bank)
            result.shares_[bank * n_groups + group[row]] += shares_[bank * n_rows() + row];
    }
    return result;
}

int Loss::packing_shift(const Scores& scores) const {
    std::int64_t total = 0;
    if (kind_ == LossKind::kLogistic) {  // no derivative is larger than the weight
        for (const std::int64_t weight : weights_) total += weight << kFractionBits;
    } else {
        for (std::size_t row = 0; row < n_rows(); ++row) {
            const Derivatives own = of_row(scores, 0, row);
            total += std::max(std::abs(own.gradient), own.curvature);
        }
    }
    return std::max(0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(total))) - kPackedBits);
}

std::int64_t Loss::total(const Scores& scores) const {
    std::int64_t sum = 0;
    for (std::size_t row = 0; row < n_rows(); ++row) sum += of_one(scores, row);
    return sum;
}

}  // namespace clausal::scorecard
