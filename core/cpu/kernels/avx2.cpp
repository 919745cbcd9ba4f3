// The kernels for AVX2: 256 automata per instruction.
#include <immintrin.h>

#include "core/cpu/kernels/kernels.hpp"
#define CLAUSAL_REGISTER_WORDS 4
#include "core/cpu/kernels/words.hpp"
#include "core/random.hpp"

#ifndef __AVX2__
#error "compile this file with AVX2 enabled"
#endif

namespace clausal::avx2 {
namespace {

struct Lanes : PlainLanes {
    static constexpr unsigned kLevels = 4;
    static constexpr std::size_t kAtOnce = 1;
    typedef std::uint64_t Wide __attribute__((vector_size(32)));

    static __m256i multiply(__m256i a, std::uint64_t factor) {
        const __m256i b = _mm256_set1_epi64x(static_cast<long long>(factor));
        const __m256i b_high = _mm256_set1_epi64x(static_cast<long long>(factor >> 32));
        const __m256i cross =
            _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(a, 32), b), _mm256_mul_epu32(a, b_high));
        return _mm256_add_epi64(_mm256_mul_epu32(a, b), _mm256_slli_epi64(cross, 32));
    }

    static void hash(std::uint64_t start, std::uint64_t* out) {
        __m256i x = _mm256_add_epi64(
            _mm256_set1_epi64x(static_cast<long long>(start)),
            _mm256_set_epi64x(static_cast<long long>(3 * kGolden), static_cast<long long>(2 * kGolden),
                              static_cast<long long>(kGolden), 0));
        x = multiply(_mm256_xor_si256(x, _mm256_srli_epi64(x, 30)), kMix1);
        x = multiply(_mm256_xor_si256(x, _mm256_srli_epi64(x, 27)), kMix2);
        x = _mm256_xor_si256(x, _mm256_srli_epi64(x, 31));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), x);
    }

    static __m256i load(const std::uint8_t* p) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    }

    static std::uint64_t join(__m256i low, __m256i high) {
        const auto a = static_cast<std::uint32_t>(_mm256_movemask_epi8(low));
        const auto b = static_cast<std::uint32_t>(_mm256_movemask_epi8(high));
        return a | static_cast<std::uint64_t>(b) << 32;
    }

    static std::uint64_t below(const std::uint64_t* words, std::uint32_t bound) {
        const __m256i flip = _mm256_set1_epi32(static_cast<int>(0x80000000u));  // unsigned order as signed
        const __m256i draws = load(reinterpret_cast<const std::uint8_t*>(words));
        const __m256i hit =
            _mm256_cmpgt_epi32(_mm256_xor_si256(_mm256_set1_epi32(static_cast<int>(bound)), flip),
                               _mm256_xor_si256(draws, flip));
        return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(hit)));
    }

    static bool any(HalfWords words) {
        const __m256i w = reinterpret_cast<__m256i>(words);
        return !_mm256_testz_si256(w, w);
    }

    static bool any(Words words) { return any(words.low | words.high); }

    static std::uint64_t zeros(Words words) {
        const auto half = [](HalfWords w) {
            const __m256i zero = _mm256_cmpeq_epi64(reinterpret_cast<__m256i>(w), _mm256_setzero_si256());
            return static_cast<std::uint64_t>(_mm256_movemask_pd(_mm256_castsi256_pd(zero)));
        };
        return half(words.low) | half(words.high) << 4;
    }

    static std::uint64_t truth(const std::uint8_t* bytes, Wide& seen) {
        const __m256i low = load(bytes);
        const __m256i high = load(bytes + 32);
        seen |= reinterpret_cast<Wide>(_mm256_or_si256(low, high));
        const __m256i zero = _mm256_setzero_si256();
        return ~join(_mm256_cmpeq_epi8(low, zero), _mm256_cmpeq_epi8(high, zero));
    }

    static constexpr unsigned kNumbers = 4;
    static unsigned bits(__m256d hit) { return static_cast<unsigned>(_mm256_movemask_pd(hit)); }
    static unsigned at_most(const double* values, double mark) {
        return bits(_mm256_cmp_pd(_mm256_loadu_pd(values), _mm256_set1_pd(mark), _CMP_LE_OQ));
    }
    static unsigned equal(const double* values, double mark) {
        return bits(_mm256_cmp_pd(_mm256_loadu_pd(values), _mm256_set1_pd(mark), _CMP_EQ_OQ));
    }
};

#include "core/cpu/kernels/kernels.inl"

}  // namespace

extern const Kernels table;
const Kernels table = kernels_as("avx2");

}  // namespace clausal::avx2
