// Sixty-four numbers against one mark, as a word; per instruction set, like the training kernels.
#pragma once

#include <cstdint>

namespace clausal {

// Bit i is set where values[i] <= mark, or == mark. NaN compares as false. values has 64 entries.
struct Compare {
    std::uint64_t (*at_most)(const double* values, double mark);
    std::uint64_t (*equal)(const double* values, double mark);
};

// For the instruction set of that name where there is a version for it here, else in plain C++.
Compare compare_named(const char* isa);

}  // namespace clausal
