// The kernels for NEON on 64-bit ARM: 128 automata per instruction.
#include <arm_neon.h>

#include "core/cpu/kernels/kernels.hpp"
#define CLAUSAL_REGISTER_WORDS 2
#include "core/cpu/kernels/words.hpp"
#include "core/random.hpp"

#ifndef __ARM_NEON
#error "compile this file for ARM with NEON"
#endif

namespace clausal::neon {
namespace {

struct Lanes : PlainLanes {
    static constexpr unsigned kLevels = 4;
    static constexpr std::size_t kAtOnce = 2;
    typedef std::uint64_t Wide __attribute__((vector_size(16)));

    // NEON has no 64-bit multiply; the scalar multiplier is the faster one.
    static void hash(std::uint64_t start, std::uint64_t* out) {
        for (unsigned i = 0; i < kLevels; ++i) out[i] = mix(start + i * kGolden);
    }

    // Sixteen bytes of 0 or 255 to sixteen bits.
    static std::uint64_t gather(uint8x16_t bytes) {
        static const std::uint8_t places[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
        const uint8x16_t bits = vandq_u8(bytes, vld1q_u8(places));
        return vaddv_u8(vget_low_u8(bits)) | static_cast<std::uint64_t>(vaddv_u8(vget_high_u8(bits))) << 8;
    }

    static std::uint64_t below(const std::uint64_t* words, std::uint32_t bound) {
        std::uint64_t bits = 0;
        for (unsigned i = 0; i < kLevels; ++i) {
            bits |= static_cast<std::uint64_t>((words[i] & 0xFFFFFFFFu) < bound) << (2 * i);
            bits |= static_cast<std::uint64_t>((words[i] >> 32) < bound) << (2 * i + 1);
        }
        return bits;
    }

    static std::uint64_t truth(const std::uint8_t* bytes, Wide& seen) {
        std::uint64_t bits = 0;
        for (unsigned part = 0; part < 4; ++part) {
            const uint8x16_t b = vld1q_u8(bytes + 16 * part);
            seen |= reinterpret_cast<Wide>(b);
            bits |= gather(vtstq_u8(b, b)) << (16 * part);
        }
        return bits;
    }
};

#include "core/cpu/kernels/kernels.inl"

}  // namespace

extern const Kernels table;
const Kernels table = kernels_as("neon");

}  // namespace clausal::neon
