// The memory that a block shares and whose size is given with its launch. tests/support/host_gpu has a twin.
#pragma once

namespace clausal {

__device__ inline unsigned char* shared_memory() {
    extern __shared__ __align__(16) unsigned char memory[];
    return memory;
}

}  // namespace clausal
