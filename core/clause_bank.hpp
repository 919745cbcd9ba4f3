// One bank: the clauses of one machine, their automata and weights, and the training step.
// The step is docs/algorithm.md's, the same for every variant: move this bank's vote towards the label.
// Not here: which samples a bank sees, and on which thread (machine).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/aligned.hpp"
#include "core/config.hpp"
#include "core/cpu/kernels.hpp"

namespace clausal {

// What learning changes in a bank; copied to undo an interrupted epoch.
struct BankState {
    AlignedVector<std::uint8_t> states;     // [n_clauses, n_words * 64], state - 1; padding never moves
    AlignedVector<std::uint64_t> include;   // [n_clauses, n_words]
    AlignedVector<std::uint64_t> can_fall;  // the same: automata that are not at the bottom,
    AlignedVector<std::uint64_t> can_rise;  // and that are not at the top
    std::vector<std::int32_t> levels;       // [n_clauses]
    std::vector<std::int32_t> points;       // [n_clauses], signed votes
};

class ClauseBank {
  public:
    ClauseBank(const Config& config, const Kernels& kernels, std::size_t index);

    // One training step: evaluate, vote, select, give feedback.
    void step(const std::uint64_t* x, bool y, std::uint64_t step_index);
    // The clipped vote on a sample, as training sees it; leaves what step needs to go on from.
    std::int64_t evaluate(const std::uint64_t* x, std::uint64_t step_index);
    // The rest of a step after evaluate on the same sample.
    void learn(const std::uint64_t* x, bool y, std::uint64_t step_index, std::int64_t vote);

    void export_state(std::uint8_t* states,
                      std::int32_t* levels) const;  // [n_clauses, n_literals], [n_clauses]
    void import_state(const std::uint8_t* states, const std::int32_t* levels);  // the same

    BankState state;

  private:
    void feedback(std::size_t clause, const std::uint64_t* x, bool favoured, std::uint64_t automata_key);
    void draw_dropped(std::uint64_t step_index);
    bool too_long(std::size_t clause) const;

    const Config& config_;
    const Kernels& kernels_;
    std::uint64_t index_;
    AlignedVector<std::uint8_t> fired_;    // [n_clauses]
    std::vector<std::uint32_t> hint_;      // [n_clauses], block of words that last proved a clause false
    std::vector<std::uint64_t> selected_;  // [ceil(n_clauses / 64)]
    std::vector<std::uint64_t> dropped_;   // the same
    std::uint64_t dropped_block_ = UINT64_MAX;
};

}  // namespace clausal
