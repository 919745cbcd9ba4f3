// Visits over banks: what is checked, which bank sees which sample, on which thread, undo.
#include "core/cpu/machine.hpp"

#include <algorithm>
#include <utility>

#include "core/random.hpp"
#include "core/require.hpp"
#include "core/wide_math.hpp"

namespace clausal {

namespace {

constexpr std::size_t kSharedWords = 1 << 15;  // of a bank; from here on several threads share its steps

}  // namespace

CpuMachine::CpuMachine(const Config& config, const Kernels& kernels) : config_(config) {
    clausal::check(config_);
    banks_.reserve(config_.n_banks);
    for (std::size_t b = 0; b < config_.n_banks; ++b) banks_.emplace_back(config_, kernels, b);
}

void CpuMachine::check(const Samples& samples) const {
    const auto n_rows = static_cast<std::int64_t>(samples.targets.size());
    const auto n_classes = static_cast<std::int32_t>(std::max<std::size_t>(config_.n_banks, 2));
    const std::int32_t last = config_.loss.is_given() ? std::int32_t{1} << kTargetBits : n_classes - 1;
    require(samples.literals.size() == samples.targets.size() * config_.n_words(),
            "literals and targets differ in rows");
    require_range("a target", samples.targets, 0, last);
    require_range("a row in the order", samples.order, std::int64_t{0}, n_rows - 1);
}

void CpuMachine::save(std::size_t n_threads) {
    before_.resize(banks_.size());
    for_banks(n_threads, [&](std::size_t b) { before_[b] = banks_[b].state; });
}

void CpuMachine::undo() {
    for (std::size_t b = 0; b < banks_.size(); ++b) std::swap(banks_[b].state, before_[b]);
}

void CpuMachine::train(const Samples& samples, std::size_t n_threads, StopFlag& stop, bool on_caller) {
    if (config_.focused_negatives && config_.n_banks > 1) return train_focused(samples, stop, on_caller);
    if (config_.n_banks == 1 && n_threads > 1 && config_.n_clauses * config_.n_words() >= kSharedWords)
        return train_shared(samples, n_threads, stop, on_caller);
    const std::vector<std::uint32_t> negatives = uniform_negatives(samples);
    run_jobs(banks_.size(), n_threads, stop, [&](std::size_t bank, bool on_this) {
        train_bank(bank, samples, negatives, stop, on_caller && on_this);
    });
}

CpuMachine::Visit CpuMachine::visit(const Samples& samples, std::size_t index) const {
    const auto row = static_cast<std::size_t>(samples.order[index]);
    return {.x = samples.literals.data() + row * config_.n_words(),
            .target = static_cast<std::size_t>(samples.targets[row]),
            .step = step_ + index};
}

std::int64_t CpuMachine::goal(const Visit& at, std::size_t bank) const {
    if (config_.loss.is_given())
        return rounded_target(at.target, config_.threshold,
                              draw(draw(config_.seed, Purpose::kRound), at.step));
    return at.target == (config_.n_banks == 1 ? 1 : bank);
}

// The other bank of each visit, drawn ahead so that banks are independent of each other.
std::vector<std::uint32_t> CpuMachine::uniform_negatives(const Samples& samples) const {
    std::vector<std::uint32_t> negatives;
    if (config_.n_banks == 1) return negatives;
    negatives.reserve(samples.order.size());
    const std::uint64_t key = draw(config_.seed, Purpose::kNegative);
    for (std::size_t i = 0; i < samples.order.size(); ++i) {
        const Visit at = visit(samples, i);
        const std::uint64_t other = multiply_high(draw(key, at.step), config_.n_banks - 1);
        negatives.push_back(static_cast<std::uint32_t>(other + (other >= at.target)));
    }
    return negatives;
}

void CpuMachine::train_bank(std::size_t bank, const Samples& samples,
                            std::span<const std::uint32_t> negatives, StopFlag& stop, bool on_caller) {
    for (std::size_t i = 0; i < samples.order.size(); ++i) {
        const Visit at = visit(samples, i);
        if (config_.n_banks > 1 && at.target != bank && negatives[i] != bank) continue;
        banks_[bank].step(at.x, goal(at, bank), at.step);
        if (stop.check(on_caller)) return;
    }
}

// One bank on several threads: each has its own clauses, and their votes are added up in every step.
void CpuMachine::train_shared(const Samples& samples, std::size_t n_threads, StopFlag& stop, bool on_caller) {
    struct alignas(64) Share {
        std::int64_t vote = 0;
    };
    ClauseBank& bank = banks_[0];
    const std::size_t n_parts = (config_.n_clauses + kPart - 1) / kPart;
    std::vector<Share> shares(std::min(n_threads, n_parts));
    SpinBarrier barrier;
    run_together(shares.size(), [&](std::size_t thread, std::size_t n) {
        const Part part{thread * n_parts / n * kPart,
                        std::min(config_.n_clauses, (thread + 1) * n_parts / n * kPart)};
        for (std::size_t i = 0; i < samples.order.size(); ++i) {
            const Visit at = visit(samples, i);
            if (thread == 0 && !stop.check(on_caller)) bank.begin(at.step);
            barrier.wait(n);
            if (stop.stopped()) return;
            shares[thread].vote = bank.evaluate_part(at.x, part);
            barrier.wait(n);
            std::int64_t vote = 0;
            for (std::size_t k = 0; k < n; ++k) vote += shares[k].vote;
            bank.learn_part(at.x, goal(at, 0), at.step, bank.clipped(vote), part);
            barrier.wait(n);
        }
    });
}

// The negative bank is drawn in proportion to its update probability, so every bank votes first.
void CpuMachine::train_focused(const Samples& samples, StopFlag& stop, bool on_caller) {
    std::vector<std::int64_t> votes(banks_.size());
    for (std::size_t i = 0; i < samples.order.size() && !stop.check(on_caller); ++i) {
        const Visit at = visit(samples, i);
        for (std::size_t b = 0; b < banks_.size(); ++b) votes[b] = banks_[b].evaluate(at.x, at.step);
        learn_focused(at, votes);
    }
}

void CpuMachine::learn_focused(const Visit& at, std::span<const std::int64_t> votes) {
    const auto share = [&](std::size_t b) {
        return b == at.target ? 0 : static_cast<std::uint64_t>(config_.threshold + votes[b]);
    };
    std::uint64_t total = 0;
    for (std::size_t b = 0; b < banks_.size(); ++b) total += share(b);
    banks_[at.target].learn(at.x, 1, at.step, votes[at.target]);
    std::uint64_t pick = multiply_high(draw(draw(config_.seed, Purpose::kNegative), at.step), total);
    for (std::size_t b = 0; b < banks_.size(); ++b) {
        if (pick < share(b)) return banks_[b].learn(at.x, 0, at.step, votes[b]);
        pick -= share(b);
    }
}

// job(b) for all banks, which it must not mix up.
void CpuMachine::for_banks(std::size_t n_threads, const std::function<void(std::size_t)>& job) const {
    const Poll never;
    StopFlag stop(never);
    run_jobs(banks_.size(), n_threads, stop, [&](std::size_t bank, bool) { job(bank); });
}

void CpuMachine::export_state(std::span<std::uint8_t> states, std::span<std::int32_t> levels,
                              std::size_t n_threads) const {
    for_banks(n_threads, [&](std::size_t b) {
        banks_[b].export_state(states.data() + b * config_.n_clauses * config_.n_literals,
                               levels.data() + b * config_.n_clauses);
    });
}

void CpuMachine::export_levels(std::span<std::int32_t> levels) const {
    for (std::size_t b = 0; b < banks_.size(); ++b)
        std::copy(banks_[b].state.levels.begin(), banks_[b].state.levels.end(),
                  levels.begin() + static_cast<std::ptrdiff_t>(b * config_.n_clauses));
}

void CpuMachine::import_state(std::span<const std::uint8_t> states, std::span<const std::int32_t> levels,
                              std::uint64_t step, std::size_t n_threads) {
    require(levels.size() == config_.n_banks * config_.n_clauses &&
                states.size() == levels.size() * config_.n_literals,
            "states or levels have the wrong size");
    require_range("a state", states, 0u, 2 * config_.n_states - 1);
    require_range("a weight level", levels, config_.rule.low, config_.rule.high);
    for_banks(n_threads, [&](std::size_t b) {
        banks_[b].import_state(states.data() + b * config_.n_clauses * config_.n_literals,
                               levels.data() + b * config_.n_clauses);
    });
    step_ = step;
}

}  // namespace clausal
