// A sum of rules: terms with coefficients, the scores of all rows, and how the coefficients are fitted.
// Coefficients and offsets are integers, in units of scores. Not here: which terms are tried
// (greedy_search.cpp), whole points (points.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/scorecard/loss.hpp"
#include "core/scorecard/table.hpp"

namespace clausal::scorecard {

constexpr std::uint8_t kPositive = 1, kNegative = 2;  // allowed signs of a coefficient
constexpr std::int32_t kMostPoints = 100;             // of a rule in any search

struct Candidate {
    std::vector<std::uint32_t> literals;
    Words rows;
    std::uint8_t signs = kPositive | kNegative;
    std::int32_t low = -kMostPoints, high = kMostPoints;  // the least and the most points
    bool fixed = false;                                   // whether it stays in every model, as it is
};

struct Term {
    Candidate rule;
    std::size_t bank = 0;
    std::int32_t coefficient = 0;
};

// The rows that are in one set and in another, or in one and not in another, and what is added to their
// scores.
struct Part {
    const Words& rows;
    const Words& other;
    bool inside = true;
    std::int32_t amount = 0;

    std::uint64_t word(std::size_t k) const { return rows[k] & (inside ? other[k] : ~other[k]); }
};

class Model {
  public:
    // Without terms, with the offsets that fit best, or with these.
    Model(const Loss& loss, double ridge);
    Model(const Loss& loss, double ridge, const std::vector<std::int32_t>& offsets);

    const Loss& loss() const { return *loss_; }
    double ridge() const { return ridge_; }
    const std::vector<Term>& terms() const { return terms_; }
    const Scores& scores() const { return scores_; }
    const std::vector<std::int32_t>& offsets() const { return offsets_; }
    std::size_t n_literals() const;
    // The loss and the ridge penalty.
    double objective() const;

    void add(Term term);
    Term remove(std::size_t index);
    void insert(std::size_t index, Term term);
    void remove_zeros();  // except fixed rules
    void set_coefficient(std::size_t index, std::int32_t coefficient);
    void shift(std::size_t bank, std::int32_t amount);
    // Newton steps for all coefficients in turn, and for the offsets; ends when all changes are small.
    void fit(int max_sweeps);
    // Newton steps for the offsets alone.
    void fit_offsets(int max_steps);
    Derivatives sums(const Words& rows, std::size_t bank) const;
    // Over all rows, for one bank and for each.
    Derivatives total(std::size_t bank) const;
    std::vector<Derivatives> totals() const;
    // Whether it can lower the objective to add these amounts to the scores of these rows, which are not in
    // two parts, with a penalty that changes by `penalty`: not if that raises the loss by clearly more than
    // Newton steps of the offsets are then expected to lower it. `before` are the totals.
    bool can_improve(std::size_t bank, std::span<const Part> parts, double penalty,
                     const std::vector<Derivatives>& before);

  private:
    // By how much the loss changes with the scores of some rows; `totals` of the derivatives change, too.
    std::int64_t change_of(std::size_t bank, const Part& part, std::vector<Derivatives>& totals);
    // One Newton step; the size of the change.
    std::int32_t fit_offset(std::size_t bank);
    std::int32_t fit_term(std::size_t index);
    // `fit`, row by row; it calls this on groups of rows.
    void fit_rows(int max_sweeps);

    const Loss* loss_;
    double ridge_;
    Scores scores_;
    std::vector<std::int32_t> offsets_;
    std::vector<Term> terms_;
};

}  // namespace clausal::scorecard
