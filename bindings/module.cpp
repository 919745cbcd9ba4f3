// The native boundary: one call per epoch or batch, never per sample. Arrays are taken as they are (no silent
// casts), the GIL is released, a machine is used by one thread at a time, Ctrl-C is answered.
// Not here: validation in the user's words (Python) and any computing (core).
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <mutex>

#include "bindings/arrays.hpp"
#include "bindings/compiled_clauses.hpp"
#include "bindings/instruction_set.hpp"
#include "bindings/tables.hpp"
#include "core/cpu/clause_outputs.hpp"
#include "core/cpu/machine.hpp"

namespace clausal::bindings {
namespace {

using namespace nb::literals;

std::vector<std::string> instruction_sets() {
    std::vector<std::string> names;
    for (const char* name : kInstructionSets)
        if (kernels_named(name)) names.emplace_back(name);
    return names;
}

// A machine and the lock that keeps two Python threads from training it at once.
struct LockedMachine {
    LockedMachine(const Config& config, const std::string& isa) : machine(config, kernels_or_throw(isa)) {}
    Machine machine;
    std::mutex mutex;
};

void fit_epoch(LockedMachine& self, In<std::uint64_t, 2> literals, In<std::int32_t, 1> targets,
               In<std::int64_t, 1> order, std::size_t n_threads) {
    require_size("the words of a literal row", literals.shape(1), self.machine.config().n_words());
    require_size("the number of targets", targets.shape(0), literals.shape(0));
    bool finished = false;
    const Poll poll = signal_poll();
    {
        const nb::gil_scoped_release release;
        const std::lock_guard lock(self.mutex);
        finished = self.machine.fit_epoch({view(literals), view(targets), view(order)}, n_threads, poll);
    }
    if (!finished) throw nb::python_error();
}

nb::tuple export_state(LockedMachine& self, std::size_t n_threads) {
    const Config& c = self.machine.config();
    const std::size_t n = c.n_banks * c.n_clauses;
    auto states = std::make_unique_for_overwrite<std::uint8_t[]>(n * c.n_literals);
    auto levels = std::make_unique<std::int32_t[]>(n);
    std::uint64_t step = 0;
    {
        const nb::gil_scoped_release release;
        const std::lock_guard lock(self.mutex);
        self.machine.export_state({states.get(), n * c.n_literals}, {levels.get(), n}, n_threads);
        step = self.machine.step();
    }
    return nb::make_tuple(owned<std::uint8_t, 3>(std::move(states), {c.n_banks, c.n_clauses, c.n_literals}),
                          owned<std::int32_t, 2>(std::move(levels), {c.n_banks, c.n_clauses}), step);
}

Out<std::int32_t, 2> levels(LockedMachine& self) {
    const Config& c = self.machine.config();
    auto out = std::make_unique<std::int32_t[]>(c.n_banks * c.n_clauses);
    {
        const nb::gil_scoped_release release;
        const std::lock_guard lock(self.mutex);
        self.machine.export_levels({out.get(), c.n_banks * c.n_clauses});
    }
    return owned<std::int32_t, 2>(std::move(out), {c.n_banks, c.n_clauses});
}

void import_state(LockedMachine& self, In<std::uint8_t, 3> states, In<std::int32_t, 2> levels,
                  std::uint64_t step, std::size_t n_threads) {
    const Config& c = self.machine.config();
    require_size("the banks of the states", states.shape(0), c.n_banks);
    require_size("the clauses of the states", states.shape(1), c.n_clauses);
    require_size("the literals of the states", states.shape(2), c.n_literals);
    const nb::gil_scoped_release release;
    const std::lock_guard lock(self.mutex);
    self.machine.import_state(view(states), view(levels), step, n_threads);
}

Out<std::uint8_t, 2> outputs(In<std::uint64_t, 3> include, In<std::uint64_t, 2> literals,
                             std::size_t n_threads, const std::string& isa) {
    require_size("the words of a literal row", literals.shape(1), include.shape(2));
    const Clauses clauses{view(include), include.shape(0), include.shape(1), include.shape(2)};
    const std::size_t n = clauses.n_banks * clauses.n_clauses;
    auto out = std::make_unique<std::uint8_t[]>(literals.shape(0) * n);
    bool finished = false;
    const Poll poll = signal_poll();
    {
        const nb::gil_scoped_release release;
        finished = clause_outputs(clauses, view(literals), {out.get(), literals.shape(0) * n},
                                  kernels_or_throw(isa), n_threads, poll);
    }
    if (!finished) throw nb::python_error();
    return owned<std::uint8_t, 2>(std::move(out), {literals.shape(0), n});
}

void bind_config(nb::module_& m) {
    nb::class_<Config>(m, "Config")
        .def(nb::init<>())
        .def_rw("n_banks", &Config::n_banks)
        .def_rw("n_clauses", &Config::n_clauses)
        .def_rw("n_literals", &Config::n_literals)
        .def_rw("n_states", &Config::n_states)
        .def_rw("threshold", &Config::threshold)
        .def_rw("seed", &Config::seed)
        .def_rw("boost_true_positive", &Config::boost_true_positive)
        .def_rw("max_clause_literals", &Config::max_clause_literals)
        .def_rw("drop_chance", &Config::drop_chance)
        .def_rw("focused_negatives", &Config::focused_negatives)
        .def(
            "set_weight_rule",
            [](Config& self, std::int32_t low, std::int32_t high, In<std::int32_t, 1> table) {
                self.rule = {low, high, {table.data(), table.data() + table.size()}};
            },
            "low"_a, "high"_a, nb::arg("table").noconvert())
        .def(
            "set_down_chance",
            [](Config& self, In<std::uint32_t, 1> chance) {
                self.down_chance.assign(chance.data(), chance.data() + chance.size());
            },
            nb::arg("chance").noconvert())
        .def(
            "set_allowed",
            [](Config& self, In<std::uint64_t, 2> words) {
                self.allowed.assign(words.data(), words.data() + words.size());
            },
            nb::arg("words").noconvert());
}

}  // namespace

NB_MODULE(_core, m) {
    bind_config(m);
    nb::class_<LockedMachine>(m, "Machine")
        .def(nb::init<const Config&, const std::string&>(), "config"_a, "isa"_a)
        .def("fit_epoch", &fit_epoch, nb::arg("literals").noconvert(), nb::arg("targets").noconvert(),
             nb::arg("order").noconvert(), "n_threads"_a)
        .def("export_state", &export_state, "n_threads"_a)
        .def("levels", &levels)
        .def_prop_ro("step", [](const LockedMachine& self) { return self.machine.step(); })
        .def("import_state", &import_state, nb::arg("states").noconvert(), nb::arg("levels").noconvert(),
             "step"_a, "n_threads"_a)
        .def_prop_ro("isa",
                     [](const LockedMachine& self) { return std::string(self.machine.kernels().name); });
    bind_compiled_clauses(m);
    m.def("clause_outputs", &outputs, nb::arg("include").noconvert(), nb::arg("literals").noconvert(),
          "n_threads"_a, "isa"_a);
    bind_tables(m);
    m.def("instruction_sets", &instruction_sets);
}

}  // namespace clausal::bindings
