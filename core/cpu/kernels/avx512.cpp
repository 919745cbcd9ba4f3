// The kernels for AVX-512 (F, DQ, VL): 512 automata per instruction.
#include <immintrin.h>

#include "core/cpu/kernels/kernels.hpp"
#define CLAUSAL_REGISTER_WORDS 8
#include "core/cpu/kernels/words.hpp"
#include "core/random.hpp"

#if !defined(__AVX512F__) || !defined(__AVX512DQ__) || !defined(__AVX512VL__)
#error "compile this file with AVX-512 F, DQ and VL enabled"
#endif

namespace clausal::avx512 {
namespace {

struct Lanes {
    static constexpr unsigned kLevels = 8;
    static constexpr std::size_t kAtOnce = 4;
    typedef Words Wide;

    static __m512i broadcast(std::uint64_t value) { return _mm512_set1_epi64(static_cast<long long>(value)); }

    static void hash(std::uint64_t start, std::uint64_t* out) {
        const __m512i index = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
        __m512i x = _mm512_add_epi64(broadcast(start), _mm512_mullo_epi64(index, broadcast(kGolden)));
        x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 30)), broadcast(kMix1));
        x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 27)), broadcast(kMix2));
        x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 31));
        _mm512_storeu_si512(out, x);
    }

    static std::uint64_t below(const std::uint64_t* words, std::uint32_t bound) {
        return _mm512_cmplt_epu32_mask(_mm512_load_si512(words), _mm512_set1_epi32(static_cast<int>(bound)));
    }

    static bool any(Words words) {
        const __m512i w = reinterpret_cast<__m512i>(words);
        return _mm512_test_epi64_mask(w, w) != 0;
    }

    static std::uint64_t zeros(Words words) {
        const __m512i w = reinterpret_cast<__m512i>(words);
        return _mm512_testn_epi64_mask(w, w);
    }

    static bool any(HalfWords words) {
        const __m256i w = reinterpret_cast<__m256i>(words);
        return !_mm256_testz_si256(w, w);
    }

    // The constant of the instruction lists its results:
    //
    //   bits a b              111 110 101 100 011 010 001 000
    //   where_different         0   1   1   0   0   0   0   0      0x60
    //   where_equal             1   0   0   1   0   0   0   0      0x90
    static Words where_different(Words bits, Words a, Words b) {
        return reinterpret_cast<Words>(_mm512_ternarylogic_epi64(reinterpret_cast<__m512i>(bits),
                                                                 reinterpret_cast<__m512i>(a),
                                                                 reinterpret_cast<__m512i>(b), 0x60));
    }
    static HalfWords where_different(HalfWords bits, HalfWords a, HalfWords b) { return bits & (a ^ b); }

    static Words where_equal(Words bits, Words a, Words b) {
        return reinterpret_cast<Words>(_mm512_ternarylogic_epi64(reinterpret_cast<__m512i>(bits),
                                                                 reinterpret_cast<__m512i>(a),
                                                                 reinterpret_cast<__m512i>(b), 0x90));
    }
    static HalfWords where_equal(HalfWords bits, HalfWords a, HalfWords b) { return bits & ~(a ^ b); }

    static Words add_where(Words sums, const std::int32_t* points, std::uint64_t eight) {
        const __m256i values = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(points));
        const __m512i before = reinterpret_cast<__m512i>(sums);
        return reinterpret_cast<Words>(_mm512_mask_add_epi64(before, static_cast<__mmask8>(eight), before,
                                                             _mm512_cvtepi32_epi64(values)));
    }

    // 64 bytes as bits; in halves, as after the wider comparison GCC keeps words in mask registers.
    static std::uint64_t truth(const std::uint8_t* bytes, Wide& seen) {
        const __m512i both = _mm512_loadu_si512(bytes);
        seen |= reinterpret_cast<Wide>(both);
        const __m256i zero = _mm256_setzero_si256();
        const __m256i low = _mm256_cmpeq_epi8(_mm512_castsi512_si256(both), zero);
        const __m256i high = _mm256_cmpeq_epi8(_mm512_extracti64x4_epi64(both, 1), zero);
        const auto a = static_cast<std::uint32_t>(_mm256_movemask_epi8(low));
        const auto b = static_cast<std::uint32_t>(_mm256_movemask_epi8(high));
        return ~(a | static_cast<std::uint64_t>(b) << 32);
    }

    static constexpr unsigned kNumbers = 8;
    static unsigned at_most(const double* values, double mark) {
        return _mm512_cmp_pd_mask(_mm512_loadu_pd(values), _mm512_set1_pd(mark), _CMP_LE_OQ);
    }
    static unsigned equal(const double* values, double mark) {
        return _mm512_cmp_pd_mask(_mm512_loadu_pd(values), _mm512_set1_pd(mark), _CMP_EQ_OQ);
    }
};

#include "core/cpu/kernels/kernels.inl"

}  // namespace

extern const Kernels table;
const Kernels table = kernels_as("avx512");

}  // namespace clausal::avx512
