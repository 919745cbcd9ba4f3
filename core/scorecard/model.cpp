// See model.hpp.
#include "core/scorecard/model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/bits.hpp"
#include "core/scorecard/groups.hpp"

namespace clausal::scorecard {
namespace {

constexpr std::int32_t kMaxStep = kScoreUnit;  // of one Newton step
constexpr std::int32_t kSmallChange = 2;       // sweeps end if no coefficient changes by more
constexpr std::int32_t kMaxCoefficient = 8 * kScoreUnit;
constexpr double kOffsetSlack = 1.125;  // Newton steps may lower the loss a little more than expected

// A Newton step as a whole number of score units, at most kMaxStep.
std::int32_t limited(double step) {
    return static_cast<std::int32_t>(std::rint(std::clamp(step, -1.0 * kMaxStep, 1.0 * kMaxStep)));
}

void add_to_rows(Scores& scores, std::size_t bank, const Words& rows, std::int32_t amount) {
    for (std::size_t word = 0; word < rows.size(); ++word)
        for_each_bit(rows[word], [&](std::size_t k) { scores.add(bank, 64 * word + k, amount); });
}

}  // namespace

Model::Model(const Loss& loss, double ridge)
    : loss_(&loss), ridge_(ridge), scores_(loss.n_banks(), loss.n_rows()), offsets_(loss.n_banks(), 0) {
    fit_offsets(30);
}

Model::Model(const Loss& loss, double ridge, const std::vector<std::int32_t>& offsets)
    : loss_(&loss), ridge_(ridge), scores_(loss.n_banks(), loss.n_rows()), offsets_(loss.n_banks(), 0) {
    for (std::size_t bank = 0; bank < offsets.size(); ++bank) shift(bank, offsets[bank]);
}

std::size_t Model::n_literals() const {
    std::size_t n = 0;
    for (const Term& term : terms_) n += term.rule.literals.size();
    return n;
}

double Model::objective() const {
    double penalty = 0.0;
    for (const Term& term : terms_) {
        const double coefficient = static_cast<double>(term.coefficient) / kScoreUnit;
        penalty += coefficient * coefficient;
    }
    return loss_->real(loss_->total(scores_)) + 0.5 * ridge_ * penalty;
}

void Model::add(Term term) { insert(terms_.size(), std::move(term)); }

void Model::insert(std::size_t index, Term term) {
    add_to_rows(scores_, term.bank, term.rule.rows, term.coefficient);
    terms_.insert(terms_.begin() + static_cast<std::ptrdiff_t>(index), std::move(term));
}

Term Model::remove(std::size_t index) {
    Term term = std::move(terms_[index]);
    terms_.erase(terms_.begin() + static_cast<std::ptrdiff_t>(index));
    add_to_rows(scores_, term.bank, term.rule.rows, -term.coefficient);
    return term;
}

void Model::remove_zeros() {
    for (std::size_t index = terms_.size(); index-- > 0;)
        if (terms_[index].coefficient == 0 && !terms_[index].rule.fixed) remove(index);
}

void Model::set_coefficient(std::size_t index, std::int32_t coefficient) {
    Term& term = terms_[index];
    if (coefficient == term.coefficient) return;
    add_to_rows(scores_, term.bank, term.rule.rows, coefficient - term.coefficient);
    term.coefficient = coefficient;
}

void Model::shift(std::size_t bank, std::int32_t amount) {
    offsets_[bank] += amount;
    for (std::size_t row = 0; row < scores_.n_rows(); ++row) scores_.add(bank, row, amount);
}

Derivatives Model::sums(const Words& rows, std::size_t bank) const {
    Derivatives sum;
    for (std::size_t word = 0; word < rows.size(); ++word)
        for_each_bit(rows[word], [&](std::size_t k) { sum += loss_->of_row(scores_, bank, 64 * word + k); });
    return sum;
}

Derivatives Model::total(std::size_t bank) const {
    Derivatives sum;
    for (std::size_t row = 0; row < loss_->n_rows(); ++row) sum += loss_->of_row(scores_, bank, row);
    return sum;
}

std::vector<Derivatives> Model::totals() const {
    std::vector<Derivatives> sums;
    for (std::size_t bank = 0; bank < offsets_.size(); ++bank) sums.push_back(total(bank));
    return sums;
}

bool Model::can_improve(std::size_t bank, std::span<const Part> parts, double penalty,
                        const std::vector<Derivatives>& before) {
    std::vector<Derivatives> after = before;
    std::int64_t change = 0;
    for (const Part& part : parts) change += change_of(bank, part, after);
    double offsets = 0.0;
    for (const Derivatives& sum : after)
        if (sum.curvature > 0) {
            const double gradient = loss_->real(sum.gradient);
            offsets += gradient * gradient / loss_->real(sum.curvature);
        }
    return loss_->real(change) + penalty < kOffsetSlack * 0.5 * offsets;
}

std::int64_t Model::change_of(std::size_t bank, const Part& part, std::vector<Derivatives>& totals) {
    if (part.amount == 0) return 0;
    std::int64_t change = 0;
    const auto each_row = [&](const auto& visit) {
        for (std::size_t word = 0; word < part.rows.size(); ++word)
            for_each_bit(part.word(word), [&](std::size_t bit) { visit(64 * word + bit); });
    };
    if (totals.size() == 1) {
        Derivatives sum = totals[0];
        const std::int32_t* scores = scores_.bank(0);
        each_row([&](std::size_t row) {
            const Derivatives own = loss_->of_row_at(scores[row], row);
            sum += loss_->of_row_at(scores[row] + part.amount, row);
            sum += {-own.gradient, -own.curvature};
            change += loss_->of_one_at(scores[row] + part.amount, row) - loss_->of_one_at(scores[row], row);
        });
        totals[0] = sum;
        return change;
    }
    const auto count = [&](std::size_t row, std::int64_t sign) {
        change += sign * loss_->of_one(scores_, row);
        for (std::size_t k = 0; k < totals.size(); ++k) {
            const Derivatives own = loss_->of_row(scores_, k, row);
            totals[k] += {sign * own.gradient, sign * own.curvature};
        }
    };
    each_row([&](std::size_t row) {
        count(row, -1);
        scores_.add(bank, row, part.amount);
        count(row, 1);
        scores_.add(bank, row, -part.amount);
    });
    return change;
}

std::int32_t Model::fit_offset(std::size_t bank) {
    const Derivatives sum = total(bank);
    if (sum.curvature == 0) return 0;
    const double newton = static_cast<double>(sum.gradient) / static_cast<double>(sum.curvature) * kScoreUnit;
    const std::int32_t change = limited(newton);
    if (change == 0 || std::abs(offsets_[bank] + change) > kMaxScore) return 0;
    shift(bank, change);
    return std::abs(change);
}

std::int32_t Model::fit_term(std::size_t index) {
    const Term& term = terms_[index];
    const Derivatives sum = sums(term.rule.rows, term.bank);
    const double coefficient = static_cast<double>(term.coefficient) / kScoreUnit;
    const double curvature = loss_->real(sum.curvature) + ridge_;
    if (curvature <= 0.0) return 0;
    const double newton = (loss_->real(sum.gradient) - ridge_ * coefficient) / curvature * kScoreUnit;
    const std::int32_t before = term.coefficient;
    std::int32_t changed = std::clamp(before + limited(newton), -kMaxCoefficient, kMaxCoefficient);
    if (!(term.rule.signs & kPositive)) changed = std::min(changed, 0);
    if (!(term.rule.signs & kNegative)) changed = std::max(changed, 0);
    set_coefficient(index, changed);
    return std::abs(changed - before);
}

void Model::fit_offsets(int max_steps) {
    for (int step = 0; step < max_steps; ++step) {
        std::int32_t largest = 0;
        for (std::size_t bank = 0; bank < offsets_.size(); ++bank)
            largest = std::max(largest, fit_offset(bank));
        if (largest == 0) break;
    }
}

void Model::fit(int max_sweeps) {
    const auto groups = group_rows(terms_, *loss_, loss_->n_rows() / 2);
    if (!groups) return fit_rows(max_sweeps);
    const Grouped rows(terms_, *loss_, *groups);
    Model model(rows.loss, ridge_, offsets_);
    for (const Term& term : rows.terms) model.add(term);
    model.fit_rows(max_sweeps);
    for (std::size_t index = 0; index < terms_.size(); ++index)
        terms_[index].coefficient = model.terms_[index].coefficient;
    offsets_ = model.offsets_;
    scores_ = model.scores_.spread(groups->of_row);
}

void Model::fit_rows(int max_sweeps) {
    for (int sweep = 0; sweep < max_sweeps; ++sweep) {
        std::int32_t largest = 0;
        for (std::size_t bank = 0; bank < offsets_.size(); ++bank)
            largest = std::max(largest, fit_offset(bank));
        for (std::size_t index = 0; index < terms_.size(); ++index)
            largest = std::max(largest, fit_term(index));
        if (largest <= kSmallChange) break;
    }
    fit_offsets(2);
}

}  // namespace clausal::scorecard
