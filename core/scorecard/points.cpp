// See points.hpp.
#include "core/scorecard/points.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "core/scorecard/groups.hpp"

namespace clausal::scorecard {
namespace {

constexpr std::int32_t kLargestPoints[] = {1, 2, 3, 5, 7, 10, 14, 20, 30, 50, 70, 100};
constexpr double kMinImprovement = 1e-6;
constexpr int kOffsetSteps = 4;
constexpr std::array<int, 6> kSlides{-1, 1, -2, 2, -4, 4};  // the last four only where cuts are narrow

// A model whose coefficients are points times a value. `offset_steps` are Newton steps of the offsets.
class PointModel {
  public:
    PointModel(const std::vector<Term>& terms, const std::vector<std::int32_t>& points, std::int32_t value,
               const std::vector<std::int32_t>& offsets, const Loss& loss, double ridge, int offset_steps)
        : value_(value), model_(loss, ridge, offsets) {
        for (std::size_t k = 0; k < terms.size(); ++k)
            model_.add({terms[k].rule, terms[k].bank, points[k] * value});
        model_.fit_offsets(offset_steps);
        objective_ = model_.objective();
    }

    // The same card on other rows.
    PointModel on(const std::vector<Term>& terms, const Loss& loss, double ridge) const {
        return {terms, all_points(), value_, offsets(), loss, ridge, 0};
    }

    // Whether moves that can hardly help are left out.
    void set_screens(bool screens) { screens_ = screens; }
    double objective() const { return objective_; }
    std::int32_t value() const { return value_; }
    const std::vector<Term>& terms() const { return model_.terms(); }
    const std::vector<std::int32_t>& offsets() const { return model_.offsets(); }
    std::int32_t points(std::size_t k) const { return terms()[k].coefficient / value_; }
    std::vector<std::int32_t> all_points() const {
        std::vector<std::int32_t> result;
        for (std::size_t k = 0; k < terms().size(); ++k) result.push_back(points(k));
        return result;
    }

    bool may_have(std::size_t k, std::int32_t points, const Limits& limits) const {
        const Candidate& rule = terms()[k].rule;
        const bool within =
            std::abs(points) <= limits.max_points && rule.low <= points && points <= rule.high;
        return points != 0 && within && (rule.signs & (points > 0 ? kPositive : kNegative));
    }
    // By how many points they change; those of a fixed rule, which must stay, skip 0.
    std::int32_t step(std::size_t k, std::int32_t point) const {
        return terms()[k].rule.fixed && points(k) + point == 0 ? 2 * point : point;
    }

    // Adds a point, 1 or -1, to the points of a rule; keeps it only if that lowers the objective.
    bool add_point(std::size_t k, std::int32_t point, const Limits& limits) {
        point = step(k, point);
        if (!may_have(k, points(k) + point, limits)) return false;
        const Part part{terms()[k].rule.rows, terms()[k].rule.rows, true, point * value_};
        if (screens_ && !can_improve(terms()[k].bank, {&part, 1}, penalty(k, point))) return false;
        return change({{k, point}});
    }
    // The same with the point, 1 or -1, in whose direction the objective falls; with both if nothing is
    // screened. The objective is convex, so the other way it cannot fall.
    bool add_best_point(std::size_t k, const Limits& limits) {
        if (!screens_) return add_point(k, 1, limits) || add_point(k, -1, limits);
        const std::int32_t point = descent(k);
        return point != 0 && add_point(k, point, limits);
    }
    // Adds points to two rules of a bank at once.
    bool add_points(std::size_t k, std::int32_t first, std::size_t j, std::int32_t second,
                    const Limits& limits) {
        first = step(k, first);
        second = step(j, second);
        if (!may_have(k, points(k) + first, limits) || !may_have(j, points(j) + second, limits)) return false;
        if (screens_) {
            const auto parts =
                parts_of(terms()[k].rule.rows, first * value_, terms()[j].rule.rows, second * value_);
            if (!can_improve(terms()[k].bank, parts, penalty(k, first) + penalty(j, second))) return false;
        }
        return change({{k, first}, {j, second}});
    }

    // Whether another term of the bank of term k divides the rows as these literals do.
    bool has_other(std::size_t k, const Literals& literals, const Table& table) const {
        for (std::size_t j = 0; j < terms().size(); ++j)
            if (j != k && terms()[j].bank == terms()[k].bank &&
                table.same_split(terms()[j].rule.literals, literals))
                return true;
        return false;
    }

    // Puts another rule in the place of one, with the same points; keeps it only if that
    // lowers the objective.
    bool replace(std::size_t k, const Candidate& rule) {
        const std::int32_t coefficient = terms()[k].coefficient;
        const Words& own = terms()[k].rule.rows;
        const std::array parts{Part{rule.rows, own, false, coefficient},
                               Part{own, rule.rows, false, -coefficient}};
        if (screens_ && !can_improve(terms()[k].bank, parts, 0.0)) return false;
        const std::vector<std::int32_t> offsets = model_.offsets();
        Term before = model_.remove(k);
        model_.insert(k, {rule, before.bank, before.coefficient});
        model_.fit_offsets(1);
        if (keep()) return true;
        model_.remove(k);
        model_.insert(k, std::move(before));
        set_offsets(offsets);
        return false;
    }

  private:
    // The rows of one rule alone, of another alone, and of both, with what is added to their scores.
    static std::array<Part, 3> parts_of(const Words& one, std::int32_t first, const Words& two,
                                        std::int32_t second) {
        return {Part{one, two, false, first}, Part{two, one, false, second},
                Part{one, two, true, first + second}};
    }

    // How much the ridge penalty changes with the points of a rule.
    double penalty(std::size_t k, std::int32_t point) const {
        const double before = static_cast<double>(terms()[k].coefficient) / kScoreUnit;
        const double after = static_cast<double>(terms()[k].coefficient + point * value_) / kScoreUnit;
        return 0.5 * model_.ridge() * (after * after - before * before);
    }

    // The sign of the points with which the objective falls, 0 if it is at its minimum.
    std::int32_t descent(std::size_t k) const {
        const Term& term = terms()[k];
        const double gradient = model_.loss().real(model_.sums(term.rule.rows, term.bank).gradient);
        const double penalty = model_.ridge() * (static_cast<double>(term.coefficient) / kScoreUnit);
        return (gradient > penalty) - (gradient < penalty);
    }

    bool can_improve(std::size_t bank, std::span<const Part> parts, double penalty) {
        if (totals_.empty()) totals_ = model_.totals();
        return model_.can_improve(bank, parts, penalty, totals_);
    }

    bool change(std::initializer_list<std::pair<std::size_t, std::int32_t>> changes) {
        const std::vector<std::int32_t> offsets = model_.offsets();
        for (const auto& [k, change] : changes)
            model_.set_coefficient(k, terms()[k].coefficient + change * value_);
        model_.fit_offsets(1);
        if (keep()) return true;
        for (const auto& [k, change] : changes)
            model_.set_coefficient(k, terms()[k].coefficient - change * value_);
        set_offsets(offsets);
        return false;
    }

    // Whether the model is better than before; it is then the one to be improved.
    bool keep() {
        const double objective = model_.objective();
        if (!(objective < objective_ - kMinImprovement)) return false;
        objective_ = objective;
        totals_.clear();
        return true;
    }

    void set_offsets(const std::vector<std::int32_t>& offsets) {
        for (std::size_t bank = 0; bank < offsets.size(); ++bank)
            model_.shift(bank, offsets[bank] - model_.offsets()[bank]);
    }

    std::int32_t value_;
    bool screens_ = true;
    Model model_;
    double objective_ = 0.0;
    std::vector<Derivatives> totals_;  // of the model; empty if not computed
};

// The whole points near a coefficient that a rule may have.
std::int32_t rounded(const Term& term, std::int32_t value, const Limits& limits) {
    const Candidate& rule = term.rule;
    const double exact = std::rint(std::abs(term.coefficient) / static_cast<double>(value));
    const std::int32_t points = std::max(static_cast<std::int32_t>(exact), 1);
    if (term.coefficient < 0 || !(rule.signs & kPositive))
        return -std::min({std::max(points, -rule.high), limits.max_points, -rule.low});
    return std::min({std::max(points, rule.low), limits.max_points, rule.high});
}

// The scale with the lowest objective: coefficients so that the largest has 1, 2, 3, ... points, or that a
// fixed rule has about the coefficient that its given points stand for; rounded. `best` is a card to begin
// with, if there is one.
PointModel best_scale(const Grouped& rows, double ridge, const Limits& limits,
                      std::optional<PointModel> best) {
    std::int32_t size = 1;
    for (const Term& term : rows.terms) size = std::max(size, std::abs(term.coefficient));
    std::vector<std::pair<std::int32_t, std::int32_t>> scales;  // a coefficient and its points
    for (const std::int32_t largest : kLargestPoints)
        if (largest <= limits.max_points) scales.emplace_back(size, largest);
    for (const Term& term : rows.terms)
        if (term.rule.fixed && term.rule.low == term.rule.high)
            scales.emplace_back(std::abs(term.coefficient), std::abs(term.rule.low));
    std::vector<std::int32_t> offsets = Model(rows.loss, ridge).offsets();
    for (const auto& [coefficient, of_points] : scales) {
        const auto value =
            std::max(1, static_cast<std::int32_t>(std::rint(static_cast<double>(coefficient) / of_points)));
        std::vector<std::int32_t> points;
        for (const Term& term : rows.terms) points.push_back(rounded(term, value, limits));
        PointModel model(rows.terms, points, value, offsets, rows.loss, ridge, kOffsetSteps);
        offsets = model.offsets();
        if (!best || model.objective() < best->objective() - kMinImprovement) best.emplace(std::move(model));
    }
    return std::move(*best);
}

bool change_one(PointModel& model, const Limits& limits) {
    bool improved = false;
    for (std::size_t k = 0; k < model.terms().size(); ++k)
        improved = model.add_best_point(k, limits) || improved;
    return improved;
}

bool change_value(PointModel& model, const Loss& loss, double ridge) {
    const std::int32_t value = model.value(), step = std::max(1, value / 16);
    for (const std::int32_t other : {value + step, value - step, value + 1, value - 1}) {
        if (other < 1) continue;
        PointModel tried(model.terms(), model.all_points(), other, model.offsets(), loss, ridge,
                         kOffsetSteps);
        if (tried.objective() < model.objective() - kMinImprovement) {
            model = std::move(tried);
            return true;
        }
    }
    return false;
}

// A point more or less of each of two rules of a bank.
bool change_two(PointModel& model, const Limits& limits) {
    for (std::size_t k = 0; k < model.terms().size(); ++k)
        for (std::size_t j = k + 1; j < model.terms().size(); ++j)
            if (model.terms()[k].bank == model.terms()[j].bank)
                for (const auto& [first, second] : {std::pair{-1, 1}, {1, -1}, {1, 1}, {-1, -1}})
                    if (model.add_points(k, first, j, second, limits)) return true;
    return false;
}

// Another cut point of one literal of a rule: the next one, or up to the fourth where cuts are narrow. Not
// where two rules would divide the rows alike.
bool slide_literal(PointModel& model, const Space& space, std::size_t k, std::size_t a) {
    const Table& table = *space.table;
    const Literals own = model.terms()[k].rule.literals;
    const std::uint8_t sign = model.points(k) > 0 ? kPositive : kNegative;
    const std::size_t column = own[a] % table.n_columns();
    for (const int step : std::span(kSlides).first(table.has_more_cuts() ? kSlides.size() : 2)) {
        const std::size_t other = column + static_cast<std::size_t>(step);  // wraps where there is none
        if (other >= table.n_columns()) continue;
        const auto next = static_cast<std::uint32_t>(own[a] - column + other);
        if (table.feature_of(next) != table.feature_of(own[a])) continue;
        Literals literals = own;
        literals[a] = next;
        if (own.size() > 1) literals = table.simplified(std::move(literals));
        if (literals.size() != own.size() || !(space.constraints->signs_of(literals) & sign) ||
            model.has_other(k, literals, table))
            continue;
        Candidate rule = model.terms()[k].rule;  // other cut points of the same features: the same bounds
        rule.signs = space.constraints->signs_of(literals);
        rule.rows = space.literal_rows->all(literals);
        rule.literals = std::move(literals);
        if (model.replace(k, rule)) return true;
    }
    return false;
}

// Other cut points of all literals of rules that are not fixed, in turn.
bool slide(PointModel& model, const Space& space) {
    bool improved = false;
    for (std::size_t k = 0; k < model.terms().size(); ++k)
        for (std::size_t a = 0; a < model.terms()[k].rule.literals.size() && !model.terms()[k].rule.fixed;
             ++a)
            while (slide_literal(model, space, k, a)) improved = true;
    return improved;
}

}  // namespace

Card whole_points(const Space& space, const std::vector<Term>& terms, const Loss& loss, double ridge,
                  const Limits& limits, bool thorough) {
    if (terms.empty()) {
        const Model model(loss, ridge);
        return {{}, model.offsets(), 1, model.objective()};
    }
    std::vector<Term> current = terms;
    std::optional<PointModel> model;  // on all rows; its objective falls in every round
    bool screens = true;
    for (;;) {
        const Grouped rows(current, loss, *group_rows(current, loss, loss.n_rows()));
        std::optional<PointModel> before;
        if (model) before.emplace(model->on(rows.terms, rows.loss, ridge));
        PointModel grouped = best_scale(rows, ridge, limits, std::move(before));
        do {
            grouped.set_screens(screens);
        } while (change_one(grouped, limits) || change_value(grouped, rows.loss, ridge) ||
                 (thorough && change_two(grouped, limits)));
        model.emplace(grouped.on(current, loss, ridge));
        model->set_screens(screens);
        const bool slid = slide(*model, space);
        while (thorough && slide(*model, space)) continue;
        if (!thorough || (!slid && !screens)) {
            Card card{model->terms(), model->offsets(), model->value(), model->objective()};
            for (std::size_t k = 0; k < card.terms.size(); ++k) card.terms[k].coefficient = model->points(k);
            return card;
        }
        if (!slid) screens = false;  // a round in which every move is evaluated in full
        current = model->terms();
    }
}

}  // namespace clausal::scorecard
