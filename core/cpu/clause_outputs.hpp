// Which finished clauses fire on packed rows, for Backend::clause_outputs. Not here: votes
// (compiled_clauses).
#pragma once

#include "core/backend.hpp"
#include "core/cpu/kernels/kernels.hpp"

namespace clausal {

bool cpu_clause_outputs(std::span<const std::uint64_t> include, std::span<const std::uint64_t> literals,
                        std::size_t n_words, std::span<std::uint8_t> outputs, const Kernels& kernels,
                        const Run& run);

}  // namespace clausal
