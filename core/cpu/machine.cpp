// Epochs over banks: what is checked, who sees which sample, undo.
#include "core/cpu/machine.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/random.hpp"

namespace clausal {

namespace {

// floor(draw * n / 2^64): an integer below n.
std::uint64_t scaled(std::uint64_t draw, std::uint64_t n) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(draw) * n) >> 64);
}

void require(bool holds, const std::string& message) {
    if (!holds) throw std::invalid_argument(message);
}

constexpr std::size_t kSharedWords = 1 << 15;  // from here on a step is worth sharing among threads

// All values from low to high; the message is made only where one is not.
template <class T, class Bound>
void check_range(const char* what, std::span<const T> values, Bound low, Bound high) {
    for (const T value : values)
        if (value < low || value > high)
            throw std::invalid_argument(std::string(what) + " must be from " + std::to_string(low) + " to " +
                                        std::to_string(high) + ". Got " + std::to_string(value) + ".");
}

void check_config(const Config& c) {
    require(c.n_banks >= 1 && c.n_clauses >= 1 && c.n_literals >= 1,
            "a machine needs banks, clauses, literals");
    require(c.n_states >= 1 && c.n_states <= 128, "n_states must be from 1 to 128");
    require(c.threshold >= 1 && c.threshold <= (std::int64_t{1} << 47), "threshold must be from 1 to 2^47");
    require(c.rule.low <= c.rule.high, "the weight rule's bounds are crossed");
    const auto span = static_cast<std::size_t>(static_cast<std::int64_t>(c.rule.high) - c.rule.low) + 1;
    require(c.rule.table.empty() || c.rule.table.size() == span, "the weight table does not fit its bounds");
    require(c.down_chance.size() == c.n_clauses, "down_chance needs one value per clause");
    for (const std::uint32_t chance : c.down_chance)
        require(chance <= (1u << kAutomatonBits), "down_chance must not exceed 2^24");
    require(c.drop_chance <= (std::uint64_t{1} << 32), "drop_chance must not exceed 2^32");
    require(c.allowed.size() == 2 * c.n_words(), "allowed needs two rows of literal words");
}

}  // namespace

Machine::Machine(Config config, const Kernels& kernels) : config_(std::move(config)), kernels_(kernels) {
    check_config(config_);
    banks_.reserve(config_.n_banks);
    for (std::size_t b = 0; b < config_.n_banks; ++b) banks_.emplace_back(config_, kernels_, b);
}

void Machine::check(const Samples& samples) const {
    const auto n_rows = static_cast<std::int64_t>(samples.targets.size());
    const auto n_classes = static_cast<std::int32_t>(std::max<std::size_t>(config_.n_banks, 2));
    require(samples.literals.size() == samples.targets.size() * config_.n_words(),
            "literals and targets differ in rows");
    check_range("a target", samples.targets, 0, n_classes - 1);
    check_range("a row in the order", samples.order, std::int64_t{0}, n_rows - 1);
}

bool Machine::fit_epoch(const Samples& samples, std::size_t n_threads, const Poll& poll) {
    check(samples);
    before_.resize(banks_.size());
    for_banks(n_threads, [&](std::size_t b) { before_[b] = banks_[b].state; });
    const auto undo = [&] {
        for (std::size_t b = 0; b < banks_.size(); ++b) std::swap(banks_[b].state, before_[b]);
    };

    StopFlag stop(poll);
    try {
        train(samples, n_threads, stop);
    } catch (...) {
        undo();
        throw;
    }
    if (stop.stopped()) {
        undo();
        return false;
    }
    step_ += samples.order.size();
    return true;
}

void Machine::train(const Samples& samples, std::size_t n_threads, StopFlag& stop) {
    if (config_.focused_negatives && config_.n_banks > 1) {
        train_focused(samples, stop);
        return;
    }
    if (config_.n_banks == 1 && n_threads > 1 && config_.n_clauses * config_.n_words() >= kSharedWords) {
        train_shared(samples, n_threads, stop);
        return;
    }
    const std::vector<std::uint32_t> negatives = uniform_negatives(samples);
    run_jobs(banks_.size(), n_threads, stop, [&](std::size_t bank, bool on_caller) {
        train_bank(bank, samples, negatives, stop, on_caller);
    });
}

// The other bank of each visit, drawn ahead so that banks are independent of each other.
std::vector<std::uint32_t> Machine::uniform_negatives(const Samples& samples) const {
    std::vector<std::uint32_t> negatives;
    if (config_.n_banks == 1) return negatives;
    negatives.reserve(samples.order.size());
    const std::uint64_t key = draw(config_.seed, Purpose::kNegative);
    for (std::size_t visit = 0; visit < samples.order.size(); ++visit) {
        const auto target =
            static_cast<std::uint64_t>(samples.targets[static_cast<std::size_t>(samples.order[visit])]);
        const std::uint64_t other = scaled(draw(key, step_ + visit), config_.n_banks - 1);
        negatives.push_back(static_cast<std::uint32_t>(other + (other >= target)));
    }
    return negatives;
}

void Machine::train_bank(std::size_t bank, const Samples& samples, std::span<const std::uint32_t> negatives,
                         StopFlag& stop, bool on_caller) {
    for (std::size_t visit = 0; visit < samples.order.size(); ++visit) {
        const auto row = static_cast<std::size_t>(samples.order[visit]);
        const auto target = static_cast<std::size_t>(samples.targets[row]);
        const std::uint64_t* x = samples.literals.data() + row * config_.n_words();
        if (config_.n_banks == 1)
            banks_[bank].step(x, target == 1, step_ + visit);
        else if (target == bank || negatives[visit] == bank)
            banks_[bank].step(x, target == bank, step_ + visit);
        else
            continue;
        if (stop.check(on_caller)) return;
    }
}

// One bank on several threads: each has its own clauses, and their votes are added up in every step.
void Machine::train_shared(const Samples& samples, std::size_t n_threads, StopFlag& stop) {
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
        for (std::size_t visit = 0; visit < samples.order.size(); ++visit) {
            const auto row = static_cast<std::size_t>(samples.order[visit]);
            const std::uint64_t* x = samples.literals.data() + row * config_.n_words();
            if (thread == 0 && !stop.check(true)) bank.begin(step_ + visit);
            barrier.wait(n);
            if (stop.stopped()) return;
            shares[thread].vote = bank.evaluate_part(x, part);
            barrier.wait(n);
            std::int64_t vote = 0;
            for (std::size_t i = 0; i < n; ++i) vote += shares[i].vote;
            bank.learn_part(x, samples.targets[row] == 1, step_ + visit, bank.clipped(vote), part);
            barrier.wait(n);
        }
    });
}

// The negative bank is drawn in proportion to its update probability, so every bank votes first.
void Machine::train_focused(const Samples& samples, StopFlag& stop) {
    const std::uint64_t key = draw(config_.seed, Purpose::kNegative);
    std::vector<std::int64_t> votes(banks_.size());
    for (std::size_t visit = 0; visit < samples.order.size() && !stop.check(true); ++visit) {
        const auto row = static_cast<std::size_t>(samples.order[visit]);
        const auto target = static_cast<std::size_t>(samples.targets[row]);
        const std::uint64_t* x = samples.literals.data() + row * config_.n_words();
        const std::uint64_t step = step_ + visit;
        std::uint64_t total = 0;
        for (std::size_t b = 0; b < banks_.size(); ++b) {
            votes[b] = banks_[b].evaluate(x, step);
            if (b != target) total += static_cast<std::uint64_t>(config_.threshold + votes[b]);
        }
        banks_[target].learn(x, true, step, votes[target]);
        std::uint64_t pick = scaled(draw(key, step), total);
        for (std::size_t b = 0; b < banks_.size(); ++b) {
            if (b == target) continue;
            const auto share = static_cast<std::uint64_t>(config_.threshold + votes[b]);
            if (pick < share) {
                banks_[b].learn(x, false, step, votes[b]);
                break;
            }
            pick -= share;
        }
    }
}

// job(b) for all banks, which it must not mix up.
void Machine::for_banks(std::size_t n_threads, const std::function<void(std::size_t)>& job) const {
    const Poll never;
    StopFlag stop(never);
    run_jobs(banks_.size(), n_threads, stop, [&](std::size_t bank, bool) { job(bank); });
}

void Machine::export_state(std::span<std::uint8_t> states, std::span<std::int32_t> levels,
                           std::size_t n_threads) const {
    for_banks(n_threads, [&](std::size_t b) {
        banks_[b].export_state(states.data() + b * config_.n_clauses * config_.n_literals,
                               levels.data() + b * config_.n_clauses);
    });
}

void Machine::export_levels(std::span<std::int32_t> levels) const {
    for (std::size_t b = 0; b < banks_.size(); ++b)
        std::copy(banks_[b].state.levels.begin(), banks_[b].state.levels.end(),
                  levels.begin() + static_cast<std::ptrdiff_t>(b * config_.n_clauses));
}

void Machine::import_state(std::span<const std::uint8_t> states, std::span<const std::int32_t> levels,
                           std::uint64_t step, std::size_t n_threads) {
    require(levels.size() == config_.n_banks * config_.n_clauses &&
                states.size() == levels.size() * config_.n_literals,
            "states or levels have the wrong size");
    check_range("a state", states, 0u, 2 * config_.n_states - 1);
    check_range("a weight level", levels, config_.rule.low, config_.rule.high);
    for_banks(n_threads, [&](std::size_t b) {
        banks_[b].import_state(states.data() + b * config_.n_clauses * config_.n_literals,
                               levels.data() + b * config_.n_clauses);
    });
    step_ = step;
}

}  // namespace clausal
