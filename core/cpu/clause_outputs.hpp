// Which clauses of a finished model fire on packed rows; needs only its included literals. Stateless and safe
// to call from many threads. Empty clauses never fire here. Not here: votes (compiled_clauses).
#pragma once

#include <cstdint>
#include <span>

#include "core/cpu/kernels/kernels.hpp"
#include "core/threads.hpp"

namespace clausal {

struct Clauses {
    std::span<const std::uint64_t> include;  // [n_banks, n_clauses, n_words]
    std::size_t n_banks;
    std::size_t n_clauses;
    std::size_t n_words;
};

// outputs [n_rows, n_banks * n_clauses], 1 where the clause fires. False when poll asked to stop.
bool clause_outputs(const Clauses& clauses, std::span<const std::uint64_t> literals,
                    std::span<std::uint8_t> outputs, const Kernels& kernels, std::size_t n_threads,
                    const Poll& poll);

}  // namespace clausal
