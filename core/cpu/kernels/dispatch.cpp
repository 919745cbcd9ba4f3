// Which kernel tables were compiled in, and which of them this processor can run.
#include <cstring>

#include "core/cpu/kernels/kernels.hpp"
#if defined(__x86_64__)
#include "core/cpu/kernels/processor.hpp"
#endif

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
    static const Processor processor = Processor::here();
    if (std::strcmp(name, "avx2") == 0 && processor.avx2) return &avx2::table;
    if (std::strcmp(name, "avx512") == 0 && processor.avx512) return &avx512::table;
#elif defined(__aarch64__)
    if (std::strcmp(name, "neon") == 0) return &neon::table;
#endif
    return nullptr;
}

}  // namespace clausal
