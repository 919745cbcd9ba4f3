// All kernels, written once. A file per instruction set defines, in its own namespace, `struct Lanes` with
//   kLevels                          words hashed at a time, a divisor of 8
//   hash(start, out)                 out[i] = mix(start + i * kGolden) for i < kLevels
//   below(words, bound)              bit 2 i + h where half h of words[i], i < kLevels, is below the bound
//   kAtOnce                          blocks of eight words whose draws fit into registers
//   any(words)                       whether any bit of four or eight words is set
//   zeros(words)                     bit i where word i of eight is 0
//   add_where(sums, points, eight)   optional: see evaluation.inl
//   where_different(bits, a, b)      those bits where a and b differ; where_equal: where they do not
//   Wide                             the vector type of one register, of 2, 4 or 8 words
//   truth(bytes, seen)               bit k where byte k of 64 is not 0; or-s the bytes into a Wide
//   kNumbers                         numbers compared at a time, at most 64
//   at_most(values, mark)            bit i where values[i] <= mark, i < kNumbers; equal: where values[i] ==
//   mark
// and then includes this file, which gives `kernels_as(name)`. Internal linkage throughout: no two
// instruction sets share a symbol.

static_assert(8 % Lanes::kLevels == 0);

#include "core/cpu/kernels/automata.inl"
#include "core/cpu/kernels/draws.inl"
#include "core/cpu/kernels/encoding.inl"
#include "core/cpu/kernels/evaluation.inl"
#include "core/cpu/kernels/prediction.inl"
#include "core/cpu/kernels/single_words.inl"
#include "core/cpu/kernels/word_blocks.inl"

static constexpr Kernels kernels_as(const char* name) {
    return {.name = name,
            .evaluate = evaluate,
            .evaluate_singles = evaluate_singles,
            .match = match,
            .vote = vote,
            .select = select,
            .words = words,
            .type_1a = give<Type1a>,
            .type_1b = give<Type1b>,
            .type_2 = give<Type2>,
            .singles = singles,
            .prediction = {.read_bytes = read_bytes,
                           .read_words = read_words,
                           .transpose = transpose,
                           .run = run,
                           .count = count},
            .encoding = {.at_most = at_most, .equal = equal, .pack_bytes = pack_bytes}};
}
