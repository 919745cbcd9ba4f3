// The CPU backends, one per instruction set: training of several machines in one call, compiled clauses.
#include "core/backend.hpp"

#include <algorithm>
#include <vector>

#include "core/cpu/clause_outputs.hpp"
#include "core/cpu/compiled_clauses.hpp"
#include "core/cpu/kernels/kernels.hpp"
#include "core/cpu/machine.hpp"
#include "core/cpu/patch_clauses.hpp"
#include "core/require.hpp"

namespace clausal {

namespace {

CpuMachine& cpu_machine(const TrainingJob& job) {
    auto* machine = dynamic_cast<CpuMachine*>(&job.machine);
    require(machine != nullptr, "a machine must be trained by the backend that made it");
    return *machine;
}

// Machines are independent of each other: one alone uses all threads, of several each uses one.
bool train_on_cpu(std::span<const TrainingJob> jobs, const Run& run) {
    std::vector<CpuMachine*> machines;
    for (const TrainingJob& job : jobs) {
        machines.push_back(&cpu_machine(job));
        require(std::count(machines.begin(), machines.end(), machines.back()) == 1,
                "a machine must be given once");
        machines.back()->check(job.samples);
    }
    const std::size_t threads_each = jobs.size() == 1 ? run.n_threads : 1;
    const auto for_machines = [&](StopFlag& stop, const auto& work) {
        run_jobs(jobs.size(), run.n_threads, stop,
                 [&](std::size_t i, bool on_caller) { work(*machines[i], jobs[i].samples, on_caller); });
    };
    const auto undo = [&] {
        for (CpuMachine* machine : machines) machine->undo();
    };

    const Poll never;
    StopFlag saving(never);
    for_machines(saving, [&](CpuMachine& m, const Samples&, bool) { m.save(threads_each); });
    StopFlag stop(run.poll);
    try {
        for_machines(stop, [&](CpuMachine& m, const Samples& samples, bool on_caller) {
            m.train(samples, threads_each, stop, on_caller);
        });
    } catch (...) {
        undo();
        throw;
    }
    if (stop.stopped()) {
        undo();
        return false;
    }
    for (std::size_t i = 0; i < jobs.size(); ++i) machines[i]->keep(jobs[i].samples);
    return true;
}

class CpuBackend final : public Backend {
  public:
    explicit CpuBackend(const Kernels& kernels) : kernels_(kernels) {}

    const char* name() const override { return kernels_.name; }
    std::unique_ptr<Machine> make_machine(const Config& config) const override {
        return std::make_unique<CpuMachine>(config, kernels_);
    }
    bool train(std::span<const TrainingJob> jobs, const Run& run) const override {
        return train_on_cpu(jobs, run);
    }
    std::unique_ptr<CompiledClauses> compile(const ClauseLists& clauses,
                                             const PatchView& view) const override {
        if (view.has_patches()) return std::make_unique<CpuPatchClauses>(clauses, view, kernels_);
        return std::make_unique<CpuClauses>(clauses, kernels_);
    }
    bool clause_outputs(std::span<const std::uint64_t> include, std::span<const std::uint64_t> literals,
                        std::size_t n_words, std::span<std::uint8_t> outputs, const PatchView& view,
                        const Run& run) const override {
        if (view.has_patches()) {
            check(view, 2 * view.n_columns());
            const std::size_t n_clauses = n_words == 0 ? 0 : include.size() / n_words;
            std::fill(outputs.begin(), outputs.end(), 0);
            return for_each_firing(include, literals, view, kernels_, run,
                                   [&](std::size_t row, std::size_t j) { outputs[row * n_clauses + j] = 1; });
        }
        return cpu_clause_outputs(include, literals, n_words, outputs, kernels_, run);
    }

  private:
    const Kernels& kernels_;
};

}  // namespace

const Backend& backend_named(const std::string& name) {
    // Never destroyed: a thread may still train while the process ends.
    static const std::vector<CpuBackend>& backends = *[] {
        auto* all = new std::vector<CpuBackend>;
        for (const char* set : kInstructionSets)
            if (const Kernels* kernels = kernels_named(set)) all->emplace_back(*kernels);
        return all;
    }();
    for (const CpuBackend& backend : backends)
        if (backend.name() == name) return backend;
    throw std::invalid_argument("backend '" + name + "' cannot run here");
}

}  // namespace clausal
