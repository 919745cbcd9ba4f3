// Outputs of finished clauses, in blocks of rows over threads.
#include "core/cpu/clause_outputs.hpp"

#include <algorithm>
#include <vector>

#include "core/bits.hpp"
#include "core/require.hpp"

namespace clausal {

namespace {

constexpr std::size_t kRowsPerJob = 256;

// Runs block_job(first, last) for all rows, in blocks over threads.
bool for_rows(std::size_t n_rows, const Run& run,
              const std::function<void(std::size_t, std::size_t)>& block_job) {
    StopFlag stop(run.poll);
    run_jobs((n_rows + kRowsPerJob - 1) / kRowsPerJob, run.n_threads, stop,
             [&](std::size_t block, bool on_caller) {
                 const std::size_t first = block * kRowsPerJob;
                 block_job(first, std::min(n_rows, first + kRowsPerJob));
                 if (on_caller) stop.check_now();
             });
    return !stop.stopped();
}

}  // namespace

bool cpu_clause_outputs(std::span<const std::uint64_t> include, std::span<const std::uint64_t> literals,
                        std::size_t n_words, std::span<std::uint8_t> outputs, const Kernels& kernels,
                        const Run& run) {
    const std::size_t n_clauses = n_words == 0 ? 0 : include.size() / n_words;
    if (n_clauses == 0) return true;
    require(literals.size() == outputs.size() / n_clauses * n_words, "literals and outputs differ in rows");
    std::vector<std::size_t> empty;
    for (std::size_t j = 0; j < n_clauses; ++j) {
        const auto words = include.subspan(j * n_words, n_words);
        if (std::count(words.begin(), words.end(), 0) == static_cast<std::ptrdiff_t>(n_words))
            empty.push_back(j);
    }
    return for_rows(outputs.size() / n_clauses, run, [&](std::size_t begin, std::size_t end) {
        std::vector<std::uint32_t> hint(n_clauses);
        std::vector<std::uint64_t> fired(words_of(n_clauses));
        for (std::size_t row = begin; row < end; ++row) {
            std::uint8_t* out = outputs.data() + row * n_clauses;
            kernels.evaluate(include.data(), n_words, literals.data() + row * n_words, n_clauses, n_words,
                             hint.data(), fired.data());
            for (std::size_t j = 0; j < n_clauses; ++j) out[j] = (fired[j / 64] >> (j % 64)) & 1u;
            for (const std::size_t j : empty) out[j] = 0;
        }
    });
}

}  // namespace clausal
