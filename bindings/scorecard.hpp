// Binds the search for scorecards.
#pragma once

#include "bindings/arrays.hpp"

namespace clausal::bindings {

void bind_scorecard(nb::module_& m);

}  // namespace clausal::bindings
