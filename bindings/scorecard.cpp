// The search for scorecards: a table that several searches share, each with its own weights and targets.
// Sizes and values are checked here, naming both; the GIL is released, Ctrl-C is answered. Not here: any
// computing (core/scorecard).
#include "bindings/scorecard.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "core/require.hpp"
#include "core/scorecard/bins.hpp"
#include "core/scorecard/search.hpp"

namespace clausal::bindings {
namespace {

using namespace nb::literals;
using scorecard::Card;
using scorecard::Literals;
using scorecard::Table;

constexpr std::size_t kMostRows = UINT32_MAX;
constexpr std::size_t kMostBanks = 1 << 20;

template <class T>
Out<T, 1> as_array(const std::vector<T>& values) {
    auto data = std::make_unique_for_overwrite<T[]>(values.size());
    std::copy(values.begin(), values.end(), data.get());
    return owned<T, 1>(std::move(data), {values.size()});
}

void require_features(std::span<const std::uint32_t> feature_of) {
    require(std::is_sorted(feature_of.begin(), feature_of.end()),
            "the features of columns must be ascending");
}

// The bins [features, rows] of packed literals, the number of bins of each feature, and the truth [literals,
// bins] of its literals, one feature after the other.
nb::tuple bin_rows(In<std::uint64_t, 2> literals, In<std::uint32_t, 1> feature_of) {
    require_at_most("the number of rows", literals.shape(0), kMostRows);
    require_at_most("the number of columns", feature_of.shape(0), kMostColumns);
    require_size("the number of words of a row", literals.shape(1), (2 * feature_of.shape(0) + 63) / 64);
    require_features(view(feature_of));
    const std::size_t n_rows = literals.shape(0);
    std::vector<scorecard::Feature> features;
    std::unique_ptr<std::uint16_t[]> bins;
    {
        const GilRelease release;
        features = scorecard::bin_rows(n_rows, view(literals), view(feature_of));
        bins = std::make_unique_for_overwrite<std::uint16_t[]>(checked_product(features.size(), n_rows));
        for (std::size_t f = 0; f < features.size(); ++f)
            features[f].bins.visit([&](const auto* own) { std::copy_n(own, n_rows, &bins[f * n_rows]); });
    }
    std::vector<std::int64_t> n_bins;
    std::vector<std::uint8_t> truth;
    for (const scorecard::Feature& feature : features) {
        n_bins.push_back(static_cast<std::int64_t>(feature.n_bins));
        truth.insert(truth.end(), feature.truth.begin(), feature.truth.end());
    }
    return nb::make_tuple(owned<std::uint16_t, 2>(std::move(bins), {features.size(), n_rows}),
                          as_array(n_bins), as_array(truth));
}

scorecard::Bins copied(std::span<const std::uint8_t> bins, std::size_t) {
    return scorecard::Bins(std::vector<std::uint8_t>(bins.begin(), bins.end()));
}

scorecard::Bins copied(std::span<const std::uint16_t> bins, std::size_t n_bins) {
    return {std::vector<std::uint16_t>(bins.begin(), bins.end()), n_bins};
}

// A table of what `bin_rows` gives, perhaps with bins of one byte; `begins`: 1 for the columns that a search
// begins with.
template <class Bin>
void make_table(Table* self, In<Bin, 2> bins, In<std::int64_t, 1> n_bins, In<std::uint8_t, 1> truth,
                In<std::uint32_t, 1> feature_of, In<std::uint8_t, 1> begins) {
    require_at_most("the number of rows", bins.shape(1), kMostRows);
    require_at_most("the number of columns", feature_of.shape(0), kMostColumns);
    require_size("the number of numbers of bins", n_bins.shape(0), bins.shape(0));
    require_size("the number of columns that begin or not", begins.shape(0), feature_of.shape(0));
    require_range<std::uint8_t>("whether a column begins", view(begins), 0, 1);
    require_range<std::uint8_t>("whether a literal holds", view(truth), 0, 1);
    require_range("a number of bins", view(n_bins), std::int64_t{0}, std::int64_t{UINT16_MAX});
    const auto owners = view(feature_of);
    require_features(owners);
    const std::size_t n_rows = bins.shape(1);
    const GilRelease release;
    std::vector<scorecard::Feature> features(bins.shape(0));
    std::size_t column = 0, used = 0;
    for (std::size_t f = 0; f < features.size(); ++f) {
        require(column < owners.size(), "there must be as many features as the columns have");
        const std::size_t first = column;
        while (column < owners.size() && owners[column] == owners[first]) ++column;
        const auto count = static_cast<std::size_t>(view(n_bins)[f]);
        const std::span own = view(bins).subspan(f * n_rows, n_rows);
        for (const Bin bin : own) require(bin < count, "a bin must be below the number of bins");
        const std::size_t size = 2 * (column - first) * count;
        require(size <= truth.size() - used, "there must be the truth of each literal in each bin");
        const std::span own_truth = view(truth).subspan(used, size);
        features[f] = {count, copied(own, count), {}, {own_truth.begin(), own_truth.end()}};
        used += size;
    }
    require(column == owners.size(), "there must be as many features as the columns have");
    require(used == truth.size(), "there must be the truth of each literal in each bin");
    new (self) Table(n_rows, std::move(features), owners, view(begins));
}

std::vector<Literals> read_clauses(std::span<const std::int64_t> starts,
                                   std::span<const std::uint32_t> literals, std::size_t n_literals) {
    std::vector<Literals> clauses;
    for (const std::uint32_t literal : literals) require_below("a literal", literal, n_literals);
    require(!starts.empty() && starts[0] == 0, "the clause starts must begin with 0");
    for (std::size_t k = 0; k + 1 < starts.size(); ++k) {
        const std::int64_t first = starts[k], last = starts[k + 1];
        require(first <= last && last <= static_cast<std::int64_t>(literals.size()),
                "the clause starts must be ascending and end within the literals");
        clauses.emplace_back(literals.begin() + first, literals.begin() + last);
    }
    return clauses;
}

void require_numbers(const char* what, std::span<const double> values, double high) {
    for (const double value : values)
        if (!(value >= 0.0 && value <= high))
            throw std::invalid_argument(std::string(what) + " must be from 0 to " + std::to_string(high) +
                                        ". Got " + std::to_string(value) + ".");
}

// The shares of a row are those of different classes; sums of losses rely on it.
void require_shares(std::span<const double> shares, std::size_t n_rows) {
    require_numbers("a share", shares, 1.0);
    for (std::size_t row = 0; row < n_rows; ++row) {
        double sum = 0.0;
        for (std::size_t k = row; k < shares.size(); k += n_rows) sum += shares[k];
        require(sum <= 1.000001, "the shares of a row must add up to at most 1");
    }
}

// The loss of a search, from its number and what it takes; sums of losses rely on the ranges.
scorecard::Loss make_loss(std::int32_t kind, double quantile, std::size_t n_banks,
                          std::span<const double> weights, std::span<const double> shares) {
    if (kind == static_cast<std::int32_t>(scorecard::LossKind::kLogistic)) return {n_banks, weights, shares};
    return {static_cast<scorecard::LossKind>(kind), quantile, weights, shares};
}

void require_targets(std::int32_t kind, double quantile, std::size_t n_banks, std::size_t n_rows,
                     std::span<const double> shares) {
    require_range("the loss", std::span<const std::int32_t>(&kind, 1), 0,
                  static_cast<std::int32_t>(scorecard::LossKind::kQuantile));
    require_numbers("the quantile", std::span<const double>(&quantile, 1), 1.0);
    if (kind == static_cast<std::int32_t>(scorecard::LossKind::kLogistic))
        return require_shares(shares, n_rows);
    require(n_banks == 1, "there must be one bank for a number");
    for (const double target : shares)
        require(std::abs(target) <= scorecard::kMaxTarget, "a target must be from -65536 to 65536");
}

// All cards in flat arrays: the terms of card k are term_starts[k] to term_starts[k + 1], the literals of
// term j literal_starts[j] to literal_starts[j + 1].
nb::tuple flat(const std::vector<Card>& cards, std::size_t n_banks) {
    std::vector<std::int64_t> term_starts{0}, literal_starts{0};
    std::vector<std::uint32_t> literals, banks;
    std::vector<std::int32_t> points, values, offsets;
    std::vector<double> objectives;
    for (const Card& card : cards) {
        for (const scorecard::Term& term : card.terms) {
            literals.insert(literals.end(), term.rule.literals.begin(), term.rule.literals.end());
            literal_starts.push_back(static_cast<std::int64_t>(literals.size()));
            banks.push_back(static_cast<std::uint32_t>(term.bank));
            points.push_back(term.coefficient);
        }
        term_starts.push_back(static_cast<std::int64_t>(points.size()));
        values.push_back(card.point_value);
        offsets.insert(offsets.end(), card.offsets.begin(), card.offsets.end());
        objectives.push_back(card.objective);
    }
    auto by_bank = std::make_unique_for_overwrite<std::int32_t[]>(offsets.size());
    std::copy(offsets.begin(), offsets.end(), by_bank.get());
    return nb::make_tuple(as_array(term_starts), as_array(literal_starts), as_array(literals),
                          as_array(banks), as_array(points), as_array(values),
                          owned<std::int32_t, 2>(std::move(by_bank), {cards.size(), n_banks}),
                          as_array(objectives));
}

// The constraints of a search beside the signs of literals, as Python gives them.
struct GivenConstraints {
    GivenConstraints(In<std::int32_t, 1> low, In<std::int32_t, 1> high, In<std::uint64_t, 2> groups,
                     std::int64_t max_rule_features, In<std::int64_t, 1> starts,
                     In<std::uint32_t, 1> literals, In<std::uint32_t, 1> banks, In<std::int32_t, 1> fixed_low,
                     In<std::int32_t, 1> fixed_high)
        : low(view(low).begin(), view(low).end()),
          high(view(high).begin(), view(high).end()),
          groups(view(groups).begin(), view(groups).end()),
          group_words(groups.shape(1)),
          n_grouped(groups.shape(0)),
          max_rule_features(max_rule_features < 1 ? SIZE_MAX : static_cast<std::size_t>(max_rule_features)) {
        require_size("the number of most points", this->high.size(), this->low.size());
        const auto rules = read_clauses(view(starts), view(literals), SIZE_MAX);
        require_size("the number of banks of fixed rules", banks.shape(0), rules.size());
        require_size("the number of least points", fixed_low.shape(0), rules.size());
        require_size("the number of most points", fixed_high.shape(0), rules.size());
        for (std::size_t k = 0; k < rules.size(); ++k) {
            const std::int32_t least = view(fixed_low)[k], most = view(fixed_high)[k];
            require(!rules[k].empty() && std::is_sorted(rules[k].begin(), rules[k].end()),
                    "a fixed rule must have one or more literals, ascending");
            require(least <= most && (least < 0 || most > 0), "a fixed rule must be allowed to have points");
            fixed.push_back({rules[k], view(banks)[k], least, most});
        }
    }

    void check(const Table& table, std::size_t n_banks, std::int32_t max_points) const {
        const std::int32_t most = scorecard::kMostPoints;
        if (!low.empty()) require_size("the number of least points", low.size(), table.n_columns());
        if (!groups.empty()) require_size("the number of columns in groups", n_grouped, table.n_columns());
        require_range<std::int32_t>("the least points", low, -most, most);
        require_range<std::int32_t>("the most points", high, -most, most);
        for (const scorecard::FixedRule& rule : fixed) {
            for (const std::uint32_t literal : rule.literals)
                require_below("a literal", literal, table.n_literals());
            require_below("a bank", rule.bank, n_banks);
            const std::int32_t ends[] = {rule.low, rule.high};
            require_range("the points of a fixed rule", std::span<const std::int32_t>(ends), -max_points,
                          max_points);
        }
    }

    std::vector<std::int32_t> low, high;
    std::vector<std::uint64_t> groups;
    std::size_t group_words, n_grouped, max_rule_features;
    std::vector<scorecard::FixedRule> fixed;
};

nb::tuple find_cards(const Table& table, In<double, 1> weights, In<double, 2> shares,
                     In<std::uint8_t, 1> signs, In<std::int64_t, 1> starts, In<std::uint32_t, 1> literals,
                     double ridge, bool conjunctions, In<std::int64_t, 1> sizes, std::int64_t max_rules,
                     std::int64_t max_features, std::int32_t max_points, bool thorough,
                     const GivenConstraints& given, std::int32_t loss_kind, double quantile) {
    const std::size_t n_banks = shares.shape(0);
    require_size("the number of weights", weights.shape(0), table.n_rows());
    require_size("the number of shares of a bank", shares.shape(1), table.n_rows());
    require_size("the number of signs", signs.shape(0), table.n_literals());
    require(n_banks >= 1, "there must be at least one bank");
    require_at_most("the number of banks", n_banks, kMostBanks);
    require(sizes.shape(0) >= 1, "there must be at least one size");
    require_numbers("the ridge penalty", std::span<const double>(&ridge, 1), 1e15);
    require_range("max_points", std::span<const std::int32_t>(&max_points, 1), 1, 100);
    require_range("a size", view(sizes), 1, 1'000'000);
    require_numbers("a weight", view(weights), 1e15);
    require_targets(loss_kind, quantile, n_banks, table.n_rows(), view(shares));
    require_range<std::uint8_t>("the signs of a literal", view(signs), 0, 3);
    require(std::is_sorted(view(sizes).begin(), view(sizes).end()), "the sizes must be ascending");
    const auto clauses = read_clauses(view(starts), view(literals), table.n_literals());
    given.check(table, n_banks, max_points);
    scorecard::Settings settings;
    settings.ridge = ridge;
    settings.conjunctions = conjunctions;
    settings.thorough = thorough;
    settings.sizes.assign(view(sizes).begin(), view(sizes).end());
    settings.limits.max_rules = max_rules < 1 ? SIZE_MAX : static_cast<std::size_t>(max_rules);
    settings.limits.max_features = max_features < 1 ? SIZE_MAX : static_cast<std::size_t>(max_features);
    settings.limits.max_points = max_points;
    std::vector<Card> cards;
    const Poll poll = signal_poll();
    {
        const GilRelease release;
        const scorecard::Loss loss = make_loss(loss_kind, quantile, n_banks, view(weights), view(shares));
        const scorecard::Constraints constraints(
            table,
            {view(signs), given.low, given.high, given.groups, given.group_words, given.max_rule_features},
            given.fixed);
        cards = scorecard::find_cards(table, loss, constraints, clauses, settings, poll);
    }
    if (cards.empty()) throw nb::python_error();
    return flat(cards, n_banks);
}

// Scores are below 2^31, so that they can be added up.
void require_scores(std::span<const std::int64_t> term_starts, std::span<const std::int32_t> points,
                    std::span<const std::int32_t> values, std::span<const std::int32_t> offsets,
                    std::size_t n_banks) {
    const auto add = [](std::int64_t& sum, std::int64_t amount) {
        sum += std::abs(amount);
        require(sum <= INT32_MAX, "the scores of a card must be below 2^31");
    };
    for (std::size_t card = 0; card < values.size(); ++card) {
        std::int64_t sum = 0, largest = 0;
        for (const std::int32_t offset : offsets.subspan(card * n_banks, n_banks))
            largest = std::max(largest, std::abs(std::int64_t{offset}));
        add(sum, largest);
        for (auto k = term_starts[card]; k < term_starts[card + 1]; ++k)
            add(sum, std::int64_t{points[static_cast<std::size_t>(k)]} * values[card]);
    }
}

// The scores [cards, banks, rows] of flat cards on some rows of the table, in units of scores.
Out<std::int32_t, 3> card_scores(const Table& table, In<std::int64_t, 1> term_starts,
                                 In<std::int64_t, 1> literal_starts, In<std::uint32_t, 1> literals,
                                 In<std::uint32_t, 1> banks, In<std::int32_t, 1> points,
                                 In<std::int32_t, 1> values, In<std::int32_t, 2> offsets,
                                 In<std::int64_t, 1> rows) {
    const std::size_t n_cards = values.shape(0), n_banks = offsets.shape(1), n_rows = rows.shape(0);
    require_size("the number of term starts", term_starts.shape(0), n_cards + 1);
    require_size("the number of offsets", offsets.shape(0), n_cards);
    require_size("the number of points", points.shape(0), banks.shape(0));
    require_size("the number of literal starts", literal_starts.shape(0), banks.shape(0) + 1);
    const auto terms = read_clauses(view(literal_starts), view(literals), table.n_literals());
    const auto starts = view(term_starts);
    require_range("a term start", starts, std::int64_t{0}, static_cast<std::int64_t>(terms.size()));
    require(std::is_sorted(starts.begin(), starts.end()), "the term starts must be ascending");
    require_scores(starts, view(points), view(values), view(offsets), n_banks);
    for (const std::uint32_t bank : view(banks)) require_below("a bank", bank, n_banks);
    require_range("a row", view(rows), std::int64_t{0}, static_cast<std::int64_t>(table.n_rows()) - 1);
    auto out = std::make_unique_for_overwrite<std::int32_t[]>(checked_product(n_cards * n_banks, n_rows));
    {
        const GilRelease release;
        for (std::size_t card = 0; card < n_cards; ++card) {
            std::int32_t* scores = out.get() + card * n_banks * n_rows;
            for (std::size_t bank = 0; bank < n_banks; ++bank)
                std::fill_n(scores + bank * n_rows, n_rows, view(offsets)[card * n_banks + bank]);
            for (auto term = starts[card]; term < starts[card + 1]; ++term) {
                const auto k = static_cast<std::size_t>(term);
                std::int32_t* own = scores + view(banks)[k] * n_rows;
                const std::int32_t amount = view(points)[k] * view(values)[card];
                const scorecard::Words fires = table.rows(terms[k]);
                for (std::size_t i = 0; i < n_rows; ++i) {
                    const auto row = static_cast<std::size_t>(view(rows)[i]);
                    if (fires[row / 64] >> (row % 64) & 1) own[i] += amount;
                }
            }
        }
    }
    return owned<std::int32_t, 3>(std::move(out), {n_cards, n_banks, n_rows});
}

}  // namespace

void bind_scorecard(nb::module_& m) {
    const auto array = [](const char* name) { return nb::arg(name).noconvert(); };
    m.def("bin_rows", &bin_rows, array("literals"), array("feature_of"));
    nb::class_<GivenConstraints>(m, "CardConstraints")
        .def(nb::init<In<std::int32_t, 1>, In<std::int32_t, 1>, In<std::uint64_t, 2>, std::int64_t,
                      In<std::int64_t, 1>, In<std::uint32_t, 1>, In<std::uint32_t, 1>, In<std::int32_t, 1>,
                      In<std::int32_t, 1>>(),
             array("low"), array("high"), array("groups"), "max_rule_features"_a, array("starts"),
             array("literals"), array("banks"), array("fixed_low"), array("fixed_high"));
    nb::class_<Table>(m, "SearchTable")
        .def("__init__", &make_table<std::uint8_t>, array("bins"), array("n_bins"), array("truth"),
             array("feature_of"), array("begins"))
        .def("__init__", &make_table<std::uint16_t>, array("bins"), array("n_bins"), array("truth"),
             array("feature_of"), array("begins"))
        .def("find_cards", &find_cards, array("weights"), array("shares"), array("signs"), array("starts"),
             array("literals"), "ridge"_a, "conjunctions"_a, array("sizes"), "max_rules"_a, "max_features"_a,
             "max_points"_a, "thorough"_a, "constraints"_a, "loss"_a, "quantile"_a)
        .def("card_scores", &card_scores, array("term_starts"), array("literal_starts"), array("literals"),
             array("banks"), array("points"), array("values"), array("offsets"), array("rows"));
}

}  // namespace clausal::bindings
