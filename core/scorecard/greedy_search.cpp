// See greedy_search.hpp.
#include "core/scorecard/greedy_search.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace clausal::scorecard {
namespace {

constexpr double kSwapFactor = 1.02;  // a swap is tried if its estimated gain is this many times the present
constexpr double kTie = 1.0 + 0x1p-20;  // a later candidate must be better by this factor: sums are rounded
constexpr int kMaxSweeps = 8;
constexpr std::size_t kMaxSwapTerms = 12;  // in larger models, swaps cost much and change little

struct Choice {
    double value = 0.0;  // the gain per literal
    Gain gain;
    std::size_t bank = 0;
    Literals literals;
    const Candidate* candidate = nullptr;  // nullptr: a literal, or a rule of the model with one more
};

class Path {
  public:
    Path(const Space& space, const Loss& loss, double ridge, const Limits& limits,
         std::span<const std::size_t> sizes)
        : space_(space),
          table_(*space.table),
          loss_(loss),
          limits_(limits),
          sizes_(sizes),
          model_(loss, ridge) {}

    std::vector<std::vector<Term>> run(const std::function<bool()>& stopped) {
        std::vector<std::vector<Term>> path;
        for (Term& term : space_.constraints->fixed_terms()) model_.add(std::move(term));
        if (!model_.terms().empty()) {
            model_.fit(kMaxSweeps);
            path.push_back(model_.terms());
        }
        while (model_.n_literals() < limits_.max_literals && model_.terms().size() < limits_.max_rules) {
            if (stopped() || !add()) break;
            if (model_.terms().size() <= kMaxSwapTerms &&
                std::binary_search(sizes_.begin(), sizes_.end(), model_.n_literals()))
                for (std::size_t index = 0; index + 1 < model_.terms().size(); ++index)
                    if (stopped() || swap(index)) break;
            path.push_back(model_.terms());
        }
        return path;
    }

  private:
    // Adds the rule with the highest gain per literal; false if none lowers the objective.
    bool add() {
        const Choice choice = best(limits_.max_literals - model_.n_literals(), true);
        if (choice.gain.gain <= kMinGain) return false;
        const double before = model_.objective();
        model_.add(make_term(choice));
        model_.fit(kMaxSweeps);
        model_.remove_zeros();
        return model_.objective() < before;
    }

    // Replaces a rule by another one of at most its length, if that lowers the objective.
    bool swap(std::size_t index) {
        if (model_.terms()[index].rule.fixed) return false;
        Term term = model_.remove(index);
        const std::size_t length = term.rule.literals.size();
        derivatives_.compute(loss_, model_.scores(), term.bank);
        const Gain own = estimate(loss_, derivatives_.sum(term.rule.rows), derivatives_.sum(), model_.ridge(),
                                  term.rule.signs);
        const Choice other = best(length, false);
        const bool same = other.bank == term.bank && other.literals == term.rule.literals;
        if (!same && other.gain.gain > kSwapFactor * own.gain) {
            const Model without = model_;
            model_.insert(index, term);
            const double before = model_.objective();
            model_ = without;
            model_.insert(index, make_term(other));
            model_.fit(kMaxSweeps);
            model_.remove_zeros();
            if (model_.objective() < before - kMinGain) return true;
            model_ = without;
        }
        model_.insert(index, std::move(term));
        return false;
    }

    // The rule of at most `max_literals` literals with the highest gain per literal. Rules that extend one of
    // the model are tried if `extend`.
    Choice best(std::size_t max_literals, bool extend) {
        Choice best;
        for (std::size_t bank = 0; bank < loss_.n_banks(); ++bank) {
            derivatives_.compute(loss_, model_.scores(), bank);
            const Derivatives all = derivatives_.sum();
            const std::vector<Derivatives> sums = derivatives_.literal_sums(table_);
            for (const std::uint32_t literal : table_.first_literals())
                consider(best, sums[literal], all, bank, {&literal, 1}, space_.constraints->signs_of(literal),
                         nullptr);
            for (const Candidate& candidate : space_.candidates)
                if (candidate.literals.size() <= max_literals)
                    consider(best, derivatives_.sum(candidate.rows), all, bank, candidate.literals,
                             candidate.signs, &candidate);
            if (extend && space_.conjunctions) consider_extensions(best, all, bank, max_literals);
        }
        return best;
    }

    void consider_extensions(Choice& best, const Derivatives& all, std::size_t bank,
                             std::size_t max_literals) const {
        for (const Term& term : model_.terms()) {
            const std::size_t length = term.rule.literals.size() + 1;
            if (term.bank != bank || length > max_literals) continue;
            const std::vector<Derivatives> sums = derivatives_.literal_sums(table_, &term.rule.rows);
            for (const std::uint32_t literal : table_.first_literals()) {
                std::uint8_t wider = space_.constraints->signs_of(literal);
                if (!term.rule.fixed) wider &= term.rule.signs;
                const Gain gain = estimate(loss_, sums[literal], all, model_.ridge(), wider);
                if (gain.gain / static_cast<double>(length) <= best.value) continue;
                Literals literals = term.rule.literals;
                literals.push_back(literal);
                const std::uint8_t signs = space_.constraints->signs_of(literals);
                literals = table_.simplified(std::move(literals));
                if (literals.size() == length)
                    consider(best, sums[literal], all, bank, literals, signs, nullptr);
            }
        }
    }

    void consider(Choice& best, const Derivatives& sum, const Derivatives& all, std::size_t bank,
                  std::span<const std::uint32_t> literals, std::uint8_t signs,
                  const Candidate* candidate) const {
        const Gain gain = estimate(loss_, sum, all, model_.ridge(), signs);
        const double value = gain.gain / static_cast<double>(literals.size());
        if (value <= kTie * best.value || has(bank, literals) || !allows_features(literals)) return;
        best = {value, gain, bank, {literals.begin(), literals.end()}, candidate};
    }

    bool has(std::size_t bank, std::span<const std::uint32_t> literals) const {
        return std::any_of(model_.terms().begin(), model_.terms().end(), [&](const Term& term) {
            return term.bank == bank && table_.same_split(term.rule.literals, literals);
        });
    }

    bool allows_features(std::span<const std::uint32_t> literals) const {
        if (limits_.max_features >= table_.features().size()) return true;
        std::set<std::size_t> used;
        for (const std::uint32_t literal : literals) used.insert(table_.feature_of(literal));
        for (const Term& term : model_.terms())
            for (const std::uint32_t literal : term.rule.literals) used.insert(table_.feature_of(literal));
        return used.size() <= limits_.max_features;
    }

    Term make_term(const Choice& choice) const {
        const double coefficient = std::clamp(choice.gain.coefficient, -1.0, 1.0) * kScoreUnit;
        Candidate rule =
            choice.candidate ? *choice.candidate : space_.constraints->candidate(choice.literals);
        return {std::move(rule), choice.bank, static_cast<std::int32_t>(std::rint(coefficient))};
    }

    const Space& space_;
    const Table& table_;
    const Loss& loss_;
    const Limits& limits_;
    std::span<const std::size_t> sizes_;
    Model model_;
    RowDerivatives derivatives_;
};

}  // namespace

std::vector<std::vector<Term>> find_path(const Space& space, const Loss& loss, double ridge,
                                         const Limits& limits, std::span<const std::size_t> sizes,
                                         const std::function<bool()>& stopped) {
    return Path(space, loss, ridge, limits, sizes).run(stopped);
}

}  // namespace clausal::scorecard
