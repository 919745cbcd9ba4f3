// Binds what turns tables into literals: packing of boolean rows, encoding of features.
#pragma once

#include "bindings/arrays.hpp"

namespace clausal::bindings {

void bind_tables(nb::module_& m);

}  // namespace clausal::bindings
