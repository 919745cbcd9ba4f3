// The few loops over words in which all time is spent, as a table of functions per instruction set.
// Kernels know nothing of variants and check nothing. Written once in kernels.inl and automata.inl, compiled
// once per instruction set by the thin kernels_*.cpp. No std code here: those files may include this header.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/cpu/block_kernels.hpp"

namespace clausal {

// How a bank's automata are kept: bit by bit, not byte by byte, so that one instruction moves as many
// automata as a register has bits. A clause's words are cut into blocks: as many of eight as there are, one
// of four, then single words. An automaton holds 128 - N + its state (from 0): it includes from 128 on,
// whatever N is.
constexpr std::size_t kStatePlanes = 7;  // bits 0 to 6 of a block's automata; bit 7 is `include`
constexpr std::size_t kFallPlanes = 3;   // bits of the number of falls that are noted, but not taken yet

// Feedback to some clauses of one bank on one sample. In the arrays of a clause the planes of a block of
// `count` words from word q on are `count` words each, one after the other, from planes * q on.
struct Feedback {
    std::uint64_t* include;            // [n_clauses, n_words], bit set where the automaton includes
    std::uint64_t* states;             // [n_clauses, state_stride], kStatePlanes per block
    std::uint64_t* can_fall;           // [n_clauses, n_words], no bit set where it is at the bottom
    std::uint64_t* falls;              // [n_clauses, fall_stride], kFallPlanes per block of several words
    const std::uint64_t* allowed;      // [2, n_words], literals that may move: of clauses for, and against
    const std::uint64_t* x;            // [n_words], the sample's literals
    const std::uint32_t* down_chance;  // [n_clauses], 1/s in units of 2^-24
    const std::uint64_t* table;        // [kOffsetUnit * kOffsets + n_words], this step's, or empty: nullptr
    std::uint64_t key;                 // of this step's automata
    std::size_t n_words;
    std::size_t state_stride;
    std::size_t fall_stride;
    unsigned n_states;  // N
    bool boost_true_positive;
};

struct Kernels {
    const char* name;  // the instruction set this table was compiled for, as its own compilation saw it

    // fired[j] = 1 where every included literal of clause j is 1 in x; include is [n_clauses, n_words].
    // hint[j] remembers the block of words that last proved clause j false: it is looked at first.
    void (*evaluate)(const std::uint64_t* include, const std::uint64_t* x, std::size_t n_clauses,
                     std::size_t n_words, std::uint32_t* hint, std::uint8_t* fired);
    // Sum of points[j] over fired clauses.
    std::int64_t (*vote)(const std::int32_t* points, const std::uint8_t* fired, std::size_t n_clauses);
    // Bit j of `selected` where 32-bit draw first + j under the key is below chance (0 to 2^32).
    void (*select)(std::uint64_t key, std::uint64_t chance, std::size_t first, std::size_t n_clauses,
                   std::uint64_t* selected);
    // The first n words under the key.
    void (*words)(std::uint64_t key, std::size_t n, std::uint64_t* out);
    // The three kinds of feedback to the automata of the clauses listed.
    void (*type_1a)(const Feedback&, const std::uint32_t* clauses, std::size_t n);
    void (*type_1b)(const Feedback&, const std::uint32_t* clauses, std::size_t n);
    void (*type_2)(const Feedback&, const std::uint32_t* clauses, std::size_t n);

    BlockKernels block;  // for prediction
};

// The table for an instruction set, or nullptr where it was not compiled in or the processor lacks it.
const Kernels* kernels_named(const char* name);
// All names, best first; kernels_named tells which can run here.
inline constexpr const char* kInstructionSets[] = {"avx512", "avx2", "neon", "portable"};
// The best table this processor can run.
const Kernels& best_kernels();

// Words in the block that starts at word q.
constexpr std::size_t block_words(std::size_t q, std::size_t n_words) {
    const std::size_t rest = n_words - q;
    return rest >= 8 ? 8 : rest >= 4 ? 4 : 1;
}

}  // namespace clausal
