// How strongly a wrong number is corrected, where a machine learns numbers: the chance of feedback is the
// slope of a loss. Twin of NumericLoss in src/clausal/engine/feedback.py. Not here: what the feedback does
// (feedback.hpp).
#pragma once

#include <cstdint>

#include "core/wide_math.hpp"

namespace clausal {

constexpr unsigned kTargetBits = 30;  // a number is given as its share of the range, in units of 2^-30

// Chances are in units of 2^-32, with a constant c that says how fast a machine learns.
//
//   loss             proportional   rise (vote too low)   fall (vote too high)
//   squared_error    yes            1                     1
//   absolute_error   no             c / 2                 c / 2
//   quantile q       no             c q                   c (1 - q)
struct NumericLoss {
    std::uint64_t rise = 0, fall = 0;  // both 0 where classes are learned
    bool proportional = false;         // to the error as a share of T

    bool is_given() const { return (rise | fall) != 0; }

    // `error` is the vote minus the target, from -threshold to threshold.
    std::uint64_t chance(std::int64_t error, std::int64_t threshold) const {
        const std::uint64_t most = error == 0 ? 0 : error < 0 ? rise : fall;
        if (!proportional) return most;
        const auto size = static_cast<std::uint64_t>(error < 0 ? -error : error);
        const auto whole = static_cast<std::uint64_t>(threshold);
        return size >= whole ? most : (share_of(size, whole) * most) >> 32;
    }

    // Calls visit(name, member) for each field, by the name it has in Python.
    template <class Visit>
    static void visit_fields(const Visit& visit) {
        visit("rise", &NumericLoss::rise);
        visit("fall", &NumericLoss::fall);
        visit("proportional", &NumericLoss::proportional);
    }
};

// The vote to aim at for a share of the range: rounded up with the probability that makes its mean right.
inline std::int64_t rounded_target(std::uint64_t share, std::int64_t threshold, std::uint64_t draw) {
    constexpr std::uint64_t kFraction = (std::uint64_t{1} << kTargetBits) - 1;
    const auto whole = static_cast<std::uint64_t>(threshold);  // in two parts, so that nothing overflows
    const std::uint64_t low = share * (whole & kFraction) + (draw >> (64 - kTargetBits));
    return static_cast<std::int64_t>(share * (whole >> kTargetBits) + (low >> kTargetBits));
}

}  // namespace clausal
