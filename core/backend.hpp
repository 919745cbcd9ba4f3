// What a backend offers, and all that the bindings use of one: machines to train, several in one call, and
// finished clauses to vote. A backend lives in a folder of its own and is chosen by name: one per CPU
// instruction set (cpu/). CUDA does not come through here: its kernels (cuda/) are compiled when they are
// first used, and Python launches them (src/clausal/engine/cuda). Not here: the reading of tables, which is
// always done on the CPU (cpu/pack.hpp, cpu/encode.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/clause_lists.hpp"
#include "core/config.hpp"
#include "core/threads.hpp"

namespace clausal {

// How a call runs: on how many threads of the host, and what to ask whether to stop.
struct Run {
    std::size_t n_threads = 1;
    Poll poll{};
};

// A machine in training: what learning has changed so far, in and out.
class Machine {
  public:
    virtual ~Machine() = default;
    virtual const Config& config() const = 0;
    virtual std::uint64_t step() const = 0;  // may be asked for while another thread trains
    // states [n_clause_sets, n_clauses, n_literals], levels [n_banks, n_clauses].
    virtual void export_state(std::span<std::uint8_t> states, std::span<std::int32_t> levels,
                              std::size_t n_threads) const = 0;
    virtual void export_levels(std::span<std::int32_t> levels) const = 0;
    virtual void import_state(std::span<const std::uint8_t> states, std::span<const std::int32_t> levels,
                              std::uint64_t step, std::size_t n_threads) = 0;
};

// The rows to learn from and the order to visit them in. An order may hold several epochs.
struct Samples {
    std::span<const std::uint64_t> literals;  // [n_rows, sample_words]
    std::span<const std::int32_t> targets;    // [n_rows]
    std::span<const std::int64_t> order;      // [n_visits], row indices
};

// One machine's share of a call to train. Jobs may share literals: the same memory is then to be copied once.
struct TrainingJob {
    Machine& machine;
    Samples samples;
};

// Finished clauses, compiled for prediction. Constant: safe to call from many threads. All functions fill
// votes [n_rows, n_banks] and return false when the poll asked to stop.
class CompiledClauses {
  public:
    virtual ~CompiledClauses() = default;
    virtual std::size_t n_columns() const = 0;
    virtual std::size_t n_banks() const = 0;
    // Vectors that are read for a block of rows: what compiling has left.
    virtual std::size_t n_operands() const = 0;
    virtual std::size_t row_words() const { return words_per_row(n_columns()); }

    // literals [n_rows, row_words]; samples with patches come in no other way.
    virtual bool votes_of_literals(std::span<const std::uint64_t> literals, std::span<std::int64_t> votes,
                                   const Run& run) const = 0;
    // bits [n_rows, n_columns], not 0 = true; `seen` is all bytes or-ed together.
    virtual bool votes_of_bits(std::span<const std::uint8_t> bits, std::span<std::int64_t> votes,
                               std::uint8_t& seen, const Run& run) const = 0;
    // Rows as the indices of their true columns (CSR). Throws where an index or pointer is out of range.
    virtual bool votes_of_sparse(std::span<const std::int32_t> row_starts,
                                 std::span<const std::int32_t> columns, std::span<std::int64_t> votes,
                                 const Run& run) const = 0;
    virtual bool votes_of_sparse(std::span<const std::int64_t> row_starts,
                                 std::span<const std::int64_t> columns, std::span<std::int64_t> votes,
                                 const Run& run) const = 0;
};

class Backend {
  public:
    virtual ~Backend() = default;
    virtual const char* name() const = 0;
    virtual std::unique_ptr<Machine> make_machine(const Config& config) const = 0;
    // Trains different machines made by this backend, each on its own samples. False, and all machines as
    // before the call, when the poll asked to stop.
    virtual bool train(std::span<const TrainingJob> jobs, const Run& run) const = 0;
    // The view, here and below: of the patches of a sample, none for a table.
    virtual std::unique_ptr<CompiledClauses> compile(const ClauseLists& clauses,
                                                     const PatchView& view) const = 0;
    // Which clauses fire: include [n_clauses, n_words], literals [n_rows, n_words] or samples, outputs
    // [n_rows, n_clauses], 1 where the clause fires. Empty clauses never do. False when the poll asked to
    // stop.
    virtual bool clause_outputs(std::span<const std::uint64_t> include,
                                std::span<const std::uint64_t> literals, std::size_t n_words,
                                std::span<std::uint8_t> outputs, const PatchView& view,
                                const Run& run) const = 0;
};

// The backend of that name. Throws std::invalid_argument, saying why, where it cannot run here.
const Backend& backend_named(const std::string& name);

}  // namespace clausal
