// See conjunctions.hpp.
#include "core/scorecard/conjunctions.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace clausal::scorecard {
namespace {

constexpr double kRidge = 1.0;
constexpr std::size_t kMaxPairFeatures = 64;
constexpr std::size_t kMaxPairs = 60;  // of which half are extended to triples
constexpr std::size_t kMaxClauses = 100;
constexpr std::size_t kMaxLength = 8;  // of a clause

struct Found {
    double value = 0.0;
    Literals literals;
};

void keep_best(std::vector<Found>& found, std::size_t n) {
    std::stable_sort(found.begin(), found.end(),
                     [](const Found& a, const Found& b) { return a.value > b.value; });
    if (found.size() > n) found.resize(n);
}

// The derivatives of one bank of a model without rules.
struct Start {
    Start(const Loss& of, std::size_t bank) : loss(of) {
        rows.compute(of, Model(of, kRidge).scores(), bank);
        all = rows.sum();
    }
    Gain gain(const Derivatives& sum, std::uint8_t signs) const {
        return estimate(loss, sum, all, kRidge, signs);
    }

    const Loss& loss;
    RowDerivatives rows;
    Derivatives all;
};

// The best rule with a positive and the best with a negative coefficient.
class BestBySign {
  public:
    bool is_better(const Gain& gain) const { return gain.gain > best_[gain.coefficient > 0.0].value; }
    void put(const Gain& gain, Literals literals) {
        best_[gain.coefficient > 0.0] = {gain.gain, std::move(literals)};
    }
    void append_to(std::vector<Found>& found) {
        for (Found& one : best_)
            if (one.value > kMinGain) found.push_back(std::move(one));
    }

  private:
    Found best_[2];
};

// The packed sums over all pairs of literals of two features, [literals of one, literals of two], from the
// sums over all pairs of their bins.
class PairSums {
  public:
    const std::vector<std::int64_t>& of(const Feature& one, const Feature& two,
                                        std::span<const std::int64_t> rows) {
        cells_.assign(one.n_bins * two.n_bins, 0);
        one.bins.visit([&](const auto* first) {
            two.bins.visit([&](const auto* second) {
                for (std::size_t row = 0; row < rows.size(); ++row)
                    cells_[first[row] * two.n_bins + second[row]] += rows[row];
            });
        });
        half_.assign(one.literals.size() * two.n_bins, 0);
        for (std::size_t k = 0; k < one.literals.size(); ++k)
            for (std::size_t bin = 0; bin < one.n_bins; ++bin)
                if (one.truth[k * one.n_bins + bin])
                    for (std::size_t other = 0; other < two.n_bins; ++other)
                        half_[k * two.n_bins + other] += cells_[bin * two.n_bins + other];
        sums_.assign(one.literals.size() * two.literals.size(), 0);
        for (std::size_t k = 0; k < one.literals.size(); ++k)
            for (std::size_t j = 0; j < two.literals.size(); ++j)
                for (std::size_t bin = 0; bin < two.n_bins; ++bin)
                    if (two.truth[j * two.n_bins + bin])
                        sums_[k * two.literals.size() + j] += half_[k * two.n_bins + bin];
        return sums_;
    }

  private:
    std::vector<std::int64_t> cells_, half_, sums_;
};

// The features whose literals are tried in pairs, ascending: those with the best single literals.
std::vector<std::size_t> features_for_pairs(const Table& table, const Start& start,
                                            const Constraints& constraints) {
    const auto& features = table.first_features();
    std::vector<std::size_t> order(features.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (order.size() <= kMaxPairFeatures) return order;
    const std::vector<Derivatives> sums = start.rows.literal_sums(table);
    std::vector<double> best(features.size(), 0.0);
    for (std::size_t f = 0; f < features.size(); ++f)
        for (const std::uint32_t literal : features[f].literals)
            best[f] = std::max(best[f], start.gain(sums[literal], constraints.signs_of(literal)).gain);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return best[a] > best[b]; });
    order.resize(kMaxPairFeatures);
    std::sort(order.begin(), order.end());
    return order;
}

void best_pairs(const Table& table, const Start& start, const Constraints& constraints,
                std::vector<Found>& found) {
    PairSums pair_sums;
    const auto& features = table.first_features();
    const std::vector<std::size_t> chosen = features_for_pairs(table, start, constraints);
    for (std::size_t f = 0; f < chosen.size(); ++f)
        for (std::size_t g = f + 1; g < chosen.size(); ++g) {
            const Feature &one = features[chosen[f]], &two = features[chosen[g]];
            const auto& sums = pair_sums.of(one, two, start.rows.rows());
            BestBySign best;
            for (std::size_t k = 0; k < one.literals.size(); ++k)
                for (std::size_t j = 0; j < two.literals.size(); ++j) {
                    const Literals pair{one.literals[k], two.literals[j]};
                    const Gain gain = start.gain(start.rows.unpacked(sums[k * two.literals.size() + j]),
                                                 constraints.signs_of(pair));
                    if (best.is_better(gain)) best.put(gain, pair);
                }
            best.append_to(found);
        }
}

void best_triples(const Table& table, const Start& start, const Constraints& constraints,
                  std::span<const Found> pairs, std::vector<Found>& found) {
    for (const Found& pair : pairs) {
        const Words rows = table.rows(pair.literals);
        const std::vector<Derivatives> sums = start.rows.literal_sums(table, &rows);
        BestBySign best;
        for (const std::uint32_t literal : table.first_literals()) {
            Literals triple{pair.literals[0], pair.literals[1], literal};
            const Gain gain = start.gain(sums[literal], constraints.signs_of(triple));
            if (!best.is_better(gain)) continue;
            triple = table.simplified(std::move(triple));
            if (triple.size() == 3) best.put(gain, std::move(triple));
        }
        best.append_to(found);
    }
}

// Each clause, and each clause without one of its literals.
std::set<Literals> shortened(const Table& table, const std::vector<Literals>& clauses) {
    std::set<Literals> result;
    for (const Literals& clause : clauses) {
        const Literals whole = table.simplified(clause);
        if (whole.size() > kMaxLength) continue;
        result.insert(whole);
        for (std::size_t k = 0; k < whole.size(); ++k) {
            Literals shorter = whole;
            shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(k));
            result.insert(std::move(shorter));
        }
    }
    return result;
}

}  // namespace

std::vector<Candidate> find_conjunctions(const Table& table, const Loss& loss, const Constraints& constraints,
                                         const std::vector<Literals>& clauses) {
    std::vector<Start> banks;
    for (std::size_t bank = 0; bank < loss.n_banks(); ++bank) banks.emplace_back(loss, bank);
    std::vector<Found> found, triples, of_clauses;
    for (const Start& start : banks) best_pairs(table, start, constraints, found);
    keep_best(found, kMaxPairs);
    const std::span extended = std::span(found).first(std::min(found.size(), kMaxPairs / 2));
    for (const Start& start : banks) best_triples(table, start, constraints, extended, triples);
    for (const Literals& clause : shortened(table, clauses)) {
        if (clause.size() < 2) continue;
        const Words rows = table.rows(clause);
        Found one{0.0, clause};
        for (const Start& start : banks) {
            const Gain gain = start.gain(start.rows.sum(rows), constraints.signs_of(clause));
            one.value = std::max(one.value, gain.gain / static_cast<double>(clause.size()));
        }
        if (one.value > kMinGain) of_clauses.push_back(std::move(one));
    }
    keep_best(of_clauses, kMaxClauses);
    std::vector<Candidate> result;
    std::set<Literals> seen;
    for (const auto* list : {&found, &triples, &of_clauses})
        for (const Found& one : *list) {
            Literals literals = table.simplified(one.literals);
            if (seen.insert(literals).second) result.push_back(constraints.candidate(std::move(literals)));
        }
    return result;
}

}  // namespace clausal::scorecard
