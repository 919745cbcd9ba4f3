// A bank's automata and weights in and out: states as bytes outside, bit planes inside (kernels.hpp).
#include <algorithm>
#include <bit>

#include "core/bits.hpp"
#include "core/cpu/clause_bank.hpp"

namespace clausal {

namespace {

// 64 bytes from their bits: bit k of planes[p] is bit p of byte k; and the way back.
void bits_to_bytes(const std::uint64_t* planes, std::uint8_t* bytes) {
    for (std::size_t k = 0; k < 64; k += 8) {
        std::uint64_t eight = 0;
        for (std::size_t p = 0; p < 8; ++p) eight |= ((planes[p] >> k) & 0xFF) << (8 * p);
        eight = transposed_8x8(eight);
        for (std::size_t i = 0; i < 8; ++i) bytes[k + i] = static_cast<std::uint8_t>(eight >> (8 * i));
    }
}

void bytes_to_bits(const std::uint8_t* bytes, std::uint64_t* planes) {
    for (std::size_t p = 0; p < 8; ++p) planes[p] = 0;
    for (std::size_t k = 0; k < 64; k += 8) {
        std::uint64_t eight = 0;
        for (std::size_t i = 0; i < 8; ++i) eight |= std::uint64_t{bytes[k + i]} << (8 * i);
        eight = transposed_8x8(eight);
        for (std::size_t p = 0; p < 8; ++p) planes[p] |= ((eight >> (8 * p)) & 0xFF) << k;
    }
}

}  // namespace

ClauseBank::WordPlanes ClauseBank::planes(std::size_t clause, std::size_t q) const {
    if (q >= n_blocked_) {
        const std::size_t word = clause / kSide * n_single_ + (q - n_blocked_);
        const std::size_t lane = clause % kSide;
        return {.include = word * kSide + lane,
                .states = word * kStatePlanes * kSide + lane,
                .falls = 0,
                .stride = kSide,
                .single = true};
    }
    const std::size_t begin = q / 8 * 8;  // of its block: only the last can have four words
    return {.include = clause * row_stride_ + q,
            .states = clause * state_stride_ + kStatePlanes * begin + (q - begin),
            .falls = clause * fall_stride_ + kFallPlanes * begin + (q - begin),
            .stride = block_words(begin, n_blocked_),
            .single = false};
}

std::size_t ClauseBank::length(std::size_t clause) const {
    std::size_t n = 0;
    for (std::size_t q = 0; q < config_.n_words(); ++q) {
        const WordPlanes at = planes(clause, q);
        const auto& include = at.single ? state.single_include : state.include;
        n += static_cast<std::size_t>(std::popcount(include[at.include]));
    }
    return n;
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
            std::uint8_t value[64], pending[64] = {};
            bits_to_bytes(held, value);
            if (falls[0] | falls[1] | falls[2]) bits_to_bytes(falls, pending);
            const std::size_t n = std::min<std::size_t>(64, config_.n_literals - 64 * q);
            for (std::size_t k = 0; k < n; ++k)
                states[j * config_.n_literals + 64 * q + k] =
                    static_cast<std::uint8_t>(std::max(value[k] - pending[k] - bottom, 0));
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
            // 128 to 135 is kept as 135 and pending falls (AutomataBlock::save)
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
        for (std::size_t row = 0; row < n_rows_; ++row)
            change_level(row, j, levels[row * config_.n_clauses + j]);
    }
}

}  // namespace clausal
