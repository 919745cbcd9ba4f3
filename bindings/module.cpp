// The native boundary: one call per batch or for whole epochs, never per sample. Arrays are taken as they are
// (no silent casts), the GIL is released, Ctrl-C is answered.
// Not here: validation in the user's words (Python) and any computing (core).
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/compiled_clauses.hpp"
#include "bindings/cuda_sources.hpp"
#include "bindings/machine.hpp"
#include "bindings/scorecard.hpp"
#include "bindings/tables.hpp"
#include "core/cpu/kernels/kernels.hpp"

namespace clausal::bindings {
namespace {

std::vector<std::string> instruction_sets() {
    std::vector<std::string> names;
    for (const char* name : kInstructionSets)
        if (kernels_named(name)) names.emplace_back(name);
    return names;
}

}  // namespace

NB_MODULE(_core, m) {
    nb::set_leak_warnings(false);  // a thread that outlives Python keeps what it uses
    bind_machine(m);
    bind_compiled_clauses(m);
    bind_scorecard(m);
    bind_tables(m);
    bind_cuda_sources(m);
    m.def("instruction_sets", &instruction_sets);
}

}  // namespace clausal::bindings
