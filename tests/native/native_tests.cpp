// Tests of the core without Python: every instruction set against the portable one on many machines, against
// the pinned fingerprints, threads, interruption, bounds, scorecards. Run under the sanitizers (make
// sanitize) and, cross-compiled, on ARM (make test-arm). Usage: native_tests tests/golden/fingerprints.txt
#include <cstdio>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

#include "core/backend.hpp"
#include "core/cpu/pack.hpp"
#include "core/random.hpp"
#include "tests/native/encoding_tests.hpp"
#include "tests/native/feedback_tests.hpp"
#include "tests/native/platform_tests.hpp"
#include "tests/native/prediction_tests.hpp"
#include "tests/native/scorecard_tests.hpp"

namespace {

using namespace clausal;

int passed = 0;
int failed = 0;

void expect(bool holds, const std::string& what) {
    ++(holds ? passed : failed);
    if (!holds) std::printf("FAILED: %s\n", what.c_str());
}

struct Data {
    std::vector<std::uint64_t> literals;
    std::vector<std::int32_t> targets;
    std::vector<std::int64_t> order;
    Samples samples() const { return {literals, targets, order}; }
};

// The draws of tests/support/toy_machines.py.
std::vector<std::uint8_t> keyed_bits(std::uint64_t seed, std::size_t n) {
    std::vector<std::uint8_t> bits(n);
    for (std::size_t i = 0; i < n; ++i) bits[i] = static_cast<std::uint8_t>(draw(draw(seed, 101u), i) >> 63);
    return bits;
}

std::int32_t keyed_target(std::uint64_t seed, std::size_t i, std::uint64_t n_classes) {
    return static_cast<std::int32_t>(((draw(draw(seed, 102u), i) >> 32) * n_classes) >> 32);
}

Data make_data(std::size_t n_rows, std::size_t n_columns, std::size_t n_banks, std::size_t n_visits) {
    Data data;
    const auto bits = keyed_bits(3, n_rows * n_columns);
    data.literals.resize(n_rows * ((2 * n_columns + 63) / 64));
    pack_dense(bits, n_columns, data.literals, *kernels_named("portable"), {});
    for (std::size_t i = 0; i < n_rows; ++i)
        data.targets.push_back(n_banks > 1
                                   ? keyed_target(4, i, n_banks)
                                   : bits[i * n_columns] ^ bits[i * n_columns + n_columns / 2 % n_columns]);
    for (std::size_t v = 0; v < n_visits; ++v) data.order.push_back(static_cast<std::int64_t>(v % n_rows));
    return data;
}

Config make_config(std::size_t n_banks, std::size_t n_clauses, std::size_t n_columns, double s) {
    Config config;
    config.n_banks = n_banks;
    config.n_clauses = n_clauses;
    config.n_literals = 2 * n_columns;
    config.threshold = 8;
    config.rule = {.low = 0, .high = INT32_MAX};
    config.down_chance.assign(n_clauses, static_cast<std::uint32_t>(16777216.0 / s + 0.5));
    config.seed = 2020;
    for (int row = 0; row < 2; ++row)
        for (std::size_t q = 0; q < config.n_words(); ++q) {
            const std::size_t left = config.n_literals - 64 * q;
            config.allowed_words.push_back(left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1);
        }
    return config;
}

struct Result {
    std::vector<std::uint8_t> states;
    std::vector<std::int32_t> levels;
    bool operator==(const Result&) const = default;
};

Result state_of(const Machine& machine) {
    const Config& c = machine.config();
    Result result{std::vector<std::uint8_t>(c.n_clause_sets() * c.n_clauses * c.n_literals),
                  std::vector<std::int32_t>(c.n_banks * c.n_clauses)};
    machine.export_state(result.states, result.levels, 1);
    return result;
}

void reset(Machine& machine) {
    const Config& c = machine.config();
    const std::size_t n_states = c.n_clause_sets() * c.n_clauses * c.n_literals;
    const std::int32_t start = c.rule.table.empty() ? std::max(1, c.rule.low) : 0;
    std::vector<std::int32_t> levels(c.n_banks * c.n_clauses, start);
    for (std::size_t i = 0; c.shared && i < levels.size();
         ++i) {  // signs as first_state of Python draws them
        const std::size_t bank = i / c.n_clauses, clause = i % c.n_clauses;
        const std::uint64_t word = draw(draw(draw(c.seed, 14), bank), clause / 2);
        if (((word >> (clause % 2 * 32)) & 0xFFFFFFFFu) < std::uint64_t{1} << 31) levels[i] = -1;
    }
    machine.import_state(std::vector<std::uint8_t>(n_states, static_cast<std::uint8_t>(c.n_states - 1)),
                         levels, 0, 1);
}

Config shared(Config config) {
    config.shared = true;
    config.rule = {.low = -INT32_MAX, .high = INT32_MAX};
    return config;
}

std::unique_ptr<Machine> make_machine(const Config& config, const char* isa = "portable") {
    auto machine = backend_named(isa).make_machine(config);
    reset(*machine);
    return machine;
}

bool fit(Machine& machine, const Data& data, const Run& run, const char* isa = "portable") {
    const TrainingJob job{machine, data.samples()};
    return backend_named(isa).train({&job, 1}, run);
}

Result train(const Config& config, const char* isa, const Data& data, std::size_t n_threads) {
    const auto machine = make_machine(config, isa);
    fit(*machine, data, {.n_threads = n_threads}, isa);
    return state_of(*machine);
}

std::string fingerprint(const Result& result) {
    std::uint64_t value = 0xCBF29CE484222325u;
    const auto add = [&](std::uint32_t byte) { value = (value ^ byte) * 0x100000001B3u; };
    for (const std::uint8_t state : result.states) add(state);
    for (const std::int32_t level : result.levels)
        for (int shift = 0; shift < 32; shift += 8) add((static_cast<std::uint32_t>(level) >> shift) & 0xFFu);
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
    return text;
}

// The rows, or samples of n_columns booleans, of tests/support/golden_machines.py.
Data pinned_data(const Config& config, std::size_t n_columns) {
    Data data = make_data(60, n_columns, config.n_banks, 300);
    const auto bits = keyed_bits(3, 60 * n_columns);
    for (std::size_t i = 0; i < 60; ++i) {
        if (config.loss.is_given())
            data.targets[i] = keyed_target(4, i, (std::uint64_t{1} << kTargetBits) + 1);
        else if (config.n_banks == 1)
            data.targets[i] = bits[i * n_columns] ^ bits[i * n_columns + 1];
    }
    if (!config.view.has_patches()) return data;
    const std::size_t n_words = config.sample_words();
    data.literals.assign(60 * n_words, 0);
    for (std::size_t i = 0; i < bits.size(); ++i) {
        const std::size_t k = i % n_columns;
        data.literals[i / n_columns * n_words + k / 64] |= std::uint64_t{bits[i]} << (k % 64);
    }
    return data;
}

// The variants of tests/support/golden_machines.py that need no table of real weights.
void test_fingerprints(const char* isa, const std::string& file) {
    std::map<std::string, std::string> pinned;
    std::ifstream lines(file);
    for (std::string name, value; lines >> name >> value;) pinned[name] = value;
    expect(pinned.size() >= 10, "read the pinned fingerprints from " + file);
    const auto check = [&](const std::string& name, const Config& config, std::size_t n_columns) {
        const Data data = pinned_data(config, n_columns);
        expect(fingerprint(train(config, isa, data, 2)) == pinned[name], std::string(isa) + " gives " + name);
    };
    Config config = make_config(1, 20, 9, 3.0);
    check("iwtm", config, 9);
    config.rule = {.low = 1, .high = 1};
    check("tm", config, 9);
    config.rule = {.low = 1, .high = INT32_MAX};
    check("iwtm_floor_1", config, 9);
    config.rule = {.low = 0, .high = 3};
    check("iwtm_max_weight", config, 9);
    config = make_config(1, 20, 9, 3.0);
    config.rule.margin = 4;
    check("rwtla", config, 9);
    config = make_config(1, 20, 9, 3.0);
    config.boost_true_positive = true;
    check("iwtm_boost", config, 9);
    config.boost_true_positive = false;
    config.max_clause_literals = 2;
    check("iwtm_short_clauses", config, 9);
    config = make_config(1, 20, 9, 3.0);
    config.drop_chance = std::uint64_t{1} << 30;
    check("iwtm_drop_clause", config, 9);
    config.drop_chance = 0;
    config.n_states = 5;
    check("iwtm_few_states", config, 9);
    check("iwtm_4_classes", make_config(4, 20, 9, 3.0), 9);
    config = make_config(4, 20, 9, 3.0);
    config.focused_negatives = true;
    check("iwtm_4_classes_focused", config, 9);
    check("shared", shared(make_config(1, 20, 9, 3.0)), 9);
    check("shared_4_classes", shared(make_config(4, 20, 9, 3.0)), 9);
    check("shared_4_classes_focused", shared(config), 9);
    check("iwtm_wide", make_config(1, 20, 150, 3.0), 150);
    check("iwtm_tabled", make_config(1, 206, 300, 3.0), 300);
    config = make_config(1, 20, 9, 3.0);
    config.loss = {.rise = 3u << 29, .fall = 1u << 29, .proportional = false};
    check("numbers_quantile", config, 9);
    constexpr std::uint64_t kOne = std::uint64_t{1} << 32;
    config.loss = {.rise = kOne, .fall = kOne, .proportional = true};
    check("numbers", config, 9);
    config = make_config(1, 206, 300, 3.0);
    config.threshold = 300;
    config.loss = {.rise = kOne, .fall = kOne, .proportional = true};
    check("numbers_tabled", config, 300);
    config = make_config(1, 20, 14, 3.0);
    config.view = {.height = 7, .width = 6, .depth = 1, .patch_height = 3, .patch_width = 2};
    check("iwtm_patches", config, 42);
    config = make_config(4, 20, 147, 3.0);
    config.view = {9, 70, 2, 2, 33, 2, 3};
    check("iwtm_4_classes_patches", config, 1260);
}

void test_instruction_set(const char* isa) {
    for (const std::size_t n_columns : {1u, 31u, 32u, 33u, 64u, 257u, 300u})
        for (const std::size_t n_banks : {1u, 3u})
            for (const std::size_t n_clauses : {2u, 62u, 64u, 66u, 130u}) {
                Config config =
                    make_config(n_banks, n_clauses, n_columns, 1.0 + static_cast<double>(n_columns % 7));
                config.n_states = n_clauses == 2 ? 1 : n_columns % 2 ? 128 : 3;
                config.boost_true_positive = n_columns == 33;
                config.max_clause_literals = n_columns == 64 ? 2 : SIZE_MAX;
                config.drop_chance = n_clauses == 62 ? std::uint64_t{1} << 31 : 0;
                if (n_clauses == 130) config.rule = {.low = -2, .high = 2, .table = {1, 3, 9, 27, 81}};
                const Data data = make_data(20, n_columns, n_banks, 80);
                const Result portable = train(config, "portable", data, 1);
                for (const std::size_t n_threads : {1u, 2u, 7u})
                    expect(train(config, isa, data, n_threads) == portable,
                           std::string(isa) + " equals portable at " + std::to_string(n_columns) +
                               " columns, " + std::to_string(n_clauses) + " clauses, " +
                               std::to_string(n_threads) + " threads");
            }
}

// 35 words a clause, three of them single: from 32,768 words on, threads share a bank.
void test_shared_bank(const char* isa) {
    for (const std::size_t n_clauses : {1001u, 1024u}) {
        Config config = make_config(1, n_clauses, 1110, 3.0);
        config.threshold = 300;
        if (n_clauses == 1001) config.drop_chance = std::uint64_t{1} << 30;
        const Data data = make_data(6, 1110, 1, 12);
        const Result alone = train(config, isa, data, 1);
        for (const std::size_t n_threads : {2u, 3u})
            expect(train(config, isa, data, n_threads) == alone,
                   std::string(isa) + ": " + std::to_string(n_threads) + " threads share a bank of " +
                       std::to_string(n_clauses));
    }
}

// Stopped at the first poll, and at the second, some milliseconds later.
void expect_no_trace(Config config, std::size_t n_columns, std::size_t n_visits) {
    const Data data = make_data(100, n_columns, config.n_banks, n_visits);
    const auto machine = make_machine(config);
    const Result before = state_of(*machine);
    for (const std::size_t n_threads : {1u, 3u})
        for (const int n_polls : {1, 2}) {
            int polled = 0;
            const auto poll = [&] { return ++polled == n_polls; };
            expect(!fit(*machine, data, {n_threads, poll}), "a poll stops an epoch");
            expect(state_of(*machine) == before && machine->step() == 0,
                   "an interrupted epoch leaves no trace");
        }
}

void test_interruption() {
    Config config = make_config(3, 100, 200, 3.0);
    expect_no_trace(config, 200, 200000);
    config.focused_negatives = true;
    expect_no_trace(config, 200, 200000);
    expect_no_trace(shared(make_config(3, 100, 200, 3.0)), 200, 200000);
    config = make_config(1, 1000, 1110, 3.0);
    config.threshold = 300;
    expect_no_trace(config, 1110, 200000);
}

// Several machines and what they learn from; the first two share literals.
struct Several {
    Data shared, other;
    std::vector<std::unique_ptr<Machine>> machines;
    std::vector<TrainingJob> jobs;

    Several(const char* isa, std::size_t n_visits)
        : shared(make_data(40, 33, 1, n_visits)), other(make_data(30, 70, 3, n_visits)) {
        std::vector<Config> configs{make_config(1, 20, 33, 3.0), make_config(1, 50, 33, 2.0),
                                    make_config(3, 20, 70, 3.0)};
        configs[1].seed = 7;
        for (std::size_t i = 0; i < configs.size(); ++i) {
            machines.push_back(make_machine(configs[i], isa));
            jobs.push_back({*machines[i], data(i).samples()});
        }
    }
    const Data& data(std::size_t i) const { return i < 2 ? shared : other; }
};

void test_many_machines(const char* isa) {
    for (const std::size_t n_threads : {1u, 2u, 5u}) {
        const Several several(isa, 200);
        expect(backend_named(isa).train(several.jobs, {.n_threads = n_threads}), "several are trained");
        for (std::size_t i = 0; i < several.machines.size(); ++i)
            expect(state_of(*several.machines[i]) ==
                       train(several.machines[i]->config(), isa, several.data(i), 1),
                   std::string(isa) + ": one of several machines is as if trained alone");
    }
}

// All machines are as before, also those that had finished.
void test_many_interrupted() {
    for (const std::size_t n_threads : {1u, 2u, 5u}) {
        const Several several("portable", 200000);
        int polled = 0;
        const Poll poll = [&] { return ++polled == 2; };
        expect(!backend_named("portable").train(several.jobs, {n_threads, poll}), "a poll stops several");
        for (const auto& machine : several.machines)
            expect(state_of(*machine) == state_of(*make_machine(machine->config())) && machine->step() == 0,
                   "an interrupted call leaves no trace in any machine");
    }
}

// The law on bits: the columns are the cases drawn in core/feedback.hpp.

template <class Call>
void expect_error(const Call& call, const std::string& what) {
    try {
        call();
        expect(false, what);
    } catch (const std::invalid_argument&) {
        expect(true, what);
    }
}

void test_bounds() {
    const Config config = make_config(1, 4, 5, 3.0);
    const auto machine = make_machine(config);
    Data data = make_data(5, 5, 1, 5);
    data.order[2] = 5;
    expect_error([&] { fit(*machine, data, {}); }, "a row beyond the table is refused");
    data.order[2] = -1;
    expect_error([&] { fit(*machine, data, {}); }, "a negative row is refused");
    data.order[2] = 0;
    data.targets[1] = 2;
    expect_error([&] { fit(*machine, data, {}); }, "a target beyond the classes is refused");
    const std::vector<std::uint8_t> states(40, 255);
    expect_error(
        [&] { machine->import_state(std::vector<std::uint8_t>(39), std::vector<std::int32_t>(4), 0, 1); },
        "too few states are refused");
    expect_error([&] { machine->import_state(states, std::vector<std::int32_t>(4, -1), 0, 1); },
                 "a level below the floor is refused");
    Config wrong = config;
    wrong.n_states = 129;
    expect_error([&] { make_machine(wrong); }, "too many states are refused");
    wrong = config;
    wrong.rule = {.low = 0, .high = 5, .table = {1, 2}};
    expect_error([&] { make_machine(wrong); }, "a short weight table is refused");
    const TrainingJob twice[] = {{*machine, data.samples()}, {*machine, data.samples()}};
    expect_error([&] { backend_named("portable").train(twice, {}); }, "a machine given twice is refused");
    expect_error([&] { backend_named("cuda"); }, "a backend that is not linked is refused");
    std::vector<std::uint64_t> out(2);
    const std::vector<std::int64_t> starts{0, 1, 9};
    const std::vector<std::int64_t> columns{3, 3};
    expect_error([&] { pack_sparse(starts, columns, 5, out, {}); },
                 "a sparse extent beyond its data is refused");
}

}  // namespace

int main(int argc, char** argv) {
    const std::string golden = argc > 1 ? argv[1] : "tests/golden/fingerprints.txt";
    for (const char* isa : kInstructionSets) {
        if (!kernels_named(isa)) {
            std::printf("%s cannot run here: not tested\n", isa);
            continue;
        }
        expect(std::string(backend_named(isa).name()) == isa, std::string(isa) + " is what it says");
        test_instruction_set(isa);
        test_shared_bank(isa);
        test_many_machines(isa);
        test_fingerprints(isa, golden);
        test_prediction(isa, expect);
        test_encoding(isa, expect);
        std::printf("%s tested\n", isa);
    }
    test_feedback(expect);
    test_wide_math(expect);
    test_processor(expect);
    test_interruption();
    test_many_interrupted();
    test_bounds();
    test_prediction_bounds(expect);
    test_scorecards(golden.substr(0, golden.find_last_of('/') + 1) + "scorecards.txt", expect);
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
