// The kernels in plain C++, for any processor.
#include "core/cpu/kernels.hpp"
#include "core/cpu/words.hpp"
#include "core/random.hpp"

namespace clausal::portable {
namespace {

struct Lanes {
    static constexpr unsigned kLevels = 2;

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

    static bool any(Words words) {
        std::uint64_t all = 0;
        for (std::size_t i = 0; i < kBlock; ++i) all |= words[i];
        return all != 0;
    }

    static constexpr std::uint64_t kOnes = 0x0101010101010101u;
    static constexpr std::uint64_t kSevens = 0x7F * kOnes;  // all bits of a byte but the highest

    // Eight bits to bytes of 1 where set.
    static std::uint64_t spread(std::uint64_t bits) {
        return ((((bits & 0xFF) * kOnes & 0x8040201008040201u) + kSevens) >> 7) & kOnes;
    }

    // The highest bits of eight bytes to eight bits.
    static std::uint64_t gather(std::uint64_t bytes) {
        return (((bytes >> 7) & kOnes) * 0x0102040810204080u) >> 56;
    }

    // Bytes with the highest bit set where a byte is not 0.
    static std::uint64_t present(std::uint64_t bytes) { return ((bytes & kSevens) + kSevens) | bytes; }

    // Eight automata at a time, as the bytes of a word.
    static Moved step(std::uint8_t* states, std::uint64_t up, std::uint64_t down, unsigned n_states) {
        const std::uint64_t border = (128 - n_states) * kOnes;
        const std::uint64_t top = (2 * n_states - 1) * kOnes;
        Moved moved{0, 0, 0};
        for (unsigned place = 0; place < 64; place += 8) {
            std::uint64_t s = 0;
            for (unsigned k = 0; k < 8; ++k) s |= static_cast<std::uint64_t>(states[place + k]) << (8 * k);
            s = s + spread(up >> place) - spread(down >> place);  // no automaton leaves its byte
            for (unsigned k = 0; k < 8; ++k) states[place + k] = static_cast<std::uint8_t>(s >> (8 * k));
            moved.include |= gather(((s & kSevens) + border) | s) << place;
            moved.can_fall |= gather(present(s)) << place;
            moved.can_rise |= gather(present(s ^ top)) << place;
        }
        return moved;
    }
};

#include "core/cpu/kernels.inl"

}  // namespace

extern const Kernels table;
const Kernels table{"portable", evaluate, vote, select, type_1a, type_1b, type_2};

}  // namespace clausal::portable
