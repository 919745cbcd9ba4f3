// What stands in for wider types and for the compiler's library, beside slow or other ways to the same.
#include "tests/native/platform_tests.hpp"

#include <cstdint>

#if defined(__x86_64__)
#include "core/cpu/kernels/processor.hpp"
#endif
#include "core/random.hpp"
#include "core/wide_math.hpp"

using namespace clausal;

// Against a long multiplication, and a long division, bit by bit.
void test_wide_math(const Expect& expect) {
    for (std::uint64_t i = 0; i < 4096; ++i) {
        const std::uint64_t ones = ~std::uint64_t{0};
        const std::uint64_t a = i % 5 ? draw(7, i) >> i % 64 : ones, b = i % 7 ? draw(8, i) : ones;
        std::uint64_t high = 0, low = 0;
        for (int bit = 63; bit >= 0; --bit) {  // twice the sum so far, plus b where a has the bit
            high = high << 1 | low >> 63;
            low <<= 1;
            if (a >> bit & 1u) high += (low += b) < b;
        }
        expect(multiply_high(a, b) == high, "the high word of a product");
        const std::uint64_t whole = (draw(9, i) >> 16 >> i % 40) + 1;
        const std::uint64_t part = i % 11 ? draw(10, i) % whole : whole;
        std::uint64_t rest = part, quotient = 0;
        for (int bit = 32; bit >= 0; --bit, rest *= 2) {
            quotient = quotient << 1 | std::uint64_t{rest >= whole};
            if (rest >= whole) rest -= whole;
        }
        expect(share_of(part, whole) == quotient, "a share in units of 2^-32");
    }
}

#if defined(__x86_64__)
// What this processor offers, as the compiler's own library sees it.
void test_processor(const Expect& expect) {
    __builtin_cpu_init();
    const Processor here = Processor::here();
    expect(here.avx2 == (__builtin_cpu_supports("avx2") != 0), "AVX2 is found where it is");
    expect(here.avx512 == (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                           __builtin_cpu_supports("avx512vl")),
           "AVX-512 is found where it is");
}
#else
void test_processor(const Expect&) {}
#endif
