// Machines in training for Python: see machine.cpp.
#pragma once

#include <nanobind/nanobind.h>

namespace clausal::bindings {

void bind_machine(nanobind::module_& m);

}  // namespace clausal::bindings
