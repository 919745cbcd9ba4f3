// Shape, law and seed of one machine, as plain values; the Python side has validated them in the user's
// words. Twin of src/clausal/engine/protocol.py. Not here: anything that learning changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/bits.hpp"
#include "core/numeric_loss.hpp"
#include "core/patch_view.hpp"
#include "core/weight_rule.hpp"

namespace clausal {

// A weight rule and the arrays that its tables lie in.
struct WeightRuleTables {
    std::int32_t low = 0;
    std::int32_t high = 0;
    std::vector<std::int32_t> table{};       // [high - low + 1] or empty
    std::vector<std::int32_t> up{}, down{};  // the same, both or neither
    std::int64_t margin = INT64_MAX;

    WeightRule law() const {
        const auto values = [](const std::vector<std::int32_t>& all) {
            return all.empty() ? nullptr : all.data();
        };
        return {low, high, values(table), values(up), values(down), margin};
    }

    // Calls visit(name, member) for each field, by the name it has in Python.
    template <class Visit>
    static void visit_fields(const Visit& visit) {
        visit("low", &WeightRuleTables::low);
        visit("high", &WeightRuleTables::high);
        visit("table", &WeightRuleTables::table);
        visit("up", &WeightRuleTables::up);
        visit("down", &WeightRuleTables::down);
        visit("margin", &WeightRuleTables::margin);
    }
};

struct Config {
    std::size_t n_banks = 1;
    std::size_t n_clauses = 0;
    std::size_t n_literals = 0;
    unsigned n_states = 128;     // N; an automaton has 2N states
    std::int64_t threshold = 0;  // T in vote units
    WeightRuleTables rule;
    NumericLoss loss;                        // of a machine that learns numbers: all clauses vote for
    std::vector<std::uint32_t> down_chance;  // [n_clauses], 1/s in units of 2^-24
    std::uint64_t seed = 0;
    bool boost_true_positive = false;
    std::size_t max_clause_literals = SIZE_MAX;
    std::uint64_t drop_chance = 0;  // in units of 2^-32
    bool focused_negatives = false;
    std::vector<std::uint8_t> label_sets;  // [n_targets, n_banks], the labels of each target; or empty
    bool shared = false;                   // all banks have the same clauses, with signed levels of their own
    std::vector<std::uint64_t> allowed_words;  // [2, n_words]: literals of clauses for, and against
    PatchView view;                            // literals are those of a patch, where there are any

    std::size_t n_words() const { return words_of(n_literals); }
    std::size_t sample_words() const { return view.has_patches() ? view.n_words() : n_words(); }
    // Sets of n_clauses clauses: one per bank, or one that all share.
    std::size_t n_clause_sets() const { return shared ? 1 : n_banks; }
    // Targets are below this: classes, sets of labels, or shares of a range.
    std::size_t n_targets() const {
        if (loss.is_given()) return (std::size_t{1} << kTargetBits) + 1;
        return !label_sets.empty() ? label_sets.size() / n_banks : n_banks == 1 ? 2 : n_banks;
    }

    // Calls visit(name, member) for each field. The bindings read these attributes of Python's EngineConfig:
    // a new field needs a line above, a line here and one of the same name in Python. None keeps the value
    // above.
    template <class Visit>
    static void visit_fields(const Visit& visit) {
        visit("n_banks", &Config::n_banks);
        visit("n_clauses", &Config::n_clauses);
        visit("n_literals", &Config::n_literals);
        visit("n_states", &Config::n_states);
        visit("threshold", &Config::threshold);
        visit("rule", &Config::rule);
        visit("loss", &Config::loss);
        visit("down_chance", &Config::down_chance);
        visit("seed", &Config::seed);
        visit("boost_true_positive", &Config::boost_true_positive);
        visit("max_clause_literals", &Config::max_clause_literals);
        visit("drop_chance", &Config::drop_chance);
        visit("focused_negatives", &Config::focused_negatives);
        visit("label_sets", &Config::label_sets);
        visit("shared", &Config::shared);
        visit("allowed_words", &Config::allowed_words);
        visit("view", &Config::view);
    }
};

// Throws std::invalid_argument where a machine cannot be made from the values.
void check(const Config& config);

}  // namespace clausal
