// The training step of one bank, and its state in and out.
#include "core/clause_bank.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/random.hpp"

namespace clausal {

ClauseBank::ClauseBank(const Config& config, const Kernels& kernels, std::size_t index)
    : config_(config),
      kernels_(kernels),
      index_(index),
      fired_(config.n_clauses),
      hint_(config.n_clauses),
      selected_((config.n_clauses + 63) / 64),
      dropped_((config.n_clauses + 63) / 64) {
    state.states.resize(config.n_clauses * config.n_words() * 64);
    for (auto* plane : {&state.include, &state.can_fall, &state.can_rise})
        plane->resize(config.n_clauses * config.n_words());
    state.levels.resize(config.n_clauses);
    state.points.resize(config.n_clauses);
}

void ClauseBank::step(const std::uint64_t* x, bool y, std::uint64_t step_index) {
    learn(x, y, step_index, evaluate(x, step_index));
}

std::int64_t ClauseBank::evaluate(const std::uint64_t* x, std::uint64_t step_index) {
    kernels_.evaluate(state.include.data(), x, config_.n_clauses, config_.n_words(), hint_.data(),
                      fired_.data());
    if (config_.drop_chance) {
        draw_dropped(step_index);
        for (std::size_t j = 0; j < config_.n_clauses; ++j)
            if ((dropped_[j / 64] >> (j % 64)) & 1u) fired_[j] = 0;
    }
    const std::int64_t vote = kernels_.vote(state.points.data(), fired_.data(), config_.n_clauses);
    return std::clamp(vote, -config_.threshold, config_.threshold);
}

void ClauseBank::learn(const std::uint64_t* x, bool y, std::uint64_t step_index, std::int64_t vote) {
    const auto distance =
        static_cast<unsigned __int128>(y ? config_.threshold - vote : config_.threshold + vote);
    const auto chance =
        static_cast<std::uint64_t>((distance << 32) / (2 * static_cast<std::uint64_t>(config_.threshold)));
    if (chance == 0) return;
    const std::uint64_t key = draw(draw(draw(config_.seed, Purpose::kSelect), step_index), index_);
    kernels_.select(key, chance, config_.n_clauses, selected_.data());
    const std::uint64_t automata_key = draw(draw(draw(config_.seed, Purpose::kAutomata), step_index), index_);
    for (std::size_t q = 0; q < selected_.size(); ++q) {
        std::uint64_t chosen = selected_[q];
        if (config_.drop_chance) chosen &= ~dropped_[q];
        for (; chosen; chosen &= chosen - 1) {
            const std::size_t clause = 64 * q + static_cast<std::size_t>(std::countr_zero(chosen));
            const bool votes_for = clause % 2 == 0;
            feedback(clause, x, votes_for == y, automata_key);
        }
    }
}

// Feedback to one selected clause: Type I where its polarity favours the label, else Type II.
void ClauseBank::feedback(std::size_t clause, const std::uint64_t* x, bool favoured,
                          std::uint64_t automata_key) {
    if (!favoured && !fired_[clause]) return;
    const std::size_t n_words = config_.n_words();
    const ClauseUpdate update{state.states.data() + clause * n_words * 64,
                              state.include.data() + clause * n_words,
                              state.can_fall.data() + clause * n_words,
                              state.can_rise.data() + clause * n_words,
                              config_.allowed.data() + (clause % 2) * n_words,
                              x,
                              n_words,
                              config_.n_states,
                              favoured ? draw(automata_key, clause) : 0,
                              config_.down_chance[clause],
                              config_.boost_true_positive};
    std::int32_t& level = state.levels[clause];
    if (!favoured) {
        kernels_.type_2(update);
        level = config_.rule.penalise(level);
    } else if (fired_[clause] && !too_long(clause)) {
        kernels_.type_1a(update);
        level = config_.rule.reward(level);
    } else {
        kernels_.type_1b(update);
    }
    const std::int32_t points = config_.rule.points(level);
    state.points[clause] = clause % 2 == 0 ? points : -points;
}

bool ClauseBank::too_long(std::size_t clause) const {
    if (config_.max_clause_literals >= config_.n_literals) return false;
    const std::uint64_t* include = state.include.data() + clause * config_.n_words();
    std::size_t length = 0;
    for (std::size_t q = 0; q < config_.n_words(); ++q)
        length += static_cast<std::size_t>(std::popcount(include[q]));
    return length > config_.max_clause_literals;
}

void ClauseBank::draw_dropped(std::uint64_t step_index) {
    const std::uint64_t block = step_index / kDropBlock;
    if (block == dropped_block_) return;
    dropped_block_ = block;
    const std::uint64_t key = draw(draw(draw(config_.seed, Purpose::kDrop), block), index_);
    kernels_.select(key, config_.drop_chance, config_.n_clauses, dropped_.data());
}

void ClauseBank::export_state(std::uint8_t* states, std::int32_t* levels) const {
    const std::size_t stride = config_.n_words() * 64;
    for (std::size_t j = 0; j < config_.n_clauses; ++j)
        std::memcpy(states + j * config_.n_literals, state.states.data() + j * stride, config_.n_literals);
    std::copy(state.levels.begin(), state.levels.end(), levels);
}

void ClauseBank::import_state(const std::uint8_t* states, const std::int32_t* levels) {
    const std::size_t stride = config_.n_words() * 64;
    for (auto* plane : {&state.include, &state.can_fall, &state.can_rise})
        std::fill(plane->begin(), plane->end(), 0);
    for (std::size_t j = 0; j < config_.n_clauses; ++j) {
        const std::uint8_t* row = states + j * config_.n_literals;
        std::memcpy(state.states.data() + j * stride, row, config_.n_literals);
        const std::size_t first = j * config_.n_words();
        for (std::size_t k = 0; k < config_.n_literals; ++k) {
            state.include[first + k / 64] |= static_cast<std::uint64_t>(row[k] >= config_.n_states)
                                             << (k % 64);
            state.can_fall[first + k / 64] |= static_cast<std::uint64_t>(row[k] != 0) << (k % 64);
            state.can_rise[first + k / 64] |= static_cast<std::uint64_t>(row[k] != 2 * config_.n_states - 1)
                                              << (k % 64);
        }
        const std::int32_t points = config_.rule.points(levels[j]);
        state.levels[j] = levels[j];
        state.points[j] = j % 2 == 0 ? points : -points;
    }
}

}  // namespace clausal
