// Eight or four words side by side, in as many registers as the including file's instruction set needs.
// Compilers' vector extensions, no std code, internal linkage: each instruction set keeps its own copy. GCC
// splits a vector wider than a register through memory, which is slow, so `Both` splits it instead.
#pragma once

#include <cstddef>
#include <cstdint>

namespace clausal {
namespace {  // internal linkage

#ifndef CLAUSAL_REGISTER_WORDS
#error "say how many words a register has before including this: options of the compiler may promise more"
#endif
constexpr std::size_t kRegisterWords = CLAUSAL_REGISTER_WORDS;

template <std::size_t kWords>
struct VectorOf {
    typedef std::uint64_t Type __attribute__((vector_size(kWords * sizeof(std::uint64_t))));
    typedef std::int64_t Signed __attribute__((vector_size(kWords * sizeof(std::int64_t))));
    typedef std::int32_t Ints __attribute__((vector_size(kWords * sizeof(std::int32_t))));
    typedef std::uint32_t Numbers __attribute__((vector_size(kWords * sizeof(std::uint32_t))));
};

typedef VectorOf<kRegisterWords>::Type Register;

template <class Half>
struct Both {
    Half low, high;
};

template <std::size_t kWords, bool kSplit = (kWords > kRegisterWords)>
struct WordsOf {
    typedef Register Type;
};
template <std::size_t kWords>
struct WordsOf<kWords, true> {
    typedef Both<typename WordsOf<kWords / 2>::Type> Type;
};
template <>
struct WordsOf<kRegisterWords / 2, false> {  // half a register
    typedef VectorOf<kRegisterWords / 2>::Type Type;
};

constexpr std::size_t kBlock = 8;
typedef WordsOf<kBlock>::Type Words;
typedef WordsOf<kBlock / 2>::Type HalfWords;

#define CLAUSAL_OPERATOR(op)                                                                         \
    template <class Half>                                                                            \
    [[gnu::always_inline]] inline Both<Half> operator op(const Both<Half>& a, const Both<Half>& b) { \
        return {a.low op b.low, a.high op b.high};                                                   \
    }                                                                                                \
    template <class Half>                                                                            \
    [[gnu::always_inline]] inline Both<Half> operator op(const Both<Half>& a, std::uint64_t b) {     \
        return {a.low op b, a.high op b};                                                            \
    }                                                                                                \
    template <class Half, class Other>                                                               \
    [[gnu::always_inline]] inline Both<Half>& operator op## = (Both<Half> & a, const Other& b) {     \
        return a = a op b;                                                                           \
    }
CLAUSAL_OPERATOR(&)
CLAUSAL_OPERATOR(|)
CLAUSAL_OPERATOR(^)
CLAUSAL_OPERATOR(+)
CLAUSAL_OPERATOR(*)
CLAUSAL_OPERATOR(>>)
#undef CLAUSAL_OPERATOR

template <class Half>
[[gnu::always_inline]] inline Both<Half> operator~(const Both<Half>& a) {
    return {~a.low, ~a.high};
}

// Loads and stores words.
template <class W>
struct Memory {
    [[gnu::always_inline]] static W load(const std::uint64_t* from) {
        W words;
        __builtin_memcpy(&words, from, sizeof words);
        return words;
    }
    [[gnu::always_inline]] static void store(std::uint64_t* to, const W& words) {
        __builtin_memcpy(to, &words, sizeof words);
    }
};
template <>
struct Memory<std::uint64_t> {  // without memcpy, after which GCC would join several words
    [[gnu::always_inline]] static std::uint64_t load(const std::uint64_t* from) { return *from; }
    [[gnu::always_inline]] static void store(std::uint64_t* to, std::uint64_t word) { *to = word; }
};
template <class Half>
struct Memory<Both<Half>> {
    static constexpr std::size_t kHalf = sizeof(Half) / sizeof(std::uint64_t);
    [[gnu::always_inline]] static Both<Half> load(const std::uint64_t* from) {
        return {Memory<Half>::load(from), Memory<Half>::load(from + kHalf)};
    }
    [[gnu::always_inline]] static void store(std::uint64_t* to, const Both<Half>& words) {
        Memory<Half>::store(to, words.low);
        Memory<Half>::store(to + kHalf, words.high);
    }
};

template <class W>
[[gnu::always_inline]] inline W load(const std::uint64_t* from) {
    return Memory<W>::load(from);
}
template <class W>
[[gnu::always_inline]] inline void store(std::uint64_t* to, const W& words) {
    Memory<W>::store(to, words);
}

// The same word everywhere; all ones in words that are not 0; numbers as words, the signed ones in two's
// complement.
template <class W>
struct Made {
    [[gnu::always_inline]] static W broadcast(std::uint64_t word) { return W{} + word; }
    [[gnu::always_inline]] static W full_where_set(W words) { return W(words != 0); }
    [[gnu::always_inline]] static W widened(const std::uint32_t* numbers) {
        typename VectorOf<sizeof(W) / 8>::Numbers some;
        __builtin_memcpy(&some, numbers, sizeof some);
        return __builtin_convertvector(some, W);
    }
    [[gnu::always_inline]] static W widened(const std::int32_t* numbers) {
        typename VectorOf<sizeof(W) / 8>::Ints some;
        __builtin_memcpy(&some, numbers, sizeof some);
        return W(__builtin_convertvector(some, typename VectorOf<sizeof(W) / 8>::Signed));
    }
};
template <class Half>
struct Made<Both<Half>> {
    static constexpr std::size_t kHalf = sizeof(Half) / sizeof(std::uint64_t);
    [[gnu::always_inline]] static Both<Half> broadcast(std::uint64_t word) {
        const Half half = Made<Half>::broadcast(word);
        return {half, half};
    }
    [[gnu::always_inline]] static Both<Half> full_where_set(const Both<Half>& words) {
        return {Made<Half>::full_where_set(words.low), Made<Half>::full_where_set(words.high)};
    }
    template <class Number>
    [[gnu::always_inline]] static Both<Half> widened(const Number* numbers) {
        return {Made<Half>::widened(numbers), Made<Half>::widened(numbers + kHalf)};
    }
};

// What Lanes (kernels.inl) do where an instruction set has nothing better.
struct PlainLanes {
    static constexpr unsigned kNumbers = 1;
    static unsigned at_most(const double* values, double mark) { return *values <= mark; }
    static unsigned equal(const double* values, double mark) { return *values == mark; }

    template <class W>
    static W where_different(W bits, W a, W b) {
        return bits & (a ^ b);
    }
    template <class W>
    static W where_equal(W bits, W a, W b) {
        return bits & ~(a ^ b);
    }

    template <class W>
    static bool any(const W& words) {
        std::uint64_t each[sizeof words / sizeof(std::uint64_t)], all = 0;
        store(each, words);
        for (const std::uint64_t word : each) all |= word;
        return all != 0;
    }
    template <class Half>
    static bool any(const Both<Half>& words) {
        return any(words.low | words.high);
    }

    static std::uint64_t zeros(const Words& words) {
        std::uint64_t each[kBlock], bits = 0;
        store(each, words);
        for (std::size_t i = 0; i < kBlock; ++i) bits |= std::uint64_t{each[i] == 0} << i;
        return bits;
    }
};

}  // namespace
}  // namespace clausal
