// See points.hpp.
#include "core/scorecard/points.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/scorecard/groups.hpp"

namespace clausal::scorecard {
namespace {

constexpr std::int32_t kLargestPoints[] = {1, 2, 3, 5, 7, 10, 14, 20, 30, 50, 70, 100};
constexpr double kMinImprovement = 1e-6;
constexpr int kOffsetSteps = 4;

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
        const std::uint8_t sign = points > 0 ? kPositive : kNegative;
        return points != 0 && std::abs(points) <= limits.max_points && (terms()[k].rule.signs & sign);
    }

    // Adds a point, 1 or -1, to the points of a rule, or moves one to another rule of its bank; keeps it only
    // if that lowers the objective.
    bool add_point(std::size_t k, std::int32_t point, const Limits& limits) {
        if (!may_have(k, points(k) + point, limits)) return false;
        const Words& rows = terms()[k].rule.rows;
        if (screens_ && !can_improve(terms()[k].bank, rows, {}, point * value_, penalty(k, point)))
            return false;
        return change({{k, point}});
    }
    // The same with the point, 1 or -1, in whose direction the objective falls; with both if nothing is
    // screened. The objective is convex, so the other way it cannot fall.
    bool add_best_point(std::size_t k, const Limits& limits) {
        if (!screens_) return add_point(k, 1, limits) || add_point(k, -1, limits);
        const std::int32_t point = descent(k);
        return point != 0 && add_point(k, point, limits);
    }
    bool move_point(std::size_t from, std::size_t to, const Limits& limits) {
        if (!may_have(from, points(from) - 1, limits) || !may_have(to, points(to) + 1, limits)) return false;
        const Words &plus = terms()[to].rule.rows, &minus = terms()[from].rule.rows;
        if (screens_ && !can_improve(terms()[to].bank, without(plus, minus), without(minus, plus), value_,
                                     penalty(from, -1) + penalty(to, 1)))
            return false;
        return change({{from, -1}, {to, 1}});
    }

    // Whether another term of the bank of term k divides the rows as these literals do.
    bool has_other(std::size_t k, const Literals& literals, const Table& table) const {
        for (std::size_t j = 0; j < terms().size(); ++j)
            if (j != k && terms()[j].bank == terms()[k].bank &&
                table.same_split(terms()[j].rule.literals, literals))
                return true;
        return false;
    }

    // Puts another rule in the place of one, with the same points; keeps it only if that lowers the
    // objective.
    bool replace(std::size_t k, Candidate rule) {
        const Words& rows = terms()[k].rule.rows;
        if (screens_ && !can_improve(terms()[k].bank, without(rule.rows, rows), without(rows, rule.rows),
                                     terms()[k].coefficient, 0.0))
            return false;
        const std::vector<std::int32_t> offsets = model_.offsets();
        Term before = model_.remove(k);
        model_.insert(k, {std::move(rule), before.bank, before.coefficient});
        model_.fit_offsets(1);
        if (keep()) return true;
        model_.remove(k);
        model_.insert(k, std::move(before));
        set_offsets(offsets);
        return false;
    }

  private:
    // The rows of one rule that are not of another.
    static Words without(const Words& rows, const Words& others) {
        Words result = rows;
        for (std::size_t word = 0; word < rows.size(); ++word) result[word] &= ~others[word];
        return result;
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

    bool can_improve(std::size_t bank, const Words& plus, const Words& minus, std::int32_t amount,
                     double penalty) {
        if (totals_.empty()) totals_ = model_.totals();
        return model_.can_improve(bank, plus, minus, amount, penalty, totals_);
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

// The scale with the lowest objective: coefficients so that the largest has 1, 2, 3, ... points, rounded.
// `best` is a card to begin with, if there is one.
PointModel best_scale(const Grouped& rows, double ridge, const Limits& limits,
                      std::optional<PointModel> best) {
    std::int32_t size = 1;
    for (const Term& term : rows.terms) size = std::max(size, std::abs(term.coefficient));
    std::vector<std::int32_t> offsets = Model(rows.loss, ridge).offsets();
    for (const std::int32_t largest : kLargestPoints) {
        if (largest > limits.max_points) break;
        const auto value =
            std::max(1, static_cast<std::int32_t>(std::rint(static_cast<double>(size) / largest)));
        std::vector<std::int32_t> points;
        for (const Term& term : rows.terms) {
            const double exact = std::rint(std::abs(term.coefficient) / static_cast<double>(value));
            const std::int32_t rounded = std::clamp(static_cast<std::int32_t>(exact), 1, limits.max_points);
            points.push_back(term.coefficient < 0 ? -rounded : rounded);
        }
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

// A point from one rule to another of the same bank.
bool move_point(PointModel& model, const Limits& limits) {
    for (std::size_t from = 0; from < model.terms().size(); ++from)
        for (std::size_t to = 0; to < model.terms().size(); ++to)
            if (from != to && model.terms()[from].bank == model.terms()[to].bank &&
                model.move_point(from, to, limits))
                return true;
    return false;
}

// The next cut point, up or down, of one literal of a rule; not where two rules would divide the rows alike.
bool slide(PointModel& model, const Space& space) {
    const std::size_t n_columns = space.table->n_columns();
    for (std::size_t k = 0; k < model.terms().size(); ++k) {
        const Literals own = model.terms()[k].rule.literals;
        const std::uint8_t sign = model.points(k) > 0 ? kPositive : kNegative;
        for (std::size_t a = 0; a < own.size(); ++a)
            for (const bool up : {false, true}) {
                const std::uint32_t literal = own[a];
                const std::size_t column = literal % n_columns;
                if (up ? column + 1 == n_columns : column == 0) continue;
                const std::uint32_t next = up ? literal + 1 : literal - 1;
                if (space.table->feature_of(next) != space.table->feature_of(literal)) continue;
                Literals literals = own;
                literals[a] = next;
                literals = space.table->simplified(std::move(literals));
                Candidate rule = make_candidate(*space.table, std::move(literals), space.signs);
                if (rule.literals.size() == own.size() && (rule.signs & sign) &&
                    !model.has_other(k, rule.literals, *space.table) && model.replace(k, std::move(rule)))
                    return true;
            }
    }
    return false;
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
        const Grouped rows(current, loss, *group_rows(current, loss.n_rows(), loss.n_rows()));
        std::optional<PointModel> before;
        if (model) before.emplace(model->on(rows.terms, rows.loss, ridge));
        PointModel grouped = best_scale(rows, ridge, limits, std::move(before));
        do {
            grouped.set_screens(screens);
        } while (change_one(grouped, limits) || change_value(grouped, rows.loss, ridge) ||
                 (thorough && move_point(grouped, limits)));
        model.emplace(grouped.on(current, loss, ridge));
        model->set_screens(screens);
        bool slid = false;
        while (slide(*model, space)) slid = true;
        if (!slid && thorough && screens) {
            screens = false;  // a round in which every move is evaluated in full
        } else if (!slid) {
            Card card{model->terms(), model->offsets(), model->value(), model->objective()};
            for (std::size_t k = 0; k < card.terms.size(); ++k) card.terms[k].coefficient = model->points(k);
            return card;
        }
        current = model->terms();
    }
}

}  // namespace clausal::scorecard
