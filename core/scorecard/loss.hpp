// The loss of a scorecard in fixed-point numbers: sums over rows are sums of integers, so they do not depend
// on the order of the rows, on threads or on instruction sets.
//
// A score counts 1/256 of log-odds, or of the scale of the numbers that are predicted. Derivatives and losses
// of one unit of weight count 2^-20; weights count a power of two that keeps every sum below 2^63.
//
// With one bank, every loss of a row is weight * f(score - shift) - share * (score - shift), where f is a
// table:
//
//   loss       f(x)                                             share                     shift
//   logistic   log(1 + exp(x))                                  weight of the positive    0
//   squared    x^2 / 2                                          weight * target           0
//   quantile   |x| - d / 2; x^2 / (2 d) for |x| below d = 1/8   weight * (2 quantile - 1) target
//
// So rows with equal scores and shifts count as one. K banks: the softmax of the scores.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/scorecard/exact_math.hpp"

namespace clausal::scorecard {

constexpr std::int32_t kScoreUnit = 256;             // of log-odds
constexpr std::int32_t kMaxScore = 16 * kScoreUnit;  // larger scores count as this
constexpr int kFractionBits = 20;
constexpr double kMaxTarget = 65536.0;  // in units of the scale

enum class LossKind : std::uint8_t { kLogistic, kSquared, kQuantile };

inline std::int64_t fixed(double value) {
    return static_cast<std::int64_t>(std::rint(value * (1 << kFractionBits)));
}

// Minus the first derivative of the loss, and the second one, or sums of them over rows.
struct Derivatives {
    std::int64_t gradient = 0;
    std::int64_t curvature = 0;
    Derivatives& operator+=(const Derivatives& other) {
        gradient += other.gradient;
        curvature += other.curvature;
        return *this;
    }
};

// Functions of a score from -kMaxScore on: f, its derivative and the curvature of Newton steps; with several
// banks, the exponential. The curvature is the second derivative or, of the quantile loss, that of the
// parabola which touches f and is nowhere below it, so that no step overshoots.
struct Functions {
    struct Slope {
        std::int32_t value, curvature;
    };
    std::vector<Slope> slopes;
    std::vector<std::int32_t> values;
    std::vector<double> exponential;
    explicit Functions(LossKind kind);

  private:
    void add_logistic(std::int32_t score);
    void add_squared(std::int32_t score);
    void add_quantile(std::int32_t score);
};
const Functions& functions(LossKind kind);

inline std::size_t index_of(std::int32_t score) {
    return static_cast<std::size_t>(std::clamp(score, -kMaxScore, kMaxScore) + kMaxScore);
}

// The scores [banks][rows] and, with several banks, their exponentials and the sum of these in each row.
class Scores {
  public:
    Scores(std::size_t n_banks, std::size_t n_rows);
    std::size_t n_rows() const { return values_[0].size(); }
    std::size_t n_banks() const { return values_.size(); }
    std::int32_t operator()(std::size_t bank, std::size_t row) const { return values_[bank][row]; }
    const std::int32_t* bank(std::size_t k) const { return values_[k].data(); }
    double sum(std::size_t row) const { return sums_[row]; }
    void add(std::size_t bank, std::size_t row, std::int32_t amount) {
        std::int32_t& value = values_[bank][row];
        value += amount;
        if (sums_.empty()) return;
        double* powers = powers_.data() + row * values_.size();
        powers[bank] = exponential_[index_of(value)];
        double sum = 0.0;
        for (std::size_t k = 0; k < values_.size(); ++k) sum += powers[k];
        sums_[row] = sum;
    }
    // The scores of rows, from those of their groups; `group` [n].
    Scores spread(std::span<const std::uint32_t> group) const;
    double power(std::size_t bank, std::size_t row) const { return powers_[row * values_.size() + bank]; }

  private:
    std::vector<std::vector<std::int32_t>> values_;
    std::vector<double> powers_, sums_;  // [rows, banks] and [rows]; empty with one bank
    const double* exponential_;
};

class Loss {
  public:
    // weights [n]; shares [banks, n], of a bank's class (the positive class, with one bank).
    Loss(std::size_t n_banks, std::span<const double> weights, std::span<const double> shares);
    // weights [n]; targets [n] in units of their scale, at most kMaxTarget in size; not the logistic loss.
    Loss(LossKind kind, double quantile, std::span<const double> weights, std::span<const double> targets);

    std::size_t n_rows() const { return weights_.size(); }
    std::size_t n_banks() const { return n_banks_; }
    // A sum of derivatives or losses as a real number.
    double real(std::int64_t sum) const { return static_cast<double>(sum) * unit_; }
    Derivatives of_row(const Scores& scores, std::size_t bank, std::size_t row) const {
        if (n_banks_ == 1) return of_row_at(scores(0, row), row);
        const std::int64_t weight = weights_[row], share = shares_[bank * weights_.size() + row];
        const double ratio = scores.power(bank, row) / scores.sum(row);
        const auto p = static_cast<std::int64_t>(std::rint(ratio * (1 << kFractionBits)));
        const std::int64_t curvature = (p * ((1 << kFractionBits) - p)) >> kFractionBits;
        return {(share << kFractionBits) - weight * p, weight * std::max<std::int64_t>(curvature, 1)};
    }
    // By how many bits derivatives are shortened so that sums of them have at most 31 (gains.hpp).
    int packing_shift(const Scores& scores) const;
    // The loss of one row, and of all.
    std::int64_t of_one(const Scores& scores, std::size_t row) const {
        if (n_banks_ == 1) return of_one_at(scores(0, row), row);
        const std::size_t n = weights_.size();
        std::int64_t loss = weights_[row] * fixed(exact_log(scores.sum(row)));
        for (std::size_t bank = 0; bank < n_banks_; ++bank)
            loss -=
                shares_[bank * n + row] * kShareUnit * std::clamp(scores(bank, row), -kMaxScore, kMaxScore);
        return loss;
    }
    // The same for any score of the row; only with one bank.
    Derivatives of_row_at(std::int32_t score, std::size_t row) const {
        const Functions::Slope slope = slopes_[index_of(score - shift_of(row))];
        return {shares_[row] * (1 << kFractionBits) - weights_[row] * slope.value,
                weights_[row] * slope.curvature};
    }
    std::int64_t of_one_at(std::int32_t score, std::size_t row) const {
        const std::size_t index = index_of(score - shift_of(row));
        return weights_[row] * values_[index] -
               shares_[row] * kShareUnit * (static_cast<std::int64_t>(index) - kMaxScore);
    }
    std::int64_t total(const Scores& scores) const;
    // The shift of each row, or nothing if they are all 0: rows of different shifts cannot count as one.
    const std::vector<std::int32_t>& shifts() const { return shifts_; }
    // The loss of groups of rows that always have equal scores and shifts; `group` [n] is below n_groups.
    Loss grouped(std::span<const std::uint32_t> group, std::size_t n_groups) const;

  private:
    static constexpr std::int64_t kShareUnit = (1 << kFractionBits) / kScoreUnit;

    Loss(LossKind kind, std::size_t n_banks);
    // Weights as whole numbers; `total` is that of all rows or, with large targets, more.
    void set_weights(std::span<const double> weights, double total, double max_total);
    std::int32_t shift_of(std::size_t row) const { return shifts_.empty() ? 0 : shifts_[row]; }

    LossKind kind_;
    std::size_t n_banks_;
    std::vector<std::int64_t> weights_, shares_;
    std::vector<std::int32_t> shifts_;  // empty if they are all 0
    const Functions::Slope* slopes_;
    const std::int32_t* values_;
    double unit_ = 1.0;  // the real value of 1 in a sum
};

}  // namespace clausal::scorecard
