// The comparisons, each function compiled for its own instruction set; nothing here is inlined elsewhere.
#include "core/cpu/compare.hpp"

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace clausal {

namespace {

template <class Holds>
std::uint64_t plain(const double* values, const Holds& holds) {
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < 64; ++i) bits |= static_cast<std::uint64_t>(holds(values[i])) << i;
    return bits;
}

std::uint64_t plain_at_most(const double* values, double mark) {
    return plain(values, [mark](double value) { return value <= mark; });
}

std::uint64_t plain_equal(const double* values, double mark) {
    return plain(values, [mark](double value) { return value == mark; });
}

#if defined(__x86_64__)

// A template cannot carry a target attribute through a lambda, so these are written out by a macro.
#define CLAUSAL_COMPARE(name, predicate)                                                                \
    __attribute__((target("avx2"))) std::uint64_t avx2_##name(const double* values, double mark) {      \
        const __m256d marks = _mm256_set1_pd(mark);                                                     \
        std::uint64_t bits = 0;                                                                         \
        for (unsigned i = 0; i < 64; i += 4) {                                                          \
            const int hit =                                                                             \
                _mm256_movemask_pd(_mm256_cmp_pd(_mm256_loadu_pd(values + i), marks, predicate));       \
            bits |= static_cast<std::uint64_t>(static_cast<unsigned>(hit)) << i;                        \
        }                                                                                               \
        return bits;                                                                                    \
    }                                                                                                   \
    __attribute__((target("avx512f"))) std::uint64_t avx512_##name(const double* values, double mark) { \
        const __m512d marks = _mm512_set1_pd(mark);                                                     \
        std::uint64_t bits = 0;                                                                         \
        for (unsigned i = 0; i < 64; i += 8) {                                                          \
            const __mmask8 hit = _mm512_cmp_pd_mask(_mm512_loadu_pd(values + i), marks, predicate);     \
            bits |= static_cast<std::uint64_t>(hit) << i;                                               \
        }                                                                                               \
        return bits;                                                                                    \
    }

CLAUSAL_COMPARE(at_most, _CMP_LE_OQ)
CLAUSAL_COMPARE(equal, _CMP_EQ_OQ)

#endif

}  // namespace

Compare compare_named(const char* isa) {
#if defined(__x86_64__)
    if (std::strcmp(isa, "avx512") == 0) return {avx512_at_most, avx512_equal};
    if (std::strcmp(isa, "avx2") == 0) return {avx2_at_most, avx2_equal};
#endif
    (void)isa;
    return {plain_at_most, plain_equal};
}

}  // namespace clausal
