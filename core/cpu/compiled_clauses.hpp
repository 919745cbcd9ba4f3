// Votes of compiled clauses on the CPU: rows are taken in blocks of 512, one bit each, over threads.
#pragma once

#include <cstdint>
#include <span>

#include "core/backend.hpp"
#include "core/cpu/clause_program.hpp"
#include "core/cpu/kernels/kernels.hpp"

namespace clausal {

class CpuClauses final : public CompiledClauses {
  public:
    CpuClauses(const ClauseLists& clauses, const Kernels& kernels)
        : kernels_(kernels), program_(clausal::compile(clauses)) {}

    std::size_t n_columns() const override { return program_.n_columns; }
    std::size_t n_banks() const override { return program_.banks.size(); }
    std::size_t n_operands() const override { return program_.operands.size(); }

    bool votes_of_literals(std::span<const std::uint64_t> literals, std::span<std::int64_t> votes,
                           const Run& run) const override;
    bool votes_of_bits(std::span<const std::uint8_t> bits, std::span<std::int64_t> votes, std::uint8_t& seen,
                       const Run& run) const override;
    bool votes_of_sparse(std::span<const std::int32_t> row_starts, std::span<const std::int32_t> columns,
                         std::span<std::int64_t> votes, const Run& run) const override;
    bool votes_of_sparse(std::span<const std::int64_t> row_starts, std::span<const std::int64_t> columns,
                         std::span<std::int64_t> votes, const Run& run) const override;

  private:
    struct Workspace;
    template <class Read>
    bool votes(std::size_t n_rows, std::span<std::int64_t> out, const Run& run, const Read& read) const;
    template <class Index>
    bool votes_of_csr(std::span<const Index> row_starts, std::span<const Index> columns,
                      std::span<std::int64_t> votes, const Run& run) const;
    void keep_tiles(std::size_t first_tile, std::size_t n_tiles, Workspace& work) const;
    void count_bank(const ClauseProgram::Bank& bank, Workspace& work) const;
    void unpack(std::size_t bank, std::size_t n_rows, std::int64_t* out, Workspace& work) const;

    const Kernels& kernels_;
    ClauseProgram program_;
};

}  // namespace clausal
