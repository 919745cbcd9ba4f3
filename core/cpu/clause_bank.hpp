// One bank: the clauses of one machine, their automata and weights, and the training step. Or the clauses
// that all banks share: these have a row of weights for each bank, and the step is for one of the banks.
// The step is docs/algorithm.md's, the same for every variant: move this bank's vote towards its goal, which
// is 1 or 0 for a sample of its class or of another, or the vote to aim at where numbers are learned.
// Not here: which samples a bank sees, and on which thread (machine).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/config.hpp"
#include "core/cpu/aligned.hpp"
#include "core/cpu/kernels/kernels.hpp"
#include "core/cpu/sample_patches.hpp"
#include "core/feedback.hpp"
#include "core/random.hpp"

namespace clausal {

// What learning changes in a bank; copied to undo an interrupted call. kernels/kernels.hpp says how automata
// are stored.
struct BankState {
    AlignedVector<std::uint64_t> include;         // [n_clauses, row_stride]
    AlignedVector<std::uint64_t> can_fall;        // the same
    AlignedVector<std::uint64_t> states;          // [n_clauses, state_stride]
    AlignedVector<std::uint64_t> falls;           // [n_clauses, fall_stride]
    AlignedVector<std::uint64_t> single_include;  // [n_groups, n_single, kSide]
    AlignedVector<std::uint64_t> single_states;   // [n_groups, n_single, kStatePlanes, kSide]
    std::vector<std::int32_t> levels;             // [n_rows, n_clauses], a row per bank that votes with them
    std::vector<std::int32_t> points;    // [n_rows, n_clauses up to a multiple of kSide], signed votes
    std::vector<std::uint64_t> against;  // [n_rows, words of clauses], clauses that vote against, as bits
};

// Some of a bank's clauses: from first on, before last. Both are multiples of kPart, or last is the number
// of clauses.
struct Part {
    std::size_t first, last;
};
constexpr std::size_t kPart = 64;

class ClauseBank {
  public:
    ClauseBank(const Config& config, const Kernels& kernels, std::size_t index);

    // The bank that shared clauses vote in from now on.
    void vote_in(std::size_t bank);

    // One training step: evaluate, vote, select, give feedback.
    void step(const std::uint64_t* x, std::int64_t goal, std::uint64_t step_index);
    // The clipped vote on a sample, as training sees it; leaves what learn needs to go on from.
    std::int64_t evaluate(const std::uint64_t* x, std::uint64_t step_index);
    // The rest of a step after evaluate on the same sample.
    void learn(const std::uint64_t* x, std::int64_t goal, std::uint64_t step_index, std::int64_t vote);

    // The same for some clauses only, so that several threads can share a step. Votes of all parts add up to
    // the bank's, which `clipped` bounds; before the first part is evaluated, `begin` must have been called.
    void begin(const std::uint64_t* x, std::uint64_t step_index);
    std::int64_t evaluate_part(const std::uint64_t* x, Part part);
    std::int64_t vote_of_part(Part part) const;  // once they are evaluated
    std::int64_t clipped(std::int64_t vote) const;
    void learn_part(const std::uint64_t* x, std::int64_t goal, std::uint64_t step_index, std::int64_t vote,
                    Part part);

    void export_state(std::uint8_t* states,
                      std::int32_t* levels) const;  // [n_clauses, n_literals], [n_rows, n_clauses]
    void import_state(const std::uint8_t* states, const std::int32_t* levels);  // the same

    BankState state;

  private:
    std::uint64_t key_of(Purpose purpose, std::uint64_t step_index) const;
    // Where a step moves the vote, with which chance for each clause (in units of 2^-32), and the vote for
    // the label.
    struct Aim {
        bool up;
        std::uint64_t chance;
        std::int64_t lead;
    };
    Aim aim(std::int64_t goal, std::int64_t vote) const;
    // Which feedback the selected clauses of a part get, written to types_.
    void classify(bool up, Part part);
    // Those of some clauses of a word that have at most max_clause_literals.
    std::uint64_t fitting(std::size_t word, std::uint64_t clauses) const;
    // What the feedback does to weights, then to automata.
    void update_weights(const Aim& to, Part part);
    void change_level(std::size_t row, std::size_t clause, std::int32_t level);
    // Samples with patches: which clauses of a part some patch satisfies; the patches that they learn from.
    void match_patches(Part part);
    void pick_patches(Part part, std::uint64_t key);
    Feedback feedback_on(const std::uint64_t* x, std::uint64_t step_index);
    void give_blocked(const Feedback& feedback, Part part);
    void give_singles(const Feedback& feedback, Part part);

    // Where one word of a clause is in the arrays of the state, its planes `stride` words apart.
    struct WordPlanes {
        std::size_t include, states, falls, stride;
        bool single;
    };
    WordPlanes planes(std::size_t clause, std::size_t q) const;
    std::size_t length(std::size_t clause) const;  // included literals

    const Config& config_;
    const Kernels& kernels_;
    std::uint64_t index_;  // of the bank, in the keys of draws
    std::size_t row_ = 0;  // of its levels
    std::size_t n_rows_;
    std::size_t n_blocked_, n_single_;
    std::size_t row_stride_, state_stride_, fall_stride_, point_stride_;
    bool same_chance_;
    std::vector<std::uint32_t> hint_;  // [n_clauses], block of words that last proved a clause false
    std::vector<std::uint64_t> fired_, selected_, dropped_;  // clauses as bits, [ceil(n_clauses / 64)]
    std::vector<FeedbackTypes> types_;                       // the same, by the feedback they get
    std::vector<std::uint32_t> listed_;   // [n_clauses, up to a multiple of kListed], some of them
    AlignedVector<std::uint64_t> drawn_;  // [n_groups, kSide]
    std::uint64_t dropped_block_ = UINT64_MAX;
    AlignedVector<std::uint64_t> table_;     // [kOffsetUnit * kOffsets + n_words], this step's random words
    std::optional<SamplePatches> patches_;   // of this step's sample, where samples have patches
    AlignedVector<std::uint64_t> matches_;   // [n_clauses, patches_->stride()], of those that fired
    AlignedVector<std::uint64_t> x_;         // [n_clauses, row_stride], the patch that each learns from,
    AlignedVector<std::uint64_t> single_x_;  // [n_groups, n_single, kSide], and its single words
};

}  // namespace clausal
