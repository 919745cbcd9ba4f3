// Which wide registers an x86-64 processor has and its system saves, asked without the compiler's own
// library, which is not linked everywhere.
#pragma once

#include <cpuid.h>

#include <cstdint>

namespace clausal {

struct Processor {
    bool avx2 = false;
    bool avx512 = false;  // F, DQ and VL

    static Processor here() {
        unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
        constexpr unsigned kSystemSaves = 1u << 27;
        if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & kSystemSaves)) return {};
        if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) return {};
        const auto has = [features = ebx](int bit) { return (features >> bit & 1u) != 0; };
        const std::uint32_t saved = saved_registers();
        constexpr std::uint32_t kAvx = 0x06, kAvx512 = 0xE6;  // registers of 256 bits; masks and 512 bits too
        return {.avx2 = (saved & kAvx) == kAvx && has(5),
                .avx512 = (saved & kAvx512) == kAvx512 && has(16) && has(17) && has(31)};
    }

  private:
    static std::uint32_t saved_registers() {
        std::uint32_t low = 0, high = 0;
        __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        return low;
    }
};

}  // namespace clausal
