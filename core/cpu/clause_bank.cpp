// The training step of one bank, in the order of docs/algorithm.md: evaluate, select, classify, update
// weights, move automata. Not here: states in and out (bank_state.cpp), samples with
// patches (bank_patches.cpp).
#include "core/cpu/clause_bank.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/bits.hpp"
#include "core/random.hpp"
#include "core/wide_math.hpp"

namespace clausal {

namespace {

constexpr std::size_t kLine = 8;  // words: longer clauses start on cache lines

std::size_t rounded(std::size_t n) { return (n + kLine - 1) / kLine * kLine; }

// Words from one clause to the next, where each blocked word has `planes` planes.
std::size_t stride_of(std::size_t planes, std::size_t n_blocked) {
    return n_blocked < kLine ? planes * n_blocked : rounded(planes * n_blocked);
}

// Lists the clauses of a part whose bit is set; returns how many.
template <class Bits>
std::size_t list_bits(Part part, std::uint32_t* list, const Bits& bits_of) {
    std::size_t n = 0;
    for (std::size_t first = part.first; first < part.last; first += 64)
        for_each_bit(bits_of(first / 64),
                     [&](std::size_t k) { list[n++] = static_cast<std::uint32_t>(first + k); });
    return n;
}

}  // namespace

ClauseBank::ClauseBank(const Config& config, const Kernels& kernels, std::size_t index)
    : config_(config),
      kernels_(kernels),
      index_(index),
      n_rows_(config.shared ? config.n_banks : 1),
      n_blocked_(blocked_words(config.n_words())),
      n_single_(config.n_words() - n_blocked_),
      row_stride_(rounded(n_blocked_)),
      state_stride_(stride_of(kStatePlanes, n_blocked_)),
      fall_stride_(stride_of(kFallPlanes, n_blocked_)),
      point_stride_((config.n_clauses + kSide - 1) / kSide * kSide),
      same_chance_(std::adjacent_find(config.down_chance.begin(), config.down_chance.end(),
                                      std::not_equal_to<>()) == config.down_chance.end()),
      hint_(config.n_clauses),
      listed_((config.n_clauses + kListed - 1) / kListed * kListed) {
    const std::size_t n_groups = (config.n_clauses + kSide - 1) / kSide;
    for (auto* bits : {&fired_, &selected_, &dropped_}) bits->resize(words_of(config.n_clauses));
    types_.resize(words_of(config.n_clauses));
    for (auto* plane : {&state.include, &state.can_fall}) plane->resize(config.n_clauses * row_stride_);
    state.states.resize(config.n_clauses * state_stride_);
    state.falls.resize(config.n_clauses * fall_stride_);
    state.single_include.resize(n_groups * n_single_ * kSide);
    state.single_states.resize(n_groups * n_single_ * kStatePlanes * kSide);
    drawn_.resize(n_groups * kSide);
    if (has_table(config.n_clauses, config.n_words()))
        table_.resize(kOffsetUnit * kOffsets + config.n_words());
    state.levels.resize(n_rows_ * config.n_clauses);
    state.points.resize(n_rows_ * point_stride_);
    // Every other clause votes against (1010 is A), but where none has a polarity.
    const bool has_polarity = !config.shared && !config.loss.is_given();
    state.against.assign(n_rows_ * words_of(config.n_clauses), has_polarity ? 0xAAAAAAAAAAAAAAAAu : 0);
    if (!config.view.has_patches()) return;
    patches_.emplace(config.view, kernels);
    matches_.resize(config.n_clauses * patches_->stride());
    x_.resize(config.n_clauses * row_stride_);
    single_x_.resize(state.single_include.size());
}

void ClauseBank::vote_in(std::size_t bank) {
    index_ = bank;
    row_ = bank;
}

void ClauseBank::step(const std::uint64_t* x, std::int64_t goal, std::uint64_t step_index) {
    learn(x, goal, step_index, evaluate(x, step_index));
}

std::int64_t ClauseBank::evaluate(const std::uint64_t* x, std::uint64_t step_index) {
    begin(x, step_index);
    return clipped(evaluate_part(x, {0, config_.n_clauses}));
}

void ClauseBank::learn(const std::uint64_t* x, std::int64_t goal, std::uint64_t step_index,
                       std::int64_t vote) {
    learn_part(x, goal, step_index, vote, {0, config_.n_clauses});
}

// Draws this step's table of random words, and the clauses that sit out this block of steps; makes patches.
void ClauseBank::begin(const std::uint64_t* x, std::uint64_t step_index) {
    if (patches_) patches_->read(x);
    if (!table_.empty()) kernels_.words(key_of(Purpose::kTable, step_index), table_.size(), table_.data());
    if (config_.drop_chance && step_index / kDropBlock != dropped_block_) {
        dropped_block_ = step_index / kDropBlock;
        const std::uint64_t key = draw(draw(config_.seed, Purpose::kDrop), dropped_block_);
        kernels_.select(draw(key, config_.shared ? 0 : index_), config_.drop_chance, 0, config_.n_clauses,
                        dropped_.data());
    }
}

std::uint64_t ClauseBank::key_of(Purpose purpose, std::uint64_t step_index) const {
    return draw(draw(draw(config_.seed, purpose), step_index), index_);
}

std::int64_t ClauseBank::evaluate_part(const std::uint64_t* x, Part part) {
    const std::size_t n = part.last - part.first;
    const std::size_t n_groups = (n + kSide - 1) / kSide;
    std::uint64_t* fired = fired_.data() + part.first / 64;
    if (patches_)
        match_patches(part);
    else if (n_blocked_)
        kernels_.evaluate(state.include.data() + part.first * row_stride_, row_stride_, x, n, n_blocked_,
                          hint_.data() + part.first, fired);
    else
        std::fill_n(fired, words_of(n), ~std::uint64_t{0});
    if (n_single_ && !patches_)
        kernels_.evaluate_singles(state.single_include.data() + part.first * n_single_, x + n_blocked_,
                                  n_groups, n_single_, fired);
    if (config_.drop_chance)
        for (std::size_t word = 0; word < words_of(n); ++word)
            fired[word] &= ~dropped_[part.first / 64 + word];
    return vote_of_part(part);
}

std::int64_t ClauseBank::vote_of_part(Part part) const {
    const std::size_t n_groups = (part.last - part.first + kSide - 1) / kSide;
    return kernels_.vote(state.points.data() + row_ * point_stride_ + part.first,
                         fired_.data() + part.first / 64, n_groups);
}

std::int64_t ClauseBank::clipped(std::int64_t vote) const {
    return std::clamp(vote, -config_.threshold, config_.threshold);
}

void ClauseBank::learn_part(const std::uint64_t* x, std::int64_t goal, std::uint64_t step_index,
                            std::int64_t vote, Part part) {
    const Aim to = aim(goal, vote);
    if (to.chance == 0) return;
    kernels_.select(key_of(Purpose::kSelect, step_index), to.chance, part.first, part.last - part.first,
                    selected_.data() + part.first / 64);
    classify(to.up, part);
    update_weights(to, part);
    if (patches_) pick_patches(part, key_of(Purpose::kPatch, step_index));
    const Feedback feedback = feedback_on(x, step_index);
    if (n_blocked_) give_blocked(feedback, part);
    if (n_single_) give_singles(feedback, part);
}

// For a class, the chance is (T - v) / 2T or (T + v) / 2T; for a number, the loss says.
ClauseBank::Aim ClauseBank::aim(std::int64_t goal, std::int64_t vote) const {
    const std::int64_t threshold = config_.threshold;
    if (config_.loss.is_given())
        return {.up = vote < goal, .chance = config_.loss.chance(vote - goal, threshold), .lead = 0};
    const std::int64_t lead = goal ? vote : -vote;
    const std::uint64_t chance =
        share_of(static_cast<std::uint64_t>(threshold - lead), 2 * static_cast<std::uint64_t>(threshold));
    return {.up = goal != 0, .chance = chance, .lead = lead};
}

void ClauseBank::classify(bool up, Part part) {
    const std::uint64_t* against = state.against.data() + row_ * words_of(config_.n_clauses);
    for (std::size_t word = part.first / 64; word * 64 < part.last; ++word) {
        const std::uint64_t favours = up ? ~against[word] : against[word];
        std::uint64_t selected = selected_[word];
        if (config_.drop_chance) selected &= ~dropped_[word];
        const std::uint64_t fits = fitting(word, selected & favours & fired_[word]);
        types_[word] = feedback_types(selected, favours, fired_[word], fits);
    }
}

std::uint64_t ClauseBank::fitting(std::size_t word, std::uint64_t clauses) const {
    if (config_.max_clause_literals >= config_.n_literals) return clauses;
    std::uint64_t fits = 0;
    for_each_bit(clauses, [&](std::size_t k) {
        fits |= std::uint64_t{length(64 * word + k) <= config_.max_clause_literals} << k;
    });
    return fits;
}

// Type Ia rewards, Type II penalises. The level of a shared clause has a sign, and moves towards the goal.
void ClauseBank::update_weights(const Aim& to, Part part) {
    const WeightRule rule = config_.rule.law();
    const bool shared = config_.shared;
    const std::size_t row = row_;
    const std::int32_t* levels = state.levels.data() + row * config_.n_clauses;
    const auto update = [&](std::size_t clause, const auto& change) {
        const std::int32_t level = levels[clause];
        if (!rule.stays(level, to.lead)) change_level(row, clause, change(level));
    };
    const auto reward = [&](std::int32_t level) { return rule.reward(level); };
    const auto penalise = [&](std::int32_t level) { return rule.penalise(level); };
    for (std::size_t word = part.first / 64; word * 64 < part.last; ++word) {
        std::uint64_t rises = types_[word].type_1a, falls = types_[word].type_2;
        if (shared) (to.up ? rises : falls) |= std::exchange(to.up ? falls : rises, 0);
        for_each_bit(rises, [&](std::size_t k) { update(64 * word + k, reward); });
        for_each_bit(falls, [&](std::size_t k) { update(64 * word + k, penalise); });
    }
}

void ClauseBank::change_level(std::size_t row, std::size_t clause, std::int32_t level) {
    std::int32_t points = config_.rule.law().points(level);
    std::uint64_t& against = state.against[row * words_of(config_.n_clauses) + clause / 64];
    const std::uint64_t bit = std::uint64_t{1} << (clause % 64);
    if (config_.shared)
        against = level < 0 ? against | bit : against & ~bit;
    else if (against & bit)
        points = -points;
    state.levels[row * config_.n_clauses + clause] = level;
    state.points[row * point_stride_ + clause] = points;
}

Feedback ClauseBank::feedback_on(const std::uint64_t* x, std::uint64_t step_index) {
    return {
        .include = state.include.data(),
        .can_fall = state.can_fall.data(),
        .states = state.states.data(),
        .falls = state.falls.data(),
        .single_include = state.single_include.data(),
        .single_states = state.single_states.data(),
        .drawn = drawn_.data(),
        .allowed = config_.allowed_words.data(),
        .x = patches_ ? x_.data() : x,
        .single_x = patches_ ? single_x_.data() : nullptr,
        .down_chance = config_.down_chance.data(),
        .table = table_.empty() ? nullptr : table_.data(),
        .key = key_of(Purpose::kAutomata, step_index),
        .n_words = config_.n_words(),
        .row_stride = row_stride_,
        .state_stride = state_stride_,
        .fall_stride = fall_stride_,
        .x_stride = patches_ ? row_stride_ : 0,
        .n_states = config_.n_states,
        .same_chance = same_chance_,
        .boost_true_positive = config_.boost_true_positive,
    };
}

void ClauseBank::give_blocked(const Feedback& feedback, Part part) {
    std::uint32_t* list = listed_.data() + part.first;
    const auto give = [&](std::uint64_t FeedbackTypes::* type, auto kernel) {
        kernel(feedback, list, list_bits(part, list, [&](std::size_t word) { return types_[word].*type; }));
    };
    give(&FeedbackTypes::type_1b, kernels_.type_1b);
    give(&FeedbackTypes::type_1a, kernels_.type_1a);
    give(&FeedbackTypes::type_2, kernels_.type_2);
}

void ClauseBank::give_singles(const Feedback& feedback, Part part) {
    std::uint32_t* list = listed_.data() + part.first;
    const auto type_1 = [&](std::size_t word) { return types_[word].type_1a | types_[word].type_1b; };
    std::size_t n = list_bits(part, list, type_1);
    for (; n % kListed; ++n) list[n] = list[0];
    kernels_.singles(feedback, types_.data(), part.first / kSide, (part.last + kSide - 1) / kSide, list, n);
}

}  // namespace clausal
