// The kernels in plain C++, for any processor.
#include "core/cpu/kernels.hpp"
#include "core/random.hpp"

namespace clausal::portable {
namespace {

struct Lanes {
    static constexpr unsigned kLevels = 2;

    static void hash(std::uint64_t start, std::uint64_t* out) {
        for (unsigned i = 0; i < kLevels; ++i) out[i] = mix(start + i * kGolden);
    }

    static std::uint64_t above_bottom(const std::uint8_t* states) {
        std::uint64_t bits = 0;
        for (unsigned k = 0; k < 64; ++k) bits |= static_cast<std::uint64_t>(states[k] != 0) << k;
        return bits;
    }

    static std::uint64_t below_top(const std::uint8_t* states, unsigned top) {
        std::uint64_t bits = 0;
        for (unsigned k = 0; k < 64; ++k) bits |= static_cast<std::uint64_t>(states[k] != top) << k;
        return bits;
    }

    static std::uint64_t step(std::uint8_t* states, std::uint64_t up, std::uint64_t down, unsigned n_states) {
        for (unsigned k = 0; k < 64; ++k)
            states[k] = static_cast<std::uint8_t>(states[k] + ((up >> k) & 1u) - ((down >> k) & 1u));
        std::uint64_t include = 0;
        for (unsigned k = 0; k < 64; ++k) include |= static_cast<std::uint64_t>(states[k] >= n_states) << k;
        return include;
    }
};

#include "core/cpu/kernels.inl"

}  // namespace

extern const Kernels table;
const Kernels table{"portable", evaluate, vote, select, type_1a, type_1b, type_2};

}  // namespace clausal::portable
