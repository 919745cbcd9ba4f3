// Conditions on arguments: std::invalid_argument, which Python sees as ValueError, where one does not hold.
#pragma once

#include <span>
#include <stdexcept>
#include <string>

namespace clausal {

inline void require(bool holds, const char* message) {
    if (!holds) throw std::invalid_argument(message);
}

// All values from low to high; the message is made only where one is not.
template <class T, class Bound>
void require_range(const char* what, std::span<const T> values, Bound low, Bound high) {
    for (const T value : values)
        if (value < low || value > high)
            throw std::invalid_argument(std::string(what) + " must be from " + std::to_string(low) + " to " +
                                        std::to_string(high) + ". Got " + std::to_string(value) + ".");
}

// The value below a bound.
template <class T, class Bound>
void require_below(const char* what, T value, Bound bound) {
    if (value >= bound)
        throw std::invalid_argument(std::string(what) + " must be below " + std::to_string(bound) + ". Got " +
                                    std::to_string(value) + ".");
}

}  // namespace clausal
