// Rows of bits in 64-bit words: how many words, masks, loops over set bits, transposition.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace clausal {

// Words that hold n bits.
constexpr std::size_t words_of(std::size_t n) { return (n + 63) / 64; }

// The words of a row of literals: each column and its negation.
constexpr std::size_t words_per_row(std::size_t n_columns) { return words_of(2 * n_columns); }

// The lowest n bits, 0 to 64.
constexpr std::uint64_t low_bits(std::size_t n) {
    return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
}

// visit(k) for every set bit k, lowest first.
//
//   bits              0 1 1 0 1 0 0 0
//   bits - 1          0 1 1 0 0 1 1 1
//   bits & bits - 1   0 1 1 0 0 0 0 0      the lowest set bit is gone
template <class Visit>
void for_each_bit(std::uint64_t bits, const Visit& visit) {
    for (; bits; bits &= bits - 1) visit(static_cast<std::size_t>(std::countr_zero(bits)));
}

// Transposes 8 x 8 bits: bit i of byte p becomes bit p of byte i. Neighbouring bits change places across the
// diagonal, then squares of 2 x 2 bits, then of 4 x 4 (drawn for 4 x 4 bits):
//
//   a b | c d        a e | c g        a e i m
//   e f | g h        b f | d h        b f j n
//   ----+----   ->   ----+----   ->   c g k o
//   i j | k l        i m | k o        d h l p
//   m n | o p        j n | l p
constexpr std::uint64_t transposed_8x8(std::uint64_t bits) {
    std::uint64_t swapped = (bits ^ (bits >> 7)) & 0x00AA00AA00AA00AAu;
    bits ^= swapped ^ (swapped << 7);
    swapped = (bits ^ (bits >> 14)) & 0x0000CCCC0000CCCCu;
    bits ^= swapped ^ (swapped << 14);
    swapped = (bits ^ (bits >> 28)) & 0x00000000F0F0F0F0u;
    return bits ^ swapped ^ (swapped << 28);
}

}  // namespace clausal
