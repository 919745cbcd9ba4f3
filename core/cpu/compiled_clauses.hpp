// Votes of compiled clauses on rows given as literal words, as bytes or as the columns that are true (CSR).
// Rows are taken in blocks of 512, one bit each, over threads. Constant: safe to call from many threads.
#pragma once

#include <cstdint>
#include <span>

#include "core/cpu/clause_program.hpp"
#include "core/cpu/kernels/kernels.hpp"
#include "core/threads.hpp"

namespace clausal {

// How to compute, and whom to ask whether to stop.
struct Run {
    const Kernels& kernels;
    std::size_t n_threads;
    const Poll& poll;
};

class CompiledClauses {
  public:
    explicit CompiledClauses(const ClauseLists& clauses) : program_(compile(clauses)) {}

    std::size_t n_columns() const { return program_.n_columns; }
    std::size_t n_banks() const { return program_.banks.size(); }
    std::size_t n_words() const { return (2 * n_columns() + 63) / 64; }  // of a row of literals
    // ANDs of two vectors that a block of rows needs: what compiling has left.
    std::size_t n_operands() const { return program_.operands.size(); }

    // votes [n_rows, n_banks]; literals [n_rows, n_words]. False when the poll asked to stop.
    bool votes_of_literals(std::span<const std::uint64_t> literals, std::span<std::int64_t> votes,
                           const Run& run) const;
    // bits [n_rows, n_columns], not 0 = true; `seen` is all bytes or-ed together.
    bool votes_of_bits(std::span<const std::uint8_t> bits, std::span<std::int64_t> votes, std::uint8_t& seen,
                       const Run& run) const;
    // Rows as the indices of their true columns, Index being std::int32_t or std::int64_t. Throws where an
    // index or pointer is out of range.
    template <class Index>
    bool votes_of_sparse(std::span<const Index> row_starts, std::span<const Index> columns,
                         std::span<std::int64_t> votes, const Run& run) const;

  private:
    struct Workspace;
    template <class Read>
    bool votes(std::size_t n_rows, std::span<std::int64_t> out, const Run& run, const Read& read) const;
    void keep_tiles(const Kernels& kernels, std::size_t first_tile, std::size_t n_tiles,
                    Workspace& work) const;
    void count_bank(const Kernels& kernels, const ClauseProgram::Bank& bank, Workspace& work) const;
    void unpack(const Kernels& kernels, std::size_t bank, std::size_t n_rows, std::int64_t* out,
                Workspace& work) const;

    ClauseProgram program_;
};

}  // namespace clausal
