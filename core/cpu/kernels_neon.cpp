// The kernels for NEON on 64-bit ARM: 16 automata per instruction.
#include <arm_neon.h>

#include "core/cpu/kernels.hpp"
#include "core/cpu/words.hpp"
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

    static std::uint64_t below(const std::uint64_t* words, std::uint32_t bound) {
        std::uint64_t bits = 0;
        for (unsigned i = 0; i < kLevels; ++i) {
            bits |= static_cast<std::uint64_t>((words[i] & 0xFFFFFFFFu) < bound) << (2 * i);
            bits |= static_cast<std::uint64_t>((words[i] >> 32) < bound) << (2 * i + 1);
        }
        return bits;
    }

    static bool any(Words words) {
        std::uint64_t all = 0;
        for (std::size_t i = 0; i < kBlock; ++i) all |= words[i];
        return all != 0;
    }

    static Moved step(std::uint8_t* states, std::uint64_t up, std::uint64_t down, unsigned n_states) {
        const uint8x16_t border = vdupq_n_u8(static_cast<std::uint8_t>(n_states));
        const uint8x16_t top = vdupq_n_u8(static_cast<std::uint8_t>(2 * n_states - 1));
        Moved moved{0, 0, 0};
        for (unsigned part = 0; part < 4; ++part) {
            uint8x16_t s = vaddq_u8(vld1q_u8(states + 16 * part), spread(up >> (16 * part)));
            s = vsubq_u8(s, spread(down >> (16 * part)));
            vst1q_u8(states + 16 * part, s);
            moved.include |= gather(vcgeq_u8(s, border)) << (16 * part);
            moved.can_fall |= gather(vtstq_u8(s, s)) << (16 * part);
            moved.can_rise |= gather(vmvnq_u8(vceqq_u8(s, top))) << (16 * part);
        }
        return moved;
    }
};

#include "core/cpu/kernels.inl"

}  // namespace

extern const Kernels table;
const Kernels table{"neon", evaluate, vote, select, type_1a, type_1b, type_2};

}  // namespace clausal::neon
