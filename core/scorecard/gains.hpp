// Sums of derivatives over the rows of literals, and how much a rule with such sums would lower the loss.
// Not here: which rules are compared (conjunctions.cpp, greedy_search.cpp).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/scorecard/model.hpp"

namespace clausal::scorecard {

constexpr double kMinGain = 1e-3;  // of the loss; smaller gains are ignored

// The derivatives of all rows for one bank, rounded down so that both fit into one word and are added at
// once:
//
//   bits 63 to 32: the gradient, signed      bits 31 to 0: the curvature
//
// A unit is about 2^-30 of the total weight, so that no sum overflows its half.
class RowDerivatives {
  public:
    void compute(const Loss& loss, const Scores& scores, std::size_t bank);

    // Over all rows, over some, and for each literal that a search begins with, over all rows or some; 0 for
    // others. Each feature is read once: the sums of a literal are those of the bins where it is true.
    Derivatives sum() const;
    Derivatives sum(const Words& rows) const;
    std::vector<Derivatives> literal_sums(const Table& table, const Words* rows = nullptr) const;

    std::span<const std::int64_t> rows() const { return rows_; }
    Derivatives unpacked(std::int64_t sum) const {
        const std::int64_t curvature = sum & 0xFFFFFFFF;
        return {((sum - curvature) >> 32) * (std::int64_t{1} << shift_), curvature << shift_};
    }

  private:
    template <std::size_t N, class Bin>
    void add_literal_sums(const Feature* features, const std::array<const Bin*, N>& bin_of, const Words* rows,
                          std::vector<Derivatives>& sums) const;

    std::vector<std::int64_t> rows_;
    int shift_ = 0;
};

// An estimate of how much a rule lowers the objective, and of its coefficient, in log-odds. The gain is 0 if
// the sign of the coefficient is not allowed.
struct Gain {
    double gain = 0.0;
    double coefficient = 0.0;
};

// One Newton step for the rule and the offset together; `all` are the sums over all rows.
Gain estimate(const Loss& loss, const Derivatives& sum, const Derivatives& all, double ridge,
              std::uint8_t signs);

}  // namespace clausal::scorecard
