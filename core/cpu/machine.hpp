// A machine in training: one bank for two classes, K banks for K; epochs, threads, undo.
// Not here: the training step (clause_bank) and prediction (clause_outputs).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/config.hpp"
#include "core/cpu/clause_bank.hpp"
#include "core/cpu/kernels/kernels.hpp"
#include "core/threads.hpp"

namespace clausal {

struct Samples {
    std::span<const std::uint64_t> literals;  // [n_rows, n_words]
    std::span<const std::int32_t> targets;    // [n_rows]
    std::span<const std::int64_t> order;      // [n_visits], row indices
};

class Machine {
  public:
    Machine(Config config, const Kernels& kernels);
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    // Visits the rows in order. False, and the state as before, when poll asked to stop.
    bool fit_epoch(const Samples& samples, std::size_t n_threads, const Poll& poll);

    void export_state(std::span<std::uint8_t> states, std::span<std::int32_t> levels,
                      std::size_t n_threads = 1) const;
    void export_levels(std::span<std::int32_t> levels) const;
    void import_state(std::span<const std::uint8_t> states, std::span<const std::int32_t> levels,
                      std::uint64_t step, std::size_t n_threads = 1);

    const Config& config() const { return config_; }
    const Kernels& kernels() const { return kernels_; }
    std::uint64_t step() const { return step_.load(std::memory_order_relaxed); }

  private:
    void for_banks(std::size_t n_threads, const std::function<void(std::size_t)>& job) const;
    void check(const Samples& samples) const;
    void train(const Samples& samples, std::size_t n_threads, StopFlag& stop);
    void train_bank(std::size_t bank, const Samples& samples, std::span<const std::uint32_t> negatives,
                    StopFlag& stop, bool on_caller);
    void train_shared(const Samples& samples, std::size_t n_threads, StopFlag& stop);
    void train_focused(const Samples& samples, StopFlag& stop);
    std::vector<std::uint32_t> uniform_negatives(const Samples& samples) const;

    Config config_;
    const Kernels& kernels_;
    std::vector<ClauseBank> banks_;
    std::vector<BankState> before_;       // to undo an interrupted epoch; kept, as making room takes time
    std::atomic<std::uint64_t> step_{0};  // asked for while another thread trains
};

}  // namespace clausal
