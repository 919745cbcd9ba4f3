// The few loops over words in which all time is spent, as a table of functions per instruction set.
// Kernels know nothing of variants and check nothing. Written once in kernels.inl, compiled once per
// instruction set by the thin kernels_*.cpp. No std code here: those files may include this header.
#pragma once

#include <cstddef>
#include <cstdint>

namespace clausal {

// One clause about to receive feedback on one sample.
struct ClauseUpdate {
    std::uint8_t* states;          // [n_words * 64], state - 1
    std::uint64_t* include;        // [n_words], bit set where the state includes
    std::uint64_t* can_fall;       // [n_words], bit set where the state is not the lowest
    std::uint64_t* can_rise;       // [n_words], bit set where the state is not the highest
    const std::uint64_t* allowed;  // [n_words], literals that may move
    const std::uint64_t* x;        // [n_words], the sample's literals
    std::size_t n_words;
    unsigned n_states;          // N
    std::uint64_t key;          // of this clause's automata in this step
    std::uint32_t down_chance;  // 1/s in units of 2^-24
    bool boost_true_positive;
};

// What the 64 automata of a word can do after a step.
struct Moved {
    std::uint64_t include;
    std::uint64_t can_fall;
    std::uint64_t can_rise;
};

struct Kernels {
    const char* name;  // the instruction set this table was compiled for, as its own compilation saw it

    // fired[j] = 1 where every included literal of clause j is 1 in x; include is [n_clauses, n_words].
    // hint[j] remembers the block of words that last proved clause j false: it is looked at first.
    void (*evaluate)(const std::uint64_t* include, const std::uint64_t* x, std::size_t n_clauses,
                     std::size_t n_words, std::uint32_t* hint, std::uint8_t* fired);
    // Sum of points[j] over fired clauses.
    std::int64_t (*vote)(const std::int32_t* points, const std::uint8_t* fired, std::size_t n_clauses);
    // Bit j of `selected` where 32-bit draw j under the key is below chance (0 to 2^32).
    void (*select)(std::uint64_t key, std::uint64_t chance, std::size_t n_clauses, std::uint64_t* selected);
    // The three kinds of feedback to one clause's automata.
    void (*type_1a)(const ClauseUpdate&);
    void (*type_1b)(const ClauseUpdate&);
    void (*type_2)(const ClauseUpdate&);
};

// The table for an instruction set, or nullptr where it was not compiled in or the processor lacks it.
const Kernels* kernels_named(const char* name);
// All names, best first; kernels_named tells which can run here.
inline constexpr const char* kInstructionSets[] = {"avx512", "avx2", "neon", "portable"};
// The best table this processor can run.
const Kernels& best_kernels();

}  // namespace clausal
