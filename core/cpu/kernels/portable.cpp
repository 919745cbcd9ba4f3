// The kernels in plain C++, for any processor; bytes become bits by SSE2 where the compiler has it.
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "core/cpu/kernels/kernels.hpp"
#define CLAUSAL_REGISTER_WORDS 2
#include "core/cpu/kernels/words.hpp"
#include "core/random.hpp"

namespace clausal::portable {
namespace {

struct Lanes : PlainLanes {
    static constexpr unsigned kLevels = 2;
    static constexpr std::size_t kAtOnce = 1;
    typedef Register Wide;

    static void hash(std::uint64_t start, std::uint64_t* out) {
        for (unsigned i = 0; i < kLevels; ++i) out[i] = mix(start + i * kGolden);
    }

    static std::uint64_t below(const std::uint64_t* words, std::uint32_t bound) {
        std::uint64_t bits = 0;
        for (unsigned i = 0; i < kLevels; ++i) {
            bits |= static_cast<std::uint64_t>((words[i] & 0xFFFFFFFFu) < bound) << (2 * i);
            bits |= static_cast<std::uint64_t>((words[i] >> 32) < bound) << (2 * i + 1);
        }
        return bits;
    }

#if defined(__SSE2__)  // part of every 64-bit x86
    static std::uint64_t truth(const std::uint8_t* bytes, Wide& seen) {
        std::uint64_t zeros = 0;
        for (unsigned i = 0; i < 64; i += 16) {
            const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + i));
            seen |= reinterpret_cast<Wide>(part);
            const int mask = _mm_movemask_epi8(_mm_cmpeq_epi8(part, _mm_setzero_si128()));
            zeros |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(mask)) << i;
        }
        return ~zeros;
    }
#else
    static constexpr std::uint64_t kOnes = 0x0101010101010101u;
    static constexpr std::uint64_t kSevens = 0x7F * kOnes;  // all bits of a byte but the highest

    // The highest bits of eight bytes to eight bits. The product adds up shifted copies of eight bytes of 0
    // or 1, such that each meets its own bit of the highest byte:
    //
    //   byte                7   6   5   4   3   2   1   0
    //   value               h   g   f   e   d   c   b   a
    //   highest byte, bit   7   6   5   4   3   2   1   0
    //   which gets          h   g   f   e   d   c   b   a
    static std::uint64_t gather(std::uint64_t bytes) {
        return (((bytes >> 7) & kOnes) * 0x0102040810204080u) >> 56;
    }

    // Bytes with the highest bit set where a byte is not 0.
    //
    //   byte               0000 0000   0000 0001   1000 0000
    //   (& 7F) + 7F        0111 1111   1000 0000   0111 1111
    //   | byte             0111 1111   1000 0001   1111 1111
    static std::uint64_t present(std::uint64_t bytes) { return ((bytes & kSevens) + kSevens) | bytes; }

    static std::uint64_t truth(const std::uint8_t* bytes, Wide& seen) {
        std::uint64_t bits = 0;
        for (unsigned i = 0; i < 8; ++i) {
            std::uint64_t word = 0;
            for (unsigned k = 0; k < 8; ++k) word |= static_cast<std::uint64_t>(bytes[8 * i + k]) << (8 * k);
            seen[0] |= word;
            bits |= gather(present(word)) << (8 * i);
        }
        return bits;
    }
#endif
};

#include "core/cpu/kernels/kernels.inl"

}  // namespace

extern const Kernels table;
const Kernels table = kernels_as("portable");

}  // namespace clausal::portable
