// The kernels of an instruction set that Python names.
#pragma once

#include <stdexcept>
#include <string>

#include "core/cpu/kernels/kernels.hpp"

namespace clausal::bindings {

inline const Kernels& kernels_or_throw(const std::string& isa) {
    const Kernels* table = kernels_named(isa.c_str());
    if (table == nullptr) throw std::invalid_argument("instruction set '" + isa + "' cannot run here");
    return *table;
}

}  // namespace clausal::bindings
