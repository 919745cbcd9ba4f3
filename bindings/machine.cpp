// Machines: made, trained several in one call, state in and out. Sizes are checked here, naming both; the GIL
// is released, a machine is used by one thread at a time, Ctrl-C is answered. Not here: any computing (core).
#include "bindings/machine.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <mutex>

#include "bindings/arrays.hpp"
#include "bindings/config.hpp"
#include "core/backend.hpp"
#include "core/require.hpp"
#include "core/visits.hpp"

namespace clausal::bindings {
namespace {

using namespace nb::literals;

// A machine and the lock that keeps two Python threads from training it at once.
struct LockedMachine {
    LockedMachine(nb::handle config, const std::string& backend_name)
        : backend(backend_named(backend_name)), machine(backend.make_machine(read_fields<Config>(config))) {}

    const Backend& backend;
    std::unique_ptr<Machine> machine;
    std::mutex mutex;
};

// literals, targets, order: see Samples.
using Job = std::tuple<LockedMachine*, In<std::uint64_t, 2>, In<std::int32_t, 1>, In<std::int64_t, 1>>;

using Levels = nb::ndarray<std::int32_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;  // to be written

TrainingJob training_job(const LockedMachine& locked, const In<std::uint64_t, 2>& literals,
                         const In<std::int32_t, 1>& targets, const In<std::int64_t, 1>& order) {
    require_size("the words of a literal row", literals.shape(1), locked.machine->config().sample_words());
    require_size("the number of targets", targets.shape(0), literals.shape(0));
    return {.machine = *locked.machine, .samples = {view(literals), view(targets), view(order)}};
}

// Locks every machine, always in the same order, so that two calls never wait for each other.
std::vector<std::unique_lock<std::mutex>> locked(const std::vector<Job>& jobs) {
    std::vector<LockedMachine*> machines;
    for (const Job& job : jobs) machines.push_back(std::get<0>(job));
    std::sort(machines.begin(), machines.end(), std::less<>());
    require(std::adjacent_find(machines.begin(), machines.end()) == machines.end(),
            "a machine must be given once");
    std::vector<std::unique_lock<std::mutex>> locks;
    for (LockedMachine* machine : machines) locks.emplace_back(machine->mutex);
    return locks;
}

void train(const std::vector<Job>& jobs, std::size_t n_threads) {
    if (jobs.empty()) return;
    std::vector<TrainingJob> training;
    for (const auto& [machine, literals, targets, order] : jobs) {
        require(machine != nullptr, "a job must have a machine. Got None.");
        training.push_back(training_job(*machine, literals, targets, order));
    }
    bool finished = false;
    const Run run{.n_threads = n_threads, .poll = signal_poll()};
    {
        const GilRelease release;
        const auto locks = locked(jobs);
        finished = std::get<0>(jobs[0])->backend.train(training, run);
    }
    if (!finished) throw nb::python_error();
}

// One machine, one epoch per order; fills levels [epochs, banks, clauses]. Interrupted, or with an order that
// cannot be visited, the machine is as after the last whole epoch.
void train_epochs(LockedMachine& self, In<std::uint64_t, 2> literals, In<std::int32_t, 1> targets,
                  const std::vector<In<std::int64_t, 1>>& orders, Levels levels, std::size_t n_threads) {
    const Config& c = self.machine->config();
    require_size("the epochs of the levels", levels.shape(0), orders.size());
    require_size("the banks of the levels", levels.shape(1), c.n_banks);
    require_size("the clauses of the levels", levels.shape(2), c.n_clauses);
    std::vector<TrainingJob> epochs;
    for (const auto& order : orders) epochs.push_back(training_job(self, literals, targets, order));
    const auto all_levels = view(levels);
    bool finished = true;
    const Run run{.n_threads = n_threads, .poll = signal_poll()};
    {
        const GilRelease release;
        const std::lock_guard lock(self.mutex);
        for (std::size_t e = 0; e < epochs.size() && finished; ++e) {
            finished = self.backend.train({&epochs[e], 1}, run);
            const std::size_t n = c.n_banks * c.n_clauses;
            if (finished) self.machine->export_levels({all_levels.data() + e * n, n});
        }
    }
    if (!finished) throw nb::python_error();
}

nb::tuple export_state(LockedMachine& self, std::size_t n_threads) {
    const Config& c = self.machine->config();
    const std::size_t n = checked_product(c.n_banks, c.n_clauses);
    const std::size_t n_states = checked_product(c.n_clause_sets() * c.n_clauses, c.n_literals);
    auto states = std::make_unique_for_overwrite<std::uint8_t[]>(n_states);
    auto levels = std::make_unique<std::int32_t[]>(n);
    std::uint64_t step = 0;
    {
        const GilRelease release;
        const std::lock_guard lock(self.mutex);
        self.machine->export_state({states.get(), n_states}, {levels.get(), n}, n_threads);
        step = self.machine->step();
    }
    return nb::make_tuple(
        owned<std::uint8_t, 3>(std::move(states), {c.n_clause_sets(), c.n_clauses, c.n_literals}),
        owned<std::int32_t, 2>(std::move(levels), {c.n_banks, c.n_clauses}), step);
}

Out<std::int32_t, 2> levels(LockedMachine& self) {
    const Config& c = self.machine->config();
    auto out = std::make_unique<std::int32_t[]>(c.n_banks * c.n_clauses);
    {
        const GilRelease release;
        const std::lock_guard lock(self.mutex);
        self.machine->export_levels({out.get(), c.n_banks * c.n_clauses});
    }
    return owned<std::int32_t, 2>(std::move(out), {c.n_banks, c.n_clauses});
}

void import_state(LockedMachine& self, In<std::uint8_t, 3> states, In<std::int32_t, 2> levels,
                  std::uint64_t step, std::size_t n_threads) {
    const Config& c = self.machine->config();
    require_size("the banks of the states", states.shape(0), c.n_clause_sets());
    require_size("the clauses of the states", states.shape(1), c.n_clauses);
    require_size("the literals of the states", states.shape(2), c.n_literals);
    require_size("the banks of the levels", levels.shape(0), c.n_banks);
    require_size("the clauses of the levels", levels.shape(1), c.n_clauses);
    const GilRelease release;
    const std::lock_guard lock(self.mutex);
    self.machine->import_state(view(states), view(levels), step, n_threads);
}

Out<std::int64_t, 2> shuffled(In<std::int64_t, 1> rows, In<std::uint64_t, 1> keys) {
    const std::size_t size = checked_product(keys.size(), rows.size());
    auto out = std::make_unique_for_overwrite<std::int64_t[]>(size);
    shuffle(view(rows), view(keys), {out.get(), size});
    return owned<std::int64_t, 2>(std::move(out), {keys.size(), rows.size()});
}

}  // namespace

void bind_machine(nb::module_& m) {
    m.def("shuffled", &shuffled, nb::arg("rows").noconvert(), nb::arg("keys").noconvert());
    nb::class_<LockedMachine>(m, "Machine")
        .def(nb::init<nb::handle, const std::string&>(), "config"_a, "backend"_a)
        .def("export_state", &export_state, "n_threads"_a)
        .def("levels", &levels)
        .def("import_state", &import_state, nb::arg("states").noconvert(), nb::arg("levels").noconvert(),
             "step"_a, "n_threads"_a)
        .def_prop_ro("step", [](const LockedMachine& self) { return self.machine->step(); })
        .def_prop_ro("backend", [](const LockedMachine& self) { return std::string(self.backend.name()); });
    m.def("train", &train, nb::arg("jobs").noconvert(), "n_threads"_a);
    m.def("train_epochs", &train_epochs, "machine"_a, nb::arg("literals").noconvert(),
          nb::arg("targets").noconvert(), nb::arg("orders").noconvert(), nb::arg("levels").noconvert(),
          "n_threads"_a);
    m.def("config_fields", &config_fields);
}

}  // namespace clausal::bindings
