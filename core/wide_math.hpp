// Products and quotients of more than 64 bits, from operations on 64 bits: not every compiler has a wider
// type.
#pragma once

#include <cstdint>

namespace clausal {

// floor(a * b / 2^64). With a = a1 a0 and b = b1 b0 in halves of 32 bits, four products of 64 bits:
//
//              a0 b0
//        a1 b0            a product and two more halves do not overflow:
//        a0 b1            (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1
//   a1 b1
constexpr std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t kLow = 0xFFFFFFFFu;
    const std::uint64_t a0 = a & kLow, a1 = a >> 32, b0 = b & kLow, b1 = b >> 32;
    const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    return a1 * b1 + (middle >> 32) + ((a0 * b1 + (middle & kLow)) >> 32);
}

// floor(part * 2^32 / whole) for part <= whole <= 2^48: where that overflows, a long division, 16 bits of the
// quotient at a time.
constexpr std::uint64_t share_of(std::uint64_t part, std::uint64_t whole) {
    if (part >> 32 == 0) return (part << 32) / whole;
    if (part == whole) return std::uint64_t{1} << 32;
    const std::uint64_t high = (part << 16) / whole, rest = (part << 16) % whole;
    return high << 16 | (rest << 16) / whole;
}

}  // namespace clausal
