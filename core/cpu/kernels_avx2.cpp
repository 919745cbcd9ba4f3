// The kernels for AVX2: 32 automata per instruction, masks spread from bits to bytes by a shuffle.
#include <immintrin.h>

#include "core/cpu/kernels.hpp"
#include "core/cpu/words.hpp"
#include "core/random.hpp"

#ifndef __AVX2__
#error "compile this file with AVX2 enabled"
#endif

namespace clausal::avx2 {
namespace {

struct Lanes {
    static constexpr unsigned kLevels = 4;

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

    // Bytes of 1 where bits are set.
    static __m256i spread(std::uint32_t bits) {
        const __m256i order = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2,
                                               2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
        const __m256i place = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201u));
        const __m256i bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(bits)), order);
        const __m256i hit = _mm256_cmpeq_epi8(_mm256_and_si256(bytes, place), place);
        return _mm256_and_si256(hit, _mm256_set1_epi8(1));
    }

    static std::uint64_t below(const std::uint64_t* words, std::uint32_t bound) {
        const __m256i flip = _mm256_set1_epi32(static_cast<int>(0x80000000u));  // unsigned order as signed
        const __m256i draws = load(reinterpret_cast<const std::uint8_t*>(words));
        const __m256i hit =
            _mm256_cmpgt_epi32(_mm256_xor_si256(_mm256_set1_epi32(static_cast<int>(bound)), flip),
                               _mm256_xor_si256(draws, flip));
        return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(hit)));
    }

    static bool any(Words words) {
        __m256i halves[2];
        __builtin_memcpy(halves, &words, sizeof words);
        const __m256i both = _mm256_or_si256(halves[0], halves[1]);
        return !_mm256_testz_si256(both, both);
    }

    static Moved step(std::uint8_t* states, std::uint64_t up, std::uint64_t down, unsigned n_states) {
        const __m256i border = _mm256_set1_epi8(static_cast<char>(n_states));
        const __m256i top = _mm256_set1_epi8(static_cast<char>(2 * n_states - 1));
        const __m256i bottom = _mm256_setzero_si256();
        __m256i includes[2], lowest[2], highest[2];
        for (int half = 0; half < 2; ++half) {
            std::uint8_t* place = states + 32 * half;
            __m256i s = _mm256_add_epi8(load(place), spread(static_cast<std::uint32_t>(up >> (32 * half))));
            s = _mm256_sub_epi8(s, spread(static_cast<std::uint32_t>(down >> (32 * half))));
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(place), s);
            includes[half] = _mm256_cmpeq_epi8(_mm256_max_epu8(s, border), s);
            lowest[half] = _mm256_cmpeq_epi8(s, bottom);
            highest[half] = _mm256_cmpeq_epi8(s, top);
        }
        return {join(includes[0], includes[1]), ~join(lowest[0], lowest[1]), ~join(highest[0], highest[1])};
    }
};

#include "core/cpu/kernels.inl"

}  // namespace

extern const Kernels table;
const Kernels table{"avx2", evaluate, vote, select, type_1a, type_1b, type_2};

}  // namespace clausal::avx2
