// Twin of core/cuda/shared_memory.cuh.
#pragma once

namespace clausal {

inline unsigned char* shared_memory() { return host_gpu::running()->block->memory; }

}  // namespace clausal
