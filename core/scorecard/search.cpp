// See search.hpp.
#include "core/scorecard/search.hpp"

#include <algorithm>
#include <span>

#include "core/scorecard/conjunctions.hpp"

namespace clausal::scorecard {
namespace {

std::size_t n_literals(const std::vector<Term>& terms) {
    std::size_t n = 0;
    for (const Term& term : terms) n += term.rule.literals.size();
    return n;
}

// The last model of a path with at most `size` literals; the fixed rules, which come first, if there is none.
std::vector<Term> within(const std::vector<std::vector<Term>>& path, std::size_t size) {
    std::vector<Term> result;
    if (!path.empty() && path[0][0].rule.fixed) result = path[0];
    for (const auto& terms : path)
        if (n_literals(terms) <= size) result = terms;
    return result;
}

}  // namespace

std::vector<Card> find_cards(const Table& table, const Loss& loss, const Constraints& constraints,
                             const std::vector<Literals>& clauses, const Settings& settings,
                             const Poll& poll) {
    StopFlag stop(poll);
    const auto stopped = [&] { return stop.check_now(); };
    LiteralRows literal_rows(table);
    Space space{&table, &literal_rows, &constraints, settings.conjunctions, {}};
    if (settings.conjunctions) space.candidates = find_conjunctions(table, loss, constraints, clauses);
    Limits limits = settings.limits;
    limits.max_literals = settings.sizes.back();
    const auto path = find_path(space, loss, settings.ridge, limits, settings.sizes, stopped);
    std::vector<Card> cards;
    for (const std::size_t size :
         std::span(settings.sizes).last(settings.thorough ? 1 : settings.sizes.size())) {
        if (stopped()) return {};
        const std::vector<Term> terms = within(path, size);
        if (!cards.empty() && terms.size() == cards.back().terms.size() &&
            n_literals(terms) == n_literals(cards.back().terms))
            cards.push_back(cards.back());
        else
            cards.push_back(whole_points(space, terms, loss, settings.ridge, limits, settings.thorough));
    }
    return cards;
}

}  // namespace clausal::scorecard
