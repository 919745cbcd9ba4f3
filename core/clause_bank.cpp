// The training step of one bank, and its state in and out.
#include "core/clause_bank.hpp"

#include <algorithm>
#include <bit>

#include "core/random.hpp"

namespace clausal {

namespace {

constexpr std::size_t kLine = 8;  // words: longer clauses start on cache lines

std::size_t stride_of(std::size_t n) { return n < kLine ? n : (n + kLine - 1) / kLine * kLine; }

// The 64 bytes at `flags`, each 0 or 1, as bits.
std::uint64_t as_bits(const std::uint8_t* flags) {
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < 8; ++k) {
        std::uint64_t eight = 0;
        for (std::size_t i = 0; i < 8; ++i) eight |= std::uint64_t{flags[8 * k + i]} << (8 * i);
        bits |= (eight * 0x0102040810204080u) >> 56 << (8 * k);
    }
    return bits;
}

constexpr std::uint64_t kOnes = 0x0101010101010101u;

// 64 bytes from their bits: bit k of planes[p] is bit p of byte k; and the way back.
void bits_to_bytes(const std::uint64_t* planes, std::uint8_t* bytes) {
    for (std::size_t k = 0; k < 64; k += 8) {
        std::uint64_t eight = 0;
        for (std::size_t p = 0; p < 8; ++p) {
            const std::uint64_t spread = ((planes[p] >> k) & 0xFF) * kOnes & 0x8040201008040201u;
            eight |= (((spread + 0x7F * kOnes) >> 7) & kOnes) << p;
        }
        for (std::size_t i = 0; i < 8; ++i) bytes[k + i] = static_cast<std::uint8_t>(eight >> (8 * i));
    }
}

void bytes_to_bits(const std::uint8_t* bytes, std::uint64_t* planes) {
    for (std::size_t p = 0; p < 8; ++p) planes[p] = 0;
    for (std::size_t k = 0; k < 64; k += 8) {
        std::uint64_t eight = 0;
        for (std::size_t i = 0; i < 8; ++i) eight |= std::uint64_t{bytes[k + i]} << (8 * i);
        for (std::size_t p = 0; p < 8; ++p)
            planes[p] |= (((eight >> p) & kOnes) * 0x0102040810204080u) >> 56 << k;
    }
}

// Writes the numbers of the set bits, from `first` on; gives how many.
std::size_t list_bits(std::uint64_t bits, std::size_t first, std::uint32_t* list) {
    std::size_t n = 0;
    for (; bits; bits &= bits - 1)
        list[n++] = static_cast<std::uint32_t>(first + static_cast<std::size_t>(std::countr_zero(bits)));
    return n;
}

}  // namespace

// Clauses by the feedback they get, in the order of their numbers.
struct ClauseBank::Sorted {
    std::uint32_t *type_1a, *type_1b, *type_2;
    std::size_t n_1a = 0, n_1b = 0, n_2 = 0;
};

ClauseBank::ClauseBank(const Config& config, const Kernels& kernels, std::size_t index)
    : config_(config),
      kernels_(kernels),
      index_(index),
      state_stride_(stride_of(kStatePlanes * config.n_words())),
      fall_stride_(stride_of(kFallPlanes * (config.n_words() / 4 * 4))),
      fired_((config.n_clauses + 63) / 64 * 64),
      hint_(config.n_clauses),
      selected_((config.n_clauses + 63) / 64),
      dropped_((config.n_clauses + 63) / 64),
      listed_(3 * config.n_clauses) {
    for (auto* plane : {&state.include, &state.can_fall}) plane->resize(config.n_clauses * config.n_words());
    state.states.resize(config.n_clauses * state_stride_);
    state.falls.resize(config.n_clauses * fall_stride_);
    if (has_table(config.n_clauses, config.n_words()))
        table_.resize(kOffsetUnit * kOffsets + config.n_words());
    state.levels.resize(config.n_clauses);
    state.points.resize(config.n_clauses);
}

void ClauseBank::step(const std::uint64_t* x, bool y, std::uint64_t step_index) {
    learn(x, y, step_index, evaluate(x, step_index));
}

std::int64_t ClauseBank::evaluate(const std::uint64_t* x, std::uint64_t step_index) {
    begin(step_index);
    return clipped(evaluate_part(x, {0, config_.n_clauses}));
}

void ClauseBank::learn(const std::uint64_t* x, bool y, std::uint64_t step_index, std::int64_t vote) {
    learn_part(x, y, step_index, vote, {0, config_.n_clauses});
}

// Draws this step's table, and who sits out this block of steps.
void ClauseBank::begin(std::uint64_t step_index) {
    if (!table_.empty()) {
        const std::uint64_t key = draw(draw(draw(config_.seed, Purpose::kTable), step_index), index_);
        kernels_.words(key, table_.size(), table_.data());
    }
    if (config_.drop_chance && step_index / kDropBlock != dropped_block_) {
        dropped_block_ = step_index / kDropBlock;
        const std::uint64_t key = draw(draw(draw(config_.seed, Purpose::kDrop), dropped_block_), index_);
        kernels_.select(key, config_.drop_chance, 0, config_.n_clauses, dropped_.data());
    }
}

std::int64_t ClauseBank::evaluate_part(const std::uint64_t* x, Part part) {
    const std::size_t n = part.last - part.first;
    std::uint8_t* fired = fired_.data() + part.first;
    kernels_.evaluate(state.include.data() + part.first * config_.n_words(), x, n, config_.n_words(),
                      hint_.data() + part.first, fired);
    if (config_.drop_chance) {
        for (std::size_t j = part.first; j < part.last; ++j)
            if ((dropped_[j / 64] >> (j % 64)) & 1u) fired_[j] = 0;
    }
    return kernels_.vote(state.points.data() + part.first, fired, n);
}

std::int64_t ClauseBank::clipped(std::int64_t vote) const {
    return std::clamp(vote, -config_.threshold, config_.threshold);
}

void ClauseBank::learn_part(const std::uint64_t* x, bool y, std::uint64_t step_index, std::int64_t vote,
                            Part part) {
    const std::uint64_t chance = chance_of(y ? config_.threshold - vote : config_.threshold + vote);
    if (chance == 0) return;
    const std::uint64_t key = draw(draw(draw(config_.seed, Purpose::kSelect), step_index), index_);
    kernels_.select(key, chance, part.first, part.last - part.first, selected_.data() + part.first / 64);
    const Sorted sorted = sort_selected(y, part);
    const Feedback feedback{state.include.data(),
                            state.states.data(),
                            state.can_fall.data(),
                            state.falls.data(),
                            config_.allowed.data(),
                            x,
                            config_.down_chance.data(),
                            table_.empty() ? nullptr : table_.data(),
                            draw(draw(draw(config_.seed, Purpose::kAutomata), step_index), index_),
                            config_.n_words(),
                            state_stride_,
                            fall_stride_,
                            config_.n_states,
                            config_.boost_true_positive};
    kernels_.type_1b(feedback, sorted.type_1b, sorted.n_1b);
    kernels_.type_1a(feedback, sorted.type_1a, sorted.n_1a);
    kernels_.type_2(feedback, sorted.type_2, sorted.n_2);
}

// The part of 2T that a distance is, in units of 2^-32.
std::uint64_t ClauseBank::chance_of(std::int64_t distance) const {
    const std::uint64_t whole = 2 * static_cast<std::uint64_t>(config_.threshold);
    if (distance >> 32 == 0) return (static_cast<std::uint64_t>(distance) << 32) / whole;
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(distance) << 32) / whole);
}

// Type I where a clause's polarity favours the label, else Type II where it fired.
ClauseBank::Sorted ClauseBank::sort_selected(bool y, Part part) {
    std::uint32_t* list = listed_.data() + part.first;
    Sorted sorted{list, list + config_.n_clauses, list + 2 * config_.n_clauses};
    const std::uint64_t favoured = y ? 0x5555555555555555u : 0xAAAAAAAAAAAAAAAAu;  // even clauses vote for
    for (std::size_t first = part.first; first < part.last; first += 64) {
        std::uint64_t chosen = selected_[first / 64];
        if (config_.drop_chance) chosen &= ~dropped_[first / 64];
        if (chosen == 0) continue;
        const std::uint64_t fired = as_bits(fired_.data() + first);
        std::uint64_t rewarded = chosen & favoured & fired;
        for (std::uint64_t rest = rewarded; rest; rest &= rest - 1) {
            const std::size_t clause = first + static_cast<std::size_t>(std::countr_zero(rest));
            if (too_long(clause))
                rewarded &= ~(rest & -rest);
            else
                change_level(clause, config_.rule.reward(state.levels[clause]));
        }
        const std::uint64_t penalised = chosen & ~favoured & fired;
        for (std::uint64_t rest = penalised; rest; rest &= rest - 1) {
            const std::size_t clause = first + static_cast<std::size_t>(std::countr_zero(rest));
            change_level(clause, config_.rule.penalise(state.levels[clause]));
        }
        sorted.n_1a += list_bits(rewarded, first, sorted.type_1a + sorted.n_1a);
        sorted.n_1b += list_bits(chosen & favoured & ~rewarded, first, sorted.type_1b + sorted.n_1b);
        sorted.n_2 += list_bits(penalised, first, sorted.type_2 + sorted.n_2);
    }
    return sorted;
}

void ClauseBank::change_level(std::size_t clause, std::int32_t level) {
    const std::int32_t points = config_.rule.points(level);
    state.levels[clause] = level;
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

void ClauseBank::export_state(std::uint8_t* states, std::int32_t* levels) const {
    const std::size_t n_words = config_.n_words();
    const int bottom = 128 - static_cast<int>(config_.n_states);
    for (std::size_t j = 0; j < config_.n_clauses; ++j) {
        for (std::size_t q = 0; q < n_words; ++q) {
            const WordPlanes at = planes(j, q);
            std::uint64_t held[8], falls[8] = {};
            for (std::size_t p = 0; p < kStatePlanes; ++p) held[p] = state.states[at.states + p * at.stride];
            held[7] = state.include[j * n_words + q];
            for (std::size_t p = 0; at.notes && p < kFallPlanes; ++p)
                falls[p] = state.falls[at.falls + p * at.stride];
            std::uint8_t value[64], noted[64] = {};
            bits_to_bytes(held, value);
            if (falls[0] | falls[1] | falls[2]) bits_to_bytes(falls, noted);
            const std::size_t n = std::min<std::size_t>(64, config_.n_literals - 64 * q);
            for (std::size_t k = 0; k < n; ++k)
                states[j * config_.n_literals + 64 * q + k] =
                    static_cast<std::uint8_t>(std::max(value[k] - noted[k] - bottom, 0));
        }
    }
    std::copy(state.levels.begin(), state.levels.end(), levels);
}

void ClauseBank::import_state(const std::uint8_t* states, const std::int32_t* levels) {
    const std::size_t n_words = config_.n_words();
    const unsigned bottom = 128 - config_.n_states;
    for (std::size_t j = 0; j < config_.n_clauses; ++j) {
        for (std::size_t q = 0; q < n_words; ++q) {
            const WordPlanes at = planes(j, q);
            std::uint8_t value[64], noted[64];
            std::fill(value, value + 64, static_cast<std::uint8_t>(bottom));
            const std::size_t n = std::min<std::size_t>(64, config_.n_literals - 64 * q);
            for (std::size_t k = 0; k < n; ++k)
                value[k] = static_cast<std::uint8_t>(bottom + states[j * config_.n_literals + 64 * q + k]);
            std::uint64_t can_fall = 0;
            for (std::size_t k = 0; k < 64; ++k) {
                can_fall |= std::uint64_t{value[k] != bottom} << k;
                noted[k] = at.notes && value[k] >= 128 && value[k] < 136 ? 135 - value[k] : 0;
                value[k] = static_cast<std::uint8_t>(value[k] + noted[k]);
            }
            std::uint64_t held[8], falls[8];
            bytes_to_bits(value, held);
            bytes_to_bits(noted, falls);
            for (std::size_t p = 0; p < kStatePlanes; ++p) state.states[at.states + p * at.stride] = held[p];
            state.include[j * n_words + q] = held[7];
            state.can_fall[j * n_words + q] = can_fall;
            for (std::size_t p = 0; at.notes && p < kFallPlanes; ++p)
                state.falls[at.falls + p * at.stride] = falls[p];
        }
        change_level(j, levels[j]);
    }
}

ClauseBank::WordPlanes ClauseBank::planes(std::size_t clause, std::size_t q) const {
    const std::size_t first = q / 8 * 8 + 8 <= config_.n_words() ? q / 8 * 8 : q / 4 * 4;
    const std::size_t count = block_words(first, config_.n_words());
    const std::size_t begin = count == 1 ? q : first;
    return {clause * state_stride_ + kStatePlanes * begin + (q - begin),
            clause * fall_stride_ + kFallPlanes * begin + (q - begin), count, count > 1};
}

}  // namespace clausal
