// Finished clauses on samples with patches, on the CPU: a clause fires where some patch satisfies it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/backend.hpp"
#include "core/cpu/aligned.hpp"
#include "core/cpu/kernels/kernels.hpp"

namespace clausal {

class CpuPatchClauses final : public CompiledClauses {
  public:
    CpuPatchClauses(const ClauseLists& clauses, const PatchView& view, const Kernels& kernels);

    std::size_t n_columns() const override { return view_.n_columns(); }
    std::size_t n_banks() const override { return n_banks_; }
    std::size_t n_operands() const override { return n_operands_; }
    std::size_t row_words() const override { return view_.n_words(); }

    bool votes_of_literals(std::span<const std::uint64_t> samples, std::span<std::int64_t> votes,
                           const Run& run) const override;
    // Samples are packed: these throw.
    bool votes_of_bits(std::span<const std::uint8_t> bits, std::span<std::int64_t> votes, std::uint8_t& seen,
                       const Run& run) const override;
    bool votes_of_sparse(std::span<const std::int32_t> row_starts, std::span<const std::int32_t> columns,
                         std::span<std::int64_t> votes, const Run& run) const override;
    bool votes_of_sparse(std::span<const std::int64_t> row_starts, std::span<const std::int64_t> columns,
                         std::span<std::int64_t> votes, const Run& run) const override;

  private:
    struct Vote {
        std::uint32_t bank;
        std::int64_t points;
    };
    PatchView view_;
    const Kernels& kernels_;
    std::size_t n_banks_, n_operands_ = 0;
    AlignedVector<std::uint64_t> include_;  // [different clauses, words of a patch's literals]
    std::vector<std::vector<Vote>> votes_;  // of each of them, one per bank that it votes in
};

// Calls visit(row, clause) where a clause, of include [n_clauses, words], fires on a sample; rows in any
// order, on threads. Empty clauses never do. False when the poll asked to stop.
bool for_each_firing(std::span<const std::uint64_t> include, std::span<const std::uint64_t> samples,
                     const PatchView& view, const Kernels& kernels, const Run& run,
                     const std::function<void(std::size_t, std::size_t)>& visit);

}  // namespace clausal
