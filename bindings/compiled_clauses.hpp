// Compiled clauses for Python: see compiled_clauses.cpp.
#pragma once

#include <nanobind/nanobind.h>

namespace clausal::bindings {

void bind_compiled_clauses(nanobind::module_& m);

}  // namespace clausal::bindings
