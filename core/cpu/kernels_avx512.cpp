// The kernels for AVX-512 (F, BW, DQ, VL): 64 automata per instruction, bits are masks as they are.
#include <immintrin.h>

#include "core/cpu/kernels.hpp"
#include "core/cpu/words.hpp"
#include "core/random.hpp"

#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512DQ__) || !defined(__AVX512VL__)
#error "compile this file with AVX-512 F, BW, DQ and VL enabled"
#endif

namespace clausal::avx512 {
namespace {

struct Lanes {
    static constexpr unsigned kLevels = 8;

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

    static Moved step(std::uint8_t* states, std::uint64_t up, std::uint64_t down, unsigned n_states) {
        const __m512i one = _mm512_set1_epi8(1);
        __m512i s = _mm512_loadu_si512(states);
        s = _mm512_mask_add_epi8(s, up, s, one);
        s = _mm512_mask_sub_epi8(s, down, s, one);
        _mm512_storeu_si512(states, s);
        return {_mm512_cmpge_epu8_mask(s, _mm512_set1_epi8(static_cast<char>(n_states))),
                _mm512_test_epi8_mask(s, s),
                _mm512_cmpneq_epu8_mask(s, _mm512_set1_epi8(static_cast<char>(2 * n_states - 1)))};
    }
};

#include "core/cpu/kernels.inl"

}  // namespace

extern const Kernels table;
const Kernels table{"avx512", evaluate, vote, select, type_1a, type_1b, type_2};

}  // namespace clausal::avx512
