// The few loops over words in which all time is spent, as a table of functions per instruction set.
// Kernels know nothing of variants and check nothing. Written once in the *.inl files, compiled once per
// instruction set by avx2.cpp, avx512.cpp, neon.cpp and portable.cpp. No std code here: those files include
// this header.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/cpu/kernels/prediction.hpp"
#include "core/feedback.hpp"

namespace clausal {

// How a bank's automata are kept: bit by bit, not byte by byte, so that one instruction moves as many
// automata as a register has bits. A clause's words are cut into blocks: as many of eight as there are, one
// of four, then single words. Blocks lie clause by clause; single words in groups of eight clauses, the same
// word of each side by side. An automaton holds 128 - N + its state (from 0): it includes from 128 on,
// whatever N is.
constexpr std::size_t kStatePlanes = 7;  // bits 0 to 6 of the automata; bit 7 is `include`
constexpr std::size_t kFallPlanes = 3;   // bits of the number of pending falls
constexpr std::size_t kSide = 8;         // clauses whose single words lie side by side
constexpr std::size_t kListed = 16;      // and whose draws are made together

// Words of a clause that fill blocks, and words in the block of them that starts at word q.
constexpr std::size_t blocked_words(std::size_t n_words) { return n_words / 4 * 4; }
constexpr std::size_t block_words(std::size_t q, std::size_t n_blocked) { return n_blocked - q >= 8 ? 8 : 4; }

// Feedback to some clauses of one bank on one sample. In the arrays of a clause the planes of a block of
// `count` words from word q on are `count` words each, one after the other, from planes * q on. Strides are
// in words, from clause to clause.
struct Feedback {
    std::uint64_t* include;            // [n_clauses, row_stride], bit set where the automaton includes
    std::uint64_t* can_fall;           // the same, no bit set where it is at the bottom
    std::uint64_t* states;             // [n_clauses, state_stride], kStatePlanes per block
    std::uint64_t* falls;              // [n_clauses, fall_stride], kFallPlanes per block
    std::uint64_t* single_include;     // [n_groups, n_single, kSide]
    std::uint64_t* single_states;      // [n_groups, n_single, kStatePlanes, kSide]
    std::uint64_t* drawn;              // [n_groups, kSide], room for draws of single words
    const std::uint64_t* allowed;      // [2, n_words], literals that may move: of clauses for, and against
    const std::uint64_t* x;            // [n_words], the sample's literals; or a patch's for each clause,
                                       // [n_clauses, x_stride], of which single words lie in single_x
    const std::uint64_t* single_x;     // [n_groups, n_single, kSide], or the sample's: nullptr
    const std::uint32_t* down_chance;  // [n_clauses], 1/s in units of 2^-24
    const std::uint64_t* table;        // [kOffsetUnit * kOffsets + n_words], this step's, or empty: nullptr
    std::uint64_t key;                 // of this step's automata
    std::size_t n_words, row_stride, state_stride, fall_stride;
    std::size_t x_stride;  // 0 where the sample is the same for all clauses
    unsigned n_states;     // N
    bool same_chance;      // whether down_chance is the same for all
    bool boost_true_positive;
};

// Encoding of tables. values has 64 entries; bit i is set where values[i] <= mark, or == mark. NaN compares
// as false.
struct EncodingKernels {
    std::uint64_t (*at_most)(const double* values, double mark);
    std::uint64_t (*equal)(const double* values, double mark);
    // Bit i where byte i of n is not 0, in as many words as that takes.
    void (*pack_bytes)(const std::uint8_t* bytes, std::size_t n, std::uint64_t* out);
};

struct Kernels {
    const char* name;  // the instruction set this table was compiled for, as its own compilation saw it

    // Bit j of `fired` where every included literal of clause j is 1 in x; the n_words of a clause are
    // `stride` apart, with zeros in between. Long clauses: hint[j] remembers the block of words that
    // last proved clause j false, which is looked at first.
    void (*evaluate)(const std::uint64_t* include, std::size_t stride, const std::uint64_t* x,
                     std::size_t n_clauses, std::size_t n_words, std::uint32_t* hint, std::uint64_t* fired);
    // Clears bit j where an included literal of the single words of clause j is 0 in x, [n_single].
    void (*evaluate_singles)(const std::uint64_t* include, const std::uint64_t* x, std::size_t n_groups,
                             std::size_t n_single, std::uint64_t* fired);
    // For samples with patches: which of those in `every` satisfy a clause, and whether any does. A vector
    // has a bit per patch, in `stride` words, a multiple of 8; literal k is vectors[k].
    bool (*match)(const std::uint64_t* include, std::size_t n_words, const std::uint64_t* vectors,
                  std::size_t stride, const std::uint64_t* every, std::uint64_t* matches);
    // Sum of points over the fired clauses of so many groups.
    std::int64_t (*vote)(const std::int32_t* points, const std::uint64_t* fired, std::size_t n_groups);
    // Bit j of `selected` where 32-bit draw first + j, first being even, under the key is below chance (0 to
    // 2^32).
    void (*select)(std::uint64_t key, std::uint64_t chance, std::size_t first, std::size_t n_clauses,
                   std::uint64_t* selected);
    // The first n words under the key.
    void (*words)(std::uint64_t key, std::size_t n, std::uint64_t* out);
    // The three kinds of feedback to the blocked words of the clauses listed.
    void (*type_1a)(const Feedback&, const std::uint32_t* clauses, std::size_t n);
    void (*type_1b)(const Feedback&, const std::uint32_t* clauses, std::size_t n);
    void (*type_2)(const Feedback&, const std::uint32_t* clauses, std::size_t n);
    // All feedback to the single words of groups from first to before last; types[w] is about clauses 64 w
    // and on. Listed: the n clauses among them that get Type I, some twice to fill up to a multiple of
    // kListed.
    void (*singles)(const Feedback&, const FeedbackTypes* types, std::size_t first, std::size_t last,
                    const std::uint32_t* listed, std::size_t n);

    PredictionKernels prediction;
    EncodingKernels encoding;
};

// The table for an instruction set, or nullptr where it was not compiled in or the processor lacks it.
const Kernels* kernels_named(const char* name);
// All names, best first; kernels_named tells which can run here.
inline constexpr const char* kInstructionSets[] = {"avx512", "avx2", "neon", "portable"};

}  // namespace clausal
