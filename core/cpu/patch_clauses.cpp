// Sample by sample, on threads: patches are made once, then all clauses are matched.
#include "core/cpu/patch_clauses.hpp"

#include <algorithm>
#include <map>

#include "core/bits.hpp"
#include "core/cpu/sample_patches.hpp"
#include "core/require.hpp"

namespace clausal {

namespace {

constexpr std::size_t kRowsPerJob = 64;

[[noreturn]] void refuse() { throw std::invalid_argument("samples with patches must be packed"); }

}  // namespace

bool for_each_firing(std::span<const std::uint64_t> include, std::span<const std::uint64_t> samples,
                     const PatchView& view, const Kernels& kernels, const Run& run,
                     const std::function<void(std::size_t, std::size_t)>& visit) {
    const std::size_t n_words = words_per_row(view.n_columns());
    const std::size_t n_rows = samples.size() / view.n_words();
    std::vector<std::size_t> filled;
    for (std::size_t j = 0; j < include.size() / n_words; ++j) {
        const auto words = include.subspan(j * n_words, n_words);
        if (std::any_of(words.begin(), words.end(), [](std::uint64_t word) { return word != 0; }))
            filled.push_back(j);
    }
    StopFlag stop(run.poll);
    run_jobs((n_rows + kRowsPerJob - 1) / kRowsPerJob, run.n_threads, stop,
             [&](std::size_t block, bool on_caller) {
                 SamplePatches patches(view, kernels);
                 AlignedVector<std::uint64_t> matches(patches.stride());
                 const std::size_t last = std::min(n_rows, (block + 1) * kRowsPerJob);
                 for (std::size_t row = block * kRowsPerJob; row < last; ++row) {
                     if (on_caller ? stop.check_now() : stop.stopped()) return;
                     patches.read(samples.data() + row * view.n_words());
                     for (const std::size_t j : filled)
                         if (patches.match(include.data() + j * n_words, matches.data())) visit(row, j);
                 }
             });
    return !stop.stopped();
}

// Equal clauses, such as those that banks share, are matched once.
CpuPatchClauses::CpuPatchClauses(const ClauseLists& clauses, const PatchView& view, const Kernels& kernels)
    : view_(view), kernels_(kernels), n_banks_(clauses.n_banks) {
    clausal::check(clauses);
    clausal::check(view, 2 * clauses.n_columns);
    std::map<std::vector<std::uint64_t>, std::size_t> places;
    for (std::size_t j = 0; j < clauses.points.size(); ++j) {
        std::vector<std::uint64_t> include(words_per_row(clauses.n_columns));
        for (std::size_t k = clauses.starts[j]; k < clauses.starts[j + 1]; ++k)
            include[clauses.literals[k] / 64] |= std::uint64_t{1} << (clauses.literals[k] % 64);
        const auto [place, is_new] = places.try_emplace(include, votes_.size());
        if (is_new) {
            include_.insert(include_.end(), include.begin(), include.end());
            votes_.emplace_back();
            n_operands_ += clauses.starts[j + 1] - clauses.starts[j];
        }
        votes_[place->second].push_back({clauses.banks[j], clauses.points[j]});
    }
}

bool CpuPatchClauses::votes_of_literals(std::span<const std::uint64_t> samples, std::span<std::int64_t> votes,
                                        const Run& run) const {
    require(samples.size() / view_.n_words() * n_banks_ == votes.size(), "samples and votes differ in rows");
    std::fill(votes.begin(), votes.end(), 0);
    return for_each_firing(include_, samples, view_, kernels_, run, [&](std::size_t row, std::size_t j) {
        for (const Vote& vote : votes_[j]) votes[row * n_banks_ + vote.bank] += vote.points;
    });
}

bool CpuPatchClauses::votes_of_bits(std::span<const std::uint8_t>, std::span<std::int64_t>, std::uint8_t&,
                                    const Run&) const {
    refuse();
}

bool CpuPatchClauses::votes_of_sparse(std::span<const std::int32_t>, std::span<const std::int32_t>,
                                      std::span<std::int64_t>, const Run&) const {
    refuse();
}

bool CpuPatchClauses::votes_of_sparse(std::span<const std::int64_t>, std::span<const std::int64_t>,
                                      std::span<std::int64_t>, const Run&) const {
    refuse();
}

}  // namespace clausal
