// A machine on the CPU: one bank for two classes, K banks for K, which may share their clauses; which bank
// sees which sample, on threads. Not here: the training step (clause_bank), several machines in one call
// (backend.cpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/backend.hpp"
#include "core/cpu/clause_bank.hpp"
#include "core/cpu/kernels/kernels.hpp"
#include "core/threads.hpp"

namespace clausal {

class CpuMachine final : public Machine {
  public:
    CpuMachine(const Config& config, const Kernels& kernels);
    CpuMachine(const CpuMachine&) = delete;
    CpuMachine& operator=(const CpuMachine&) = delete;

    const Config& config() const override { return config_; }
    std::uint64_t step() const override { return step_.load(std::memory_order_relaxed); }
    void export_state(std::span<std::uint8_t> states, std::span<std::int32_t> levels,
                      std::size_t n_threads) const override;
    void export_levels(std::span<std::int32_t> levels) const override;
    void import_state(std::span<const std::uint8_t> states, std::span<const std::int32_t> levels,
                      std::uint64_t step, std::size_t n_threads) override;

    // Training in parts, so that of several machines all or none are changed: check and save, then train,
    // then keep or undo.
    void check(const Samples& samples) const;
    void save(std::size_t n_threads);
    // Visits the rows in order, or a part of them where it is stopped. on_caller: on the thread that polls.
    void train(const Samples& samples, std::size_t n_threads, StopFlag& stop, bool on_caller);
    void keep(const Samples& samples) { step_ += samples.order.size(); }
    void undo();

  private:
    // What a step sees of a visit.
    struct Visit {
        const std::uint64_t* x;
        std::size_t target;
        std::uint64_t step;
    };
    Visit visit(const Samples& samples, std::size_t index) const;
    // One step of a visit: it moves the vote of a bank towards a goal, which is whether the sample is of its
    // class, 0 or 1, or the vote to aim at.
    struct Turn {
        std::size_t bank;
        std::int64_t goal;
    };
    std::size_t n_turns() const;
    Turn turn(const Visit& at, std::span<const std::uint32_t> negatives, std::size_t index,
              std::size_t t) const;
    void for_banks(std::size_t n_threads, const std::function<void(std::size_t)>& job) const;
    void train_bank(std::size_t bank, const Samples& samples, std::span<const std::uint32_t> negatives,
                    StopFlag& stop, bool on_caller);
    void train_in_parts(const Samples& samples, std::span<const std::uint32_t> negatives,
                        std::size_t n_threads, StopFlag& stop, bool on_caller);
    void train_focused(const Samples& samples, StopFlag& stop, bool on_caller);
    std::vector<std::int64_t> votes_of(const Visit& at);
    void step_shared(const Visit& at, std::size_t bank, std::int64_t goal);
    std::size_t focused_negative(const Visit& at, std::span<const std::int64_t> votes) const;
    std::vector<std::uint32_t> uniform_negatives(const Samples& samples) const;

    Config config_;
    std::vector<ClauseBank> banks_;  // one, if all share their clauses
    std::vector<BankState> before_;  // to undo to; kept between calls, as allocating it takes time
    std::atomic<std::uint64_t> step_{0};
};

}  // namespace clausal
