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

    template <class W>
    static bool any(W words) {
        std::uint64_t all = 0;
        for (std::size_t i = 0; i < sizeof(W) / sizeof all; ++i) all |= words[i];
        return all != 0;
    }
};

#include "core/cpu/kernels.inl"

}  // namespace

extern const Kernels table;
const Kernels table{"portable", evaluate, vote, select, words, give<Type1a>, give<Type1b>, give<Type2>};

}  // namespace clausal::portable
