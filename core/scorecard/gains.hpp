// Sums of derivatives over the rows of literals, and how much a rule with such sums would lower the loss.
// Not here: which rules are compared (conjunctions.cpp, path.cpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/scorecard/model.hpp"

namespace clausal::scorecard {

using AllowedSigns = std::span<const std::uint8_t>;  // of each literal, 0 where it is forbidden
using Literals = std::vector<std::uint32_t>;

constexpr double kMinGain = 1e-3;  // of the loss; smaller gains are ignored

// The sums for each literal of a table; only over `rows`, if given. Each feature is read once: the sums of a
// literal are those of the bins where it is true.
std::vector<Derivatives> literal_sums(const Table& table, std::span<const Derivatives> derivatives,
                                      const Words* rows = nullptr);
Derivatives sum_over(std::span<const Derivatives> derivatives, const Words& rows);
Derivatives sum_of(std::span<const Derivatives> derivatives);

// An estimate of how much a rule lowers the objective, and of its coefficient, in log-odds. The gain is 0 if
// the sign of the coefficient is not allowed.
struct Gain {
    double gain = 0.0;
    double coefficient = 0.0;
};

// One Newton step for the rule and the offset together; `all` are the sums over all rows.
Gain estimate(const Loss& loss, const Derivatives& sum, const Derivatives& all, double ridge,
              std::uint8_t signs);

// The signs that all literals allow.
std::uint8_t signs_of(std::span<const std::uint32_t> literals, AllowedSigns signs);
Candidate make_candidate(const Table& table, Literals literals, AllowedSigns signs);

}  // namespace clausal::scorecard
