// Type Ia, Ib and II feedback to the blocked words of clauses: which automata are drawn for, and how they
// move. Included by kernels.inl. Not here: the law itself (core/feedback.hpp), single words
// (single_words.inl).

// Each type says for which automata a draw is made (`wanted`) and how a block moves (`give`); kDraws: there
// are draws at all; kFallsOnly: nothing moves where none is drawn.

[[gnu::always_inline]] static inline const std::uint64_t* x_of(const Feedback& f, const Place& at) {
    return f.x + at.clause * f.x_stride + at.q;
}

[[gnu::always_inline]] static inline const std::uint64_t* allowed_of(const Feedback& f, const Place& at) {
    return f.allowed + (at.clause % 2) * f.n_words + at.q;
}

struct Type1a {
    static constexpr bool kDraws = true;
    static constexpr bool kFallsOnly = false;

    template <class W>
    [[gnu::always_inline]] static W wanted(const Feedback& f, const Place& at) {
        return load<W>(allowed_of(f, at));
    }

    template <class W, bool kFull>
    [[gnu::always_inline]] static void give(const Feedback& f, const Place& at, W drawn) {
        const Moves<W> moves = type_1a_moves<W>(load<W>(x_of(f, at)), drawn, f.boost_true_positive);
        AutomataBlock<W, kFull> block(f, at);
        block.move(moves.up & load<W>(allowed_of(f, at)), moves.down);
        block.save();
    }
};

struct Type1b {
    static constexpr bool kDraws = true;
    static constexpr bool kFallsOnly = true;

    template <class W>
    [[gnu::always_inline]] static W wanted(const Feedback& f, const Place& at) {
        return load<W>(f.can_fall + at.clause * f.row_stride + at.q) & load<W>(allowed_of(f, at));
    }

    // Adds one to the pending falls of the automata that fall, a number of three bits:
    //
    //   third second first      0 0 0   0 1 1   1 1 1
    //   down                        0       1       1
    //   carry                       0       1       1      first & down
    //   carried                     0       1       1      second & carry
    //   eighth                      0       0       1      third & carried: no room for it
    //   afterwards              0 0 0   1 0 0   0 0 0
    template <class W, bool kFull>
    [[gnu::always_inline]] static void give(const Feedback& f, const Place& at, W drawn) {
        constexpr std::size_t kCount = sizeof(W) / sizeof(std::uint64_t);
        const W down = type_1b_moves<W>(drawn).down;
        std::uint64_t* falls = f.falls + at.clause * f.fall_stride + kFallPlanes * at.q;
        const W first = load<W>(falls);
        const W second = load<W>(falls + kCount);
        const W third = load<W>(falls + 2 * kCount);
        const W carry = first & down;
        const W carried = second & carry;
        const W eighth = third & carried;
        if (any(eighth) && !(f.n_states > 1 && cross<W>(f, at, eighth))) {
            apply<W, kFull>(f, at, down);
            return;
        }
        store(falls, W(first ^ down));
        store(falls + kCount, W(second ^ carry));
        store(falls + 2 * kCount, W(third ^ carried));
    }

    // Applies the falls of the automata whose counter overflows, if all of them hold 135, so that eight falls
    // cross from include (bit 7) to exclude; returns whether they all do.
    //
    //   bit    7 6 5 4 3 2 1 0
    //   135    1 0 0 0 0 1 1 1
    //   127    0 1 1 1 1 1 1 1
    template <class W>
    [[gnu::always_inline]] static bool cross(const Feedback& f, const Place& at, W eighth) {
        constexpr std::size_t kCount = sizeof(W) / sizeof(std::uint64_t);
        std::uint64_t* include = f.include + at.clause * f.row_stride + at.q;
        std::uint64_t* states = f.states + at.clause * f.state_stride + kStatePlanes * at.q;
        W higher{}, planes[kStatePlanes - kFallPlanes];
        for (unsigned p = kFallPlanes; p < kStatePlanes; ++p)
            higher |= planes[p - kFallPlanes] = load<W>(states + p * kCount);
        const W included = load<W>(include);
        if (any(W(eighth & ~(included & ~higher)))) return false;
        for (unsigned p = kFallPlanes; p < kStatePlanes; ++p)
            store(states + p * kCount, W(planes[p - kFallPlanes] | eighth));
        store(include, W(included & ~eighth));
        return true;
    }

    // The general case: applies the pending falls and then these. Seldom needed, so kept out of line.
    template <class W, bool kFull>
    [[gnu::noinline]] static void apply(const Feedback& f, const Place& at, W down) {
        AutomataBlock<W, kFull> block(f, at);
        block.move(W{}, down);
        block.save();
    }
};

struct Type2 {
    static constexpr bool kDraws = false;
    static constexpr bool kFallsOnly = false;

    template <class W>
    [[gnu::always_inline]] static W wanted(const Feedback& f, const Place& at) {
        return load<W>(allowed_of(f, at)) & type_2_moves<W>(load<W>(x_of(f, at))).up;
    }

    template <class W, bool kFull>
    [[gnu::always_inline]] static void give(const Feedback& f, const Place& at, W wanted) {
        AutomataBlock<W, kFull> block(f, at);
        block.move(wanted, W{});
        block.save();
    }
};

// Feedback to `kBlocks` blocks of a clause's words from at.q on.
template <class Kind, class W, std::size_t kBlocks, bool kFull, class Draws>
[[gnu::always_inline]] static inline void give_blocks(const Feedback& f, Place& at, Draws& draws) {
    constexpr std::size_t kCount = sizeof(W) / sizeof(std::uint64_t);
    W wanted[kBlocks], chosen[kBlocks];
    for (std::size_t b = 0; b < kBlocks; ++b)
        chosen[b] = wanted[b] = Kind::template wanted<W>(f, {at.clause, at.q + b * kCount});
    if (any_of<W, kBlocks>(wanted)) {
        if constexpr (Kind::kDraws) draws.template keep<W, kBlocks>(at.q, chosen);
        for (std::size_t b = 0; b < kBlocks; ++b)
            if (any(Kind::kFallsOnly ? chosen[b] : wanted[b]))
                Kind::template give<W, kFull>(f, {at.clause, at.q + b * kCount}, chosen[b]);
    }
    at.q += kBlocks * kCount;
}

// Feedback to the words of a clause that fill blocks.
template <class Kind, bool kFull, class Draws>
[[gnu::always_inline]] static inline void give_blocked(const Feedback& f, std::size_t clause,
                                                       std::size_t n_blocked, Draws& draws) {
    Place at{clause, 0};
    while (n_blocked - at.q >= Lanes::kAtOnce * kBlock)
        give_blocks<Kind, Words, Lanes::kAtOnce, kFull>(f, at, draws);
    if constexpr (Lanes::kAtOnce > 3)
        if ((n_blocked - at.q) / kBlock == 3) give_blocks<Kind, Words, 3, kFull>(f, at, draws);
    if constexpr (Lanes::kAtOnce > 2)
        if ((n_blocked - at.q) / kBlock == 2) give_blocks<Kind, Words, 2, kFull>(f, at, draws);
    if ((n_blocked - at.q) / kBlock == 1) give_blocks<Kind, Words, 1, kFull>(f, at, draws);
    if (n_blocked - at.q > 0) give_blocks<Kind, HalfWords, 1, kFull>(f, at, draws);
}

// Fetches the first words of a clause into the cache.
[[gnu::always_inline]] static inline void prefetch(const Feedback& f, std::size_t clause) {
    for (std::size_t i = 0; i < 4 * kBlock; i += kBlock) {
        __builtin_prefetch(f.can_fall + clause * f.row_stride + i);
        __builtin_prefetch(f.falls + clause * f.fall_stride + i, 1);
    }
}

template <class Kind, bool kFull, class Draws>
static void give_all(const Feedback& f, const std::uint32_t* clauses, std::size_t n) {
    const std::size_t n_blocked = blocked_words(f.n_words);
    for (std::size_t i = 0; i < n; i += kBlock) {
        const std::size_t some = n - i < kBlock ? n - i : kBlock;
        Draws draws[kBlock];  // started together, so that their hashes overlap
        for (std::size_t k = 0; Kind::kDraws && k < some; ++k) draws[k].start(f, clauses[i + k]);
        for (std::size_t k = 0; k < some; ++k) {
            if (i + k + 1 < n) prefetch(f, clauses[i + k + 1]);
            give_blocked<Kind, kFull>(f, clauses[i + k], n_blocked, draws[k]);
        }
    }
}

template <class Kind, bool kFull>
static void give_drawn(const Feedback& f, const std::uint32_t* clauses, std::size_t n) {
    if (Kind::kDraws && f.table)
        give_all<Kind, kFull, TabledDraws>(f, clauses, n);
    else
        give_all<Kind, kFull, HashedDraws>(f, clauses, n);
}

template <class Kind>
static void give(const Feedback& f, const std::uint32_t* clauses, std::size_t n) {
    if (f.n_states == 128)
        give_drawn<Kind, true>(f, clauses, n);
    else
        give_drawn<Kind, false>(f, clauses, n);
}
