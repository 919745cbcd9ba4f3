// Outputs of finished clauses, in blocks of rows over threads.
#include "core/cpu/clause_outputs.hpp"

#include <algorithm>
#include <vector>

namespace clausal {

namespace {

constexpr std::size_t kRowsPerJob = 256;

bool is_empty(const Clauses& clauses, std::size_t index) {
    const auto words = clauses.include.subspan(index * clauses.n_words, clauses.n_words);
    return std::all_of(words.begin(), words.end(), [](std::uint64_t word) { return word == 0; });
}

// Runs block_job(first, last) for all rows, in blocks over threads.
bool for_rows(std::size_t n_rows, std::size_t n_threads, const Poll& poll,
              const std::function<void(std::size_t, std::size_t)>& block_job) {
    StopFlag stop(poll);
    run_jobs((n_rows + kRowsPerJob - 1) / kRowsPerJob, n_threads, stop,
             [&](std::size_t block, bool on_caller) {
                 const std::size_t first = block * kRowsPerJob;
                 block_job(first, std::min(n_rows, first + kRowsPerJob));
                 if (on_caller) stop.check_now();
             });
    return !stop.stopped();
}

}  // namespace

bool clause_outputs(const Clauses& clauses, std::span<const std::uint64_t> literals,
                    std::span<std::uint8_t> outputs, const Kernels& kernels, std::size_t n_threads,
                    const Poll& poll) {
    const std::size_t n_clauses = clauses.n_banks * clauses.n_clauses;
    std::vector<std::size_t> empty;
    for (std::size_t j = 0; j < n_clauses; ++j)
        if (is_empty(clauses, j)) empty.push_back(j);
    return for_rows(outputs.size() / n_clauses, n_threads, poll, [&](std::size_t begin, std::size_t end) {
        std::vector<std::uint32_t> hint(n_clauses);
        std::vector<std::uint64_t> fired((n_clauses + 63) / 64);
        for (std::size_t row = begin; row < end; ++row) {
            const std::uint64_t* x = literals.data() + row * clauses.n_words;
            std::uint8_t* out = outputs.data() + row * n_clauses;
            kernels.evaluate(clauses.include.data(), clauses.n_words, x, n_clauses, clauses.n_words,
                             hint.data(), fired.data());
            for (std::size_t j = 0; j < n_clauses; ++j) out[j] = (fired[j / 64] >> (j % 64)) & 1u;
            for (const std::size_t j : empty) out[j] = 0;
        }
    });
}

}  // namespace clausal
