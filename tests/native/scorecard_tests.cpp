// The scorecards of tests/golden/test_scorecards.py: the same bits on every computer.
#include "tests/native/scorecard_tests.hpp"

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <vector>

#include "core/random.hpp"
#include "core/scorecard/bins.hpp"
#include "core/scorecard/search.hpp"

namespace {

using namespace clausal;
using namespace clausal::scorecard;

constexpr std::size_t kRows = 80, kColumns = 12;

std::vector<std::uint8_t> bits() {
    std::vector<std::uint8_t> values(kRows * kColumns);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<std::uint8_t>(draw(draw(11, 101u), i) >> 63);
    return values;
}

std::uint64_t target(std::uint64_t seed, std::size_t i, std::uint64_t n_classes) {
    return ((draw(draw(seed, 102u), i) >> 32) * n_classes) >> 32;
}

std::string fingerprint(const std::vector<Card>& cards) {
    std::uint64_t value = 0xCBF29CE484222325u;
    const auto add = [&](std::int64_t number) {
        for (int shift = 0; shift < 32; shift += 8)
            value = (value ^ ((static_cast<std::uint64_t>(number) >> shift) & 0xFFu)) * 0x100000001B3u;
    };
    for (const Card& card : cards) {
        for (const Term& term : card.terms) {
            for (const std::uint32_t literal : term.rule.literals) add(literal);
            add(static_cast<std::int64_t>(term.bank));
            add(term.coefficient);
        }
        add(card.point_value);
        for (const std::int32_t offset : card.offsets) add(offset);
    }
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
    return text;
}

std::vector<Card> find(LossKind kind, std::size_t n_banks, bool conjunctions, double ridge,
                       const Poll& poll) {
    const std::vector<std::uint8_t> values = bits();
    const std::vector<std::uint32_t> features{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3};
    std::vector<std::uint64_t> literals(kRows, 0);
    for (std::size_t i = 0; i < values.size(); ++i)
        literals[i / kColumns] |= std::uint64_t{1} << (i % kColumns + (values[i] ? 0 : kColumns));
    const std::vector<std::uint8_t> begins{1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 0};
    const Table table(kRows, bin_rows(kRows, literals, features), features, begins);
    std::vector<double> weights, shares(n_banks * kRows, 0.0);
    for (std::size_t row = 0; row < kRows; ++row) {
        weights.push_back(1.0 + 0.5 * static_cast<double>(row % 3));
        const std::uint64_t first = values[row * kColumns], second = values[row * kColumns + 4];
        const bool noise = target(13, row, 8) == 0;
        if (kind != LossKind::kLogistic)
            shares[row] = static_cast<double>(target(12, row, 1000)) / 256.0 + static_cast<double>(first) -
                          static_cast<double>(second);
        else if (n_banks == 1)
            shares[row] = static_cast<double>((first ^ second) ^ (noise ? 1u : 0u));
        else
            shares[(noise ? target(12, row, n_banks) : first + second) * kRows + row] = 1.0;
    }
    const std::vector<std::uint8_t> signs(2 * kColumns, kPositive | kNegative);
    Settings settings;
    settings.ridge = ridge;
    settings.conjunctions = conjunctions;
    settings.sizes = {1, 2, 3, 5, 8};
    const Loss loss =
        kind == LossKind::kLogistic ? Loss(n_banks, weights, shares) : Loss(kind, 0.75, weights, shares);
    std::vector<Card> cards;
    for (const bool thorough : {false, true}) {
        settings.thorough = thorough;
        const Constraints constraints(table, {.signs = signs, .low = {}, .high = {}, .groups = {}});
        const auto found = find_cards(table, loss, constraints, {{0, 13, 6}, {12, 4}}, settings, poll);
        cards.insert(cards.end(), found.begin(), found.end());
    }
    return cards;
}

}  // namespace

void test_scorecards(const std::string& golden, const Expect& expect) {
    std::map<std::string, std::string> pinned;
    std::ifstream lines(golden);
    for (std::string name, value; lines >> name >> value;) pinned[name] = value;
    for (const std::size_t n_banks : {std::size_t{1}, std::size_t{3}})
        for (const bool conjunctions : {false, true})
            for (const double ridge : {0.25, 4.0}) {
                const std::string name = std::to_string(n_banks) + (conjunctions ? "_rules" : "_literals") +
                                         (ridge < 1.0 ? "_low" : "_high");
                expect(
                    fingerprint(find(LossKind::kLogistic, n_banks, conjunctions, ridge, {})) == pinned[name],
                    "the scorecards " + name + " of " + golden);
            }
    for (const LossKind kind : {LossKind::kSquared, LossKind::kQuantile})
        for (const bool conjunctions : {false, true}) {
            const std::string name = std::string(kind == LossKind::kSquared ? "squared_error" : "quantile") +
                                     (conjunctions ? "_rules" : "_literals");
            expect(fingerprint(find(kind, 1, conjunctions, 0.25, {})) == pinned[name],
                   "the scorecards " + name + " of " + golden);
        }
    expect(find(LossKind::kLogistic, 1, true, 0.25, [] { return true; }).empty(),
           "a search that is stopped finds nothing");
}
