// Linked instead of core/cuda where CUDA is not built in: says so to whoever asks for it.
#include "core/backend.hpp"

#include <stdexcept>

namespace clausal {

const Backend& cuda_backend() {
    throw std::invalid_argument("backend 'cuda' cannot run here: clausal was built without CUDA");
}

}  // namespace clausal
