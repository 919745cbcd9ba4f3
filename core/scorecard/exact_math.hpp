// exp and log from additions, multiplications and divisions of doubles only, which IEEE 754 rounds exactly:
// the same bits on every computer, as long as the compiler does not contract them (-ffp-contract=off).
// The relative error is below 1e-14. Not here: the fixed-point numbers made from them (loss.hpp).
#pragma once

#include <cmath>

namespace clausal::scorecard {

// e to the power of x, for |x| <= 700: 2^k times a polynomial of the rest, |rest| <= log(2) / 2.
inline double exact_exp(double x) {
    const double k = std::rint(x * 1.4426950408889634);
    const double rest = (x - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10;
    double sum = 1.0;
    for (int n = 14; n >= 1; --n) sum = 1.0 + sum * rest / n;
    return std::ldexp(sum, static_cast<int>(k));
}

// The natural logarithm of x > 0: that of 2^k, and 2 artanh((m - 1) / (m + 1)) for m from 0.7 to 1.4.
inline double exact_log(double x) {
    constexpr double kInverses[] = {1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13,
                                    1.0 / 11, 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3,  1.0};
    int k = 0;
    double m = std::frexp(x, &k);
    if (m < 0.70710678118654752) {
        m *= 2.0;
        --k;
    }
    const double ratio = (m - 1.0) / (m + 1.0), square = ratio * ratio;
    double sum = 0.0;
    for (const double inverse : kInverses) sum = sum * square + inverse;
    return 2.0 * ratio * sum + k * 0.6931471805599453;
}

}  // namespace clausal::scorecard
