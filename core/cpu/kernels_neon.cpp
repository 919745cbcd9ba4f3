// The kernels for NEON on 64-bit ARM: 16 automata per instruction.
#include <arm_neon.h>

#include "core/cpu/kernels.hpp"
#include "core/random.hpp"

#ifndef __ARM_NEON
#error "compile this file for ARM with NEON"
#endif

namespace clausal::neon {
namespace {

struct Lanes {
    static constexpr unsigned kLevels = 4;

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

    // Sixteen bits to bytes of 1 where set.
    static uint8x16_t spread(std::uint64_t bits) {
        static const std::uint8_t places[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
        const uint8x16_t bytes = vcombine_u8(vdup_n_u8(static_cast<std::uint8_t>(bits)),
                                             vdup_n_u8(static_cast<std::uint8_t>(bits >> 8)));
        return vandq_u8(vtstq_u8(bytes, vld1q_u8(places)), vdupq_n_u8(1));
    }

    static std::uint64_t above_bottom(const std::uint8_t* states) {
        std::uint64_t bits = 0;
        for (unsigned part = 0; part < 4; ++part) {
            const uint8x16_t s = vld1q_u8(states + 16 * part);
            bits |= gather(vtstq_u8(s, s)) << (16 * part);
        }
        return bits;
    }

    static std::uint64_t below_top(const std::uint8_t* states, unsigned top) {
        const uint8x16_t end = vdupq_n_u8(static_cast<std::uint8_t>(top));
        std::uint64_t bits = 0;
        for (unsigned part = 0; part < 4; ++part) {
            const uint8x16_t s = vld1q_u8(states + 16 * part);
            bits |= gather(vmvnq_u8(vceqq_u8(s, end))) << (16 * part);
        }
        return bits;
    }

    static std::uint64_t step(std::uint8_t* states, std::uint64_t up, std::uint64_t down, unsigned n_states) {
        const uint8x16_t border = vdupq_n_u8(static_cast<std::uint8_t>(n_states));
        std::uint64_t include = 0;
        for (unsigned part = 0; part < 4; ++part) {
            uint8x16_t s = vaddq_u8(vld1q_u8(states + 16 * part), spread(up >> (16 * part)));
            s = vsubq_u8(s, spread(down >> (16 * part)));
            vst1q_u8(states + 16 * part, s);
            include |= gather(vcgeq_u8(s, border)) << (16 * part);
        }
        return include;
    }
};

#include "core/cpu/kernels.inl"

}  // namespace

extern const Kernels table;
const Kernels table{"neon", evaluate, vote, select, type_1a, type_1b, type_2};

}  // namespace clausal::neon
