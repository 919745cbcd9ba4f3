// The training step of one bank, and its state in and out.
#include "core/cpu/clause_bank.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include "core/random.hpp"

namespace clausal {

namespace {

constexpr std::size_t kLine = 8;  // words: longer clauses start on cache lines

std::size_t rounded(std::size_t n) { return (n + kLine - 1) / kLine * kLine; }

// Words from clause to clause where each of its blocked words has so many planes.
std::size_t stride_of(std::size_t planes, std::size_t n_blocked) {
    return n_blocked < kLine ? planes * n_blocked : rounded(planes * n_blocked);
}

// Bit i of byte p to bit p of byte i.
std::uint64_t transposed(std::uint64_t bits) {
    std::uint64_t swapped = (bits ^ (bits >> 7)) & 0x00AA00AA00AA00AAu;
    bits ^= swapped ^ (swapped << 7);
    swapped = (bits ^ (bits >> 14)) & 0x0000CCCC0000CCCCu;
    bits ^= swapped ^ (swapped << 14);
    swapped = (bits ^ (bits >> 28)) & 0x00000000F0F0F0F0u;
    return bits ^ swapped ^ (swapped << 28);
}

// 64 bytes from their bits: bit k of planes[p] is bit p of byte k; and the way back.
void bits_to_bytes(const std::uint64_t* planes, std::uint8_t* bytes) {
    for (std::size_t k = 0; k < 64; k += 8) {
        std::uint64_t eight = 0;
        for (std::size_t p = 0; p < 8; ++p) eight |= ((planes[p] >> k) & 0xFF) << (8 * p);
        eight = transposed(eight);
        for (std::size_t i = 0; i < 8; ++i) bytes[k + i] = static_cast<std::uint8_t>(eight >> (8 * i));
    }
}

void bytes_to_bits(const std::uint8_t* bytes, std::uint64_t* planes) {
    for (std::size_t p = 0; p < 8; ++p) planes[p] = 0;
    for (std::size_t k = 0; k < 64; k += 8) {
        std::uint64_t eight = 0;
        for (std::size_t i = 0; i < 8; ++i) eight |= std::uint64_t{bytes[k + i]} << (8 * i);
        eight = transposed(eight);
        for (std::size_t p = 0; p < 8; ++p) planes[p] |= ((eight >> (8 * p)) & 0xFF) << k;
    }
}

// Writes the numbers of the set bits among those of a part's clauses; gives how many.
template <class Bits>
std::size_t list_bits(Part part, std::uint32_t* list, const Bits& bits_of) {
    std::size_t n = 0;
    for (std::size_t first = part.first; first < part.last; first += 64)
        for (std::uint64_t bits = bits_of(first / 64); bits; bits &= bits - 1)
            list[n++] = static_cast<std::uint32_t>(first + static_cast<std::size_t>(std::countr_zero(bits)));
    return n;
}

}  // namespace

ClauseBank::ClauseBank(const Config& config, const Kernels& kernels, std::size_t index)
    : config_(config),
      kernels_(kernels),
      index_(index),
      n_blocked_(blocked_words(config.n_words())),
      n_single_(config.n_words() - n_blocked_),
      row_stride_(rounded(n_blocked_)),
      state_stride_(stride_of(kStatePlanes, n_blocked_)),
      fall_stride_(stride_of(kFallPlanes, n_blocked_)),
      same_chance_(std::adjacent_find(config.down_chance.begin(), config.down_chance.end(),
                                      std::not_equal_to<>()) == config.down_chance.end()),
      hint_(config.n_clauses),
      listed_((config.n_clauses + kListed - 1) / kListed * kListed) {
    const std::size_t n_groups = (config.n_clauses + kSide - 1) / kSide;
    for (auto* bits : {&fired_, &selected_, &dropped_, &type_1a_, &type_1b_, &type_2_})
        bits->resize((config.n_clauses + 63) / 64);
    for (auto* plane : {&state.include, &state.can_fall}) plane->resize(config.n_clauses * row_stride_);
    state.states.resize(config.n_clauses * state_stride_);
    state.falls.resize(config.n_clauses * fall_stride_);
    state.single_include.resize(n_groups * n_single_ * kSide);
    state.single_states.resize(n_groups * n_single_ * kStatePlanes * kSide);
    drawn_.resize(n_groups * kSide);
    if (has_table(config.n_clauses, config.n_words()))
        table_.resize(kOffsetUnit * kOffsets + config.n_words());
    state.levels.resize(config.n_clauses);
    state.points.resize(n_groups * kSide);
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
    const std::size_t n_groups = (n + kSide - 1) / kSide;
    std::uint64_t* fired = fired_.data() + part.first / 64;
    if (n_blocked_)
        kernels_.evaluate(state.include.data() + part.first * row_stride_, row_stride_, x, n, n_blocked_,
                          hint_.data() + part.first, fired);
    else
        std::fill_n(fired, (n + 63) / 64, ~std::uint64_t{0});
    if (n_single_)
        kernels_.evaluate_singles(state.single_include.data() + part.first * n_single_, x + n_blocked_,
                                  n_groups, n_single_, fired);
    if (config_.drop_chance)
        for (std::size_t word = 0; word < (n + 63) / 64; ++word)
            fired[word] &= ~dropped_[part.first / 64 + word];
    return kernels_.vote(state.points.data() + part.first, fired, n_groups);
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
    sort_selected(y, part);
    const Feedback feedback{state.include.data(),
                            state.can_fall.data(),
                            state.states.data(),
                            state.falls.data(),
                            state.single_include.data(),
                            state.single_states.data(),
                            drawn_.data(),
                            config_.allowed.data(),
                            x,
                            config_.down_chance.data(),
                            table_.empty() ? nullptr : table_.data(),
                            draw(draw(draw(config_.seed, Purpose::kAutomata), step_index), index_),
                            config_.n_words(),
                            row_stride_,
                            state_stride_,
                            fall_stride_,
                            config_.n_states,
                            same_chance_,
                            config_.boost_true_positive};
    if (n_blocked_) give_blocked(feedback, part);
    if (n_single_) give_singles(feedback, part);
}

void ClauseBank::give_blocked(const Feedback& feedback, Part part) {
    std::uint32_t* list = listed_.data() + part.first;
    const auto give = [&](const std::vector<std::uint64_t>& bits, auto kernel) {
        kernel(feedback, list, list_bits(part, list, [&](std::size_t word) { return bits[word]; }));
    };
    give(type_1b_, kernels_.type_1b);
    give(type_1a_, kernels_.type_1a);
    give(type_2_, kernels_.type_2);
}

void ClauseBank::give_singles(const Feedback& feedback, Part part) {
    std::uint32_t* list = listed_.data() + part.first;
    const auto drawing = [&](std::size_t word) { return type_1a_[word] | type_1b_[word]; };
    std::size_t n = list_bits(part, list, drawing);
    for (; n % kListed; ++n) list[n] = list[0];
    kernels_.singles(feedback, {type_1a_.data(), type_1b_.data(), type_2_.data()}, part.first / kSide,
                     (part.last + kSide - 1) / kSide, list, n);
}

// The part of 2T that a distance is, in units of 2^-32.
std::uint64_t ClauseBank::chance_of(std::int64_t distance) const {
    const std::uint64_t whole = 2 * static_cast<std::uint64_t>(config_.threshold);
    if (distance >> 32 == 0) return (static_cast<std::uint64_t>(distance) << 32) / whole;
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(distance) << 32) / whole);
}

// Type I where a clause's polarity favours the label, else Type II where it fired.
void ClauseBank::sort_selected(bool y, Part part) {
    const std::uint64_t favoured = y ? 0x5555555555555555u : 0xAAAAAAAAAAAAAAAAu;  // even clauses vote for
    for (std::size_t first = part.first; first < part.last; first += 64) {
        std::uint64_t chosen = selected_[first / 64];
        if (config_.drop_chance) chosen &= ~dropped_[first / 64];
        const std::uint64_t fired = fired_[first / 64];
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
        type_1a_[first / 64] = rewarded;
        type_1b_[first / 64] = chosen & favoured & ~rewarded;
        type_2_[first / 64] = penalised;
    }
}

void ClauseBank::change_level(std::size_t clause, std::int32_t level) {
    const std::int32_t points = config_.rule.points(level);
    state.levels[clause] = level;
    state.points[clause] = clause % 2 == 0 ? points : -points;
}

bool ClauseBank::too_long(std::size_t clause) const {
    if (config_.max_clause_literals >= config_.n_literals) return false;
    std::size_t length = 0;
    for (std::size_t q = 0; q < config_.n_words(); ++q) {
        const WordPlanes at = planes(clause, q);
        const auto& include = at.single ? state.single_include : state.include;
        length += static_cast<std::size_t>(std::popcount(include[at.include]));
    }
    return length > config_.max_clause_literals;
}

void ClauseBank::export_state(std::uint8_t* states, std::int32_t* levels) const {
    const int bottom = 128 - static_cast<int>(config_.n_states);
    for (std::size_t j = 0; j < config_.n_clauses; ++j) {
        for (std::size_t q = 0; q < config_.n_words(); ++q) {
            const WordPlanes at = planes(j, q);
            const auto& planes_of = at.single ? state.single_states : state.states;
            std::uint64_t held[8], falls[8] = {};
            for (std::size_t p = 0; p < kStatePlanes; ++p) held[p] = planes_of[at.states + p * at.stride];
            held[7] = (at.single ? state.single_include : state.include)[at.include];
            for (std::size_t p = 0; !at.single && p < kFallPlanes; ++p)
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
    const unsigned bottom = 128 - config_.n_states;
    for (std::size_t j = 0; j < config_.n_clauses; ++j) {
        for (std::size_t q = 0; q < config_.n_words(); ++q) {
            const WordPlanes at = planes(j, q);
            std::uint8_t value[64];
            std::fill(value, value + 64, static_cast<std::uint8_t>(bottom));
            const std::size_t n = std::min<std::size_t>(64, config_.n_literals - 64 * q);
            for (std::size_t k = 0; k < n; ++k)
                value[k] = static_cast<std::uint8_t>(bottom + states[j * config_.n_literals + 64 * q + k]);
            std::uint64_t held[8], falls[kFallPlanes], can_fall = 0;
            bytes_to_bits(value, held);
            for (std::size_t p = 0; p < 8; ++p) can_fall |= (bottom >> p) & 1u ? ~held[p] : held[p];
            // from 128 to 135: held as 135, the difference noted
            const std::uint64_t near = at.single ? 0 : held[7] & ~(held[3] | held[4] | held[5] | held[6]);
            for (std::size_t p = 0; p < kFallPlanes; ++p) {
                falls[p] = near & ~held[p];
                held[p] |= near;
            }
            auto& planes_of = at.single ? state.single_states : state.states;
            for (std::size_t p = 0; p < kStatePlanes; ++p) planes_of[at.states + p * at.stride] = held[p];
            (at.single ? state.single_include : state.include)[at.include] = held[7];
            if (at.single) continue;
            state.can_fall[at.include] = can_fall;
            for (std::size_t p = 0; p < kFallPlanes; ++p) state.falls[at.falls + p * at.stride] = falls[p];
        }
        change_level(j, levels[j]);
    }
}

ClauseBank::WordPlanes ClauseBank::planes(std::size_t clause, std::size_t q) const {
    if (q >= n_blocked_) {
        const std::size_t word = clause / kSide * n_single_ + (q - n_blocked_);
        const std::size_t lane = clause % kSide;
        return {word * kSide + lane, word * kStatePlanes * kSide + lane, 0, kSide, true};
    }
    const std::size_t begin = q / 8 * 8;  // of its block: only the last can have four words
    return {clause * row_stride_ + q, clause * state_stride_ + kStatePlanes * begin + (q - begin),
            clause * fall_stride_ + kFallPlanes * begin + (q - begin), block_words(begin, n_blocked_), false};
}

}  // namespace clausal
