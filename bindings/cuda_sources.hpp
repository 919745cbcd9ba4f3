// Sources of CUDA kernels for Python: see cuda_sources.cpp.in.
#pragma once

#include <nanobind/nanobind.h>

namespace clausal::bindings {

void bind_cuda_sources(nanobind::module_& m);

}  // namespace clausal::bindings
