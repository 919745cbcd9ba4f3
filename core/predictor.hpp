// Votes and clause outputs of a finished model on packed rows; needs only its included literals and points.
// Stateless and safe to call from many threads. Empty clauses never fire here.
#pragma once

#include <cstdint>
#include <span>

#include "core/cpu/kernels.hpp"
#include "core/threads.hpp"

namespace clausal {

struct Clauses {
    std::span<const std::uint64_t> include;  // [n_banks, n_clauses, n_words]
    std::span<const std::int32_t> points;    // [n_banks, n_clauses], signed votes; 0 casts none
    std::size_t n_banks;
    std::size_t n_clauses;
    std::size_t n_words;
};

// votes [n_rows, n_banks]. False when poll asked to stop.
bool predict_votes(const Clauses& clauses, std::span<const std::uint64_t> literals,
                   std::span<std::int64_t> votes, const Kernels& kernels, std::size_t n_threads,
                   const Poll& poll);

// outputs [n_rows, n_banks * n_clauses], 1 where the clause fires. False when poll asked to stop.
bool clause_outputs(const Clauses& clauses, std::span<const std::uint64_t> literals,
                    std::span<std::uint8_t> outputs, const Kernels& kernels, std::size_t n_threads,
                    const Poll& poll);

}  // namespace clausal
