// A kernel of core/cuda as a function of the CPU. Compiled with KERNEL_FILE, KERNEL and the kernel's
// constants.
#include "tests/support/host_gpu/language.hpp"

#include KERNEL_FILE

#include <utility>

namespace {

template <class... Arguments, std::size_t... i>
void call(void (*kernel)(Arguments...), void* const* arguments, std::index_sequence<i...>) {
    kernel(*static_cast<Arguments*>(arguments[i])...);
}

template <class... Arguments>
void call(void (*kernel)(Arguments...), void* const* arguments) {
    call(kernel, arguments, std::index_sequence_for<Arguments...>{});
}

void call_kernel(void* const* arguments) { call(clausal::KERNEL, arguments); }

}  // namespace

// Blocks grid_x * grid_y, in clusters of so many; nullptr, or what went wrong.
extern "C" const char* run_kernel(unsigned grid_x, unsigned grid_y, unsigned n_threads,
                                  unsigned blocks_of_cluster, std::size_t shared_bytes, std::uint64_t seed,
                                  void* const* arguments) {
    using host_gpu::launch;
    launch.kernel = call_kernel;
    launch.arguments = arguments;
    launch.error[0] = 0;
    gridDim = {grid_x, grid_y, 1};
    blockDim = {n_threads, 1, 1};
    for (unsigned first = 0; first < grid_x * grid_y && !launch.error[0]; first += blocks_of_cluster)
        host_gpu::run_cluster(first, blocks_of_cluster, shared_bytes, seed + first);
    return launch.error[0] ? launch.error : nullptr;
}
