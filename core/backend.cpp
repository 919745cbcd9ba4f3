// Backends by name.
#include "core/backend.hpp"

namespace clausal {

const Backend& backend_named(const std::string& name) {
    return name == "cuda" ? cuda_backend() : cpu_backend(name);
}

}  // namespace clausal
