// Which kernel tables were compiled in, and which of them this processor can run.
#include <cstring>

#include "core/cpu/kernels/kernels.hpp"

namespace clausal {

namespace portable {
extern const Kernels table;
}
#if defined(__x86_64__)
namespace avx2 {
extern const Kernels table;
}
namespace avx512 {
extern const Kernels table;
}
#elif defined(__aarch64__)
namespace neon {
extern const Kernels table;
}
#endif

const Kernels* kernels_named(const char* name) {
    if (std::strcmp(name, "portable") == 0) return &portable::table;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (std::strcmp(name, "avx2") == 0 && __builtin_cpu_supports("avx2")) return &avx2::table;
    if (std::strcmp(name, "avx512") == 0 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return &avx512::table;
#elif defined(__aarch64__)
    if (std::strcmp(name, "neon") == 0) return &neon::table;
#endif
    return nullptr;
}

}  // namespace clausal
