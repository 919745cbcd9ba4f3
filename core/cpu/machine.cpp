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
constexpr std::size_t kNone = SIZE_MAX;

}  // namespace

CpuMachine::CpuMachine(const Config& config, const Kernels& kernels) : config_(config) {
    clausal::check(config_);
    banks_.reserve(config_.n_clause_sets());
    for (std::size_t b = 0; b < config_.n_clause_sets(); ++b) banks_.emplace_back(config_, kernels, b);
}

void CpuMachine::check(const Samples& samples) const {
    const auto n_rows = static_cast<std::int64_t>(samples.targets.size());
    require(samples.literals.size() == samples.targets.size() * config_.sample_words(),
            "literals and targets differ in rows");
    require_range("a target", samples.targets, 0, static_cast<std::int32_t>(config_.n_targets() - 1));
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
    if (config_.focused_negatives && config_.n_banks > 1 && config_.label_sets.empty())
        return train_focused(samples, stop, on_caller);
    const std::vector<std::uint32_t> negatives = uniform_negatives(samples);
    if (banks_.size() == 1 && n_threads > 1 && config_.n_clauses * config_.n_words() >= kSharedWords)
        return train_in_parts(samples, negatives, n_threads, stop, on_caller);
    run_jobs(banks_.size(), n_threads, stop, [&](std::size_t bank, bool on_this) {
        train_bank(bank, samples, negatives, stop, on_caller && on_this);
    });
}

CpuMachine::Visit CpuMachine::visit(const Samples& samples, std::size_t index) const {
    const auto row = static_cast<std::size_t>(samples.order[index]);
    return {.x = samples.literals.data() + row * config_.sample_words(),
            .target = static_cast<std::size_t>(samples.targets[row]),
            .step = step_ + index};
}

// The other bank of each visit, drawn ahead so that banks are independent of each other.
std::vector<std::uint32_t> CpuMachine::uniform_negatives(const Samples& samples) const {
    std::vector<std::uint32_t> negatives;
    if (config_.n_banks == 1 || !config_.label_sets.empty()) return negatives;
    negatives.reserve(samples.order.size());
    const std::uint64_t key = draw(config_.seed, Purpose::kNegative);
    for (std::size_t i = 0; i < samples.order.size(); ++i) {
        const Visit at = visit(samples, i);
        const std::uint64_t other = multiply_high(draw(key, at.step), config_.n_banks - 1);
        negatives.push_back(static_cast<std::uint32_t>(other + (other >= at.target)));
    }
    return negatives;
}

std::size_t CpuMachine::n_turns() const {
    if (!config_.label_sets.empty()) return config_.n_banks;
    return config_.n_banks == 1 ? 1 : 2;
}

// Numbers are learned by one bank. Of two classes, the one bank with its label; of more, the bank of the
// class, then the negative one; of sets of labels, every bank in order.
CpuMachine::Turn CpuMachine::turn(const Visit& at, std::span<const std::uint32_t> negatives,
                                  std::size_t index, std::size_t t) const {
    if (!config_.label_sets.empty())
        return {.bank = t, .goal = config_.label_sets[at.target * config_.n_banks + t] != 0};
    if (config_.loss.is_given()) {
        const std::uint64_t round = draw(draw(config_.seed, Purpose::kRound), at.step);
        return {.bank = 0, .goal = rounded_target(at.target, config_.threshold, round)};
    }
    if (config_.n_banks == 1) return {.bank = 0, .goal = at.target == 1};
    return t == 0 ? Turn{.bank = at.target, .goal = 1} : Turn{.bank = negatives[index], .goal = 0};
}

// The turns of one bank, or all if it has the clauses of all.
void CpuMachine::train_bank(std::size_t bank, const Samples& samples,
                            std::span<const std::uint32_t> negatives, StopFlag& stop, bool on_caller) {
    const std::size_t n = n_turns();
    for (std::size_t i = 0; i < samples.order.size(); ++i) {
        const Visit at = visit(samples, i);
        for (std::size_t t = 0; t < n; ++t) {
            const Turn now = turn(at, negatives, i, t);
            if (config_.shared)
                banks_[bank].vote_in(now.bank);
            else if (now.bank != bank)
                continue;
            banks_[bank].step(at.x, now.goal, at.step);
            if (stop.check(on_caller)) return;
        }
    }
}

// One bank on several threads: each has its own clauses, and their votes are added up in every step.
void CpuMachine::train_in_parts(const Samples& samples, std::span<const std::uint32_t> negatives,
                                std::size_t n_threads, StopFlag& stop, bool on_caller) {
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
        for (std::size_t i = 0; i < n_turns() * samples.order.size(); ++i) {
            const Visit at = visit(samples, i / n_turns());
            const Turn now = turn(at, negatives, i / n_turns(), i % n_turns());
            if (thread == 0 && !stop.check(on_caller)) {
                bank.vote_in(now.bank);
                bank.begin(at.x, at.step);
            }
            barrier.wait(n);
            if (stop.stopped()) return;
            shares[thread].vote = bank.evaluate_part(at.x, part);
            barrier.wait(n);
            std::int64_t vote = 0;
            for (std::size_t k = 0; k < n; ++k) vote += shares[k].vote;
            bank.learn_part(at.x, now.goal, at.step, bank.clipped(vote), part);
            barrier.wait(n);
        }
    });
}

// The negative bank is drawn in proportion to its update probability, so every bank votes first.
void CpuMachine::train_focused(const Samples& samples, StopFlag& stop, bool on_caller) {
    for (std::size_t i = 0; i < samples.order.size() && !stop.check(on_caller); ++i) {
        const Visit at = visit(samples, i);
        const std::vector<std::int64_t> votes = votes_of(at);
        const std::size_t negative = focused_negative(at, votes);
        if (config_.shared) {  // each of the two steps evaluates the clauses as it finds them
            step_shared(at, at.target, 1);
            if (negative != kNone) step_shared(at, negative, 0);
        } else {
            banks_[at.target].learn(at.x, 1, at.step, votes[at.target]);
            if (negative != kNone) banks_[negative].learn(at.x, 0, at.step, votes[negative]);
        }
    }
}

// The clipped vote of every bank.
std::vector<std::int64_t> CpuMachine::votes_of(const Visit& at) {
    std::vector<std::int64_t> votes(config_.n_banks);
    for (std::size_t b = 0; b < config_.n_banks; ++b) {
        ClauseBank& bank = banks_[config_.shared ? 0 : b];
        if (config_.shared) bank.vote_in(b);
        votes[b] = config_.shared && b > 0 ? bank.clipped(bank.vote_of_part({0, config_.n_clauses}))
                                           : bank.evaluate(at.x, at.step);
    }
    return votes;
}

void CpuMachine::step_shared(const Visit& at, std::size_t bank, std::int64_t goal) {
    banks_[0].vote_in(bank);
    banks_[0].step(at.x, goal, at.step);
}

// kNone where every other bank is already as sure as can be.
std::size_t CpuMachine::focused_negative(const Visit& at, std::span<const std::int64_t> votes) const {
    const auto share = [&](std::size_t b) {
        return b == at.target ? 0 : static_cast<std::uint64_t>(config_.threshold + votes[b]);
    };
    std::uint64_t total = 0;
    for (std::size_t b = 0; b < config_.n_banks; ++b) total += share(b);
    std::uint64_t pick = multiply_high(draw(draw(config_.seed, Purpose::kNegative), at.step), total);
    for (std::size_t b = 0; b < config_.n_banks; ++b) {
        if (pick < share(b)) return b;
        pick -= share(b);
    }
    return kNone;
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
                states.size() == config_.n_clause_sets() * config_.n_clauses * config_.n_literals,
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
