// The kernels, written once. An including file defines, in its own namespace, `struct Lanes` with
//   kLevels                          words hashed at a time, a divisor of 24
//   hash(start, out)                 out[i] = mix(start + i * kGolden) for i < kLevels
//   above_bottom(states)             bits of the 64 automata whose state is not 0
//   below_top(states, top)           bits of those whose state is not top
//   step(states, up, down, n_states) moves automata (up and down disjoint, none beyond its end), returns the
//                                    bits of those that now include
// and then includes this file. Internal linkage throughout: no two instruction sets share a symbol.

// Bits of `wanted` automata whose 24-bit draw is below chance. Draws are read from the highest bit down, all
// 64 side by side, until every wanted one is decided: 7.3 words on average for all 64.
static std::uint64_t bernoulli(std::uint64_t key, std::size_t group, std::uint64_t wanted,
                               std::uint32_t chance) {
    if (chance >> kAutomatonBits) return wanted;
    std::uint64_t below = 0;
    std::uint64_t undecided = wanted;
    std::uint64_t start = key + (group * kAutomatonBits + 1) * kGolden;
    for (unsigned level = 0; level < kAutomatonBits; level += Lanes::kLevels) {
        std::uint64_t bits[Lanes::kLevels];
        Lanes::hash(start, bits);
        start += Lanes::kLevels * kGolden;
        for (unsigned i = 0; i < Lanes::kLevels; ++i) {
            if ((chance >> (kAutomatonBits - 1 - level - i)) & 1u) {
                below |= undecided & ~bits[i];
                undecided &= bits[i];
            } else {
                undecided &= ~bits[i];
            }
        }
        if (undecided == 0) break;
    }
    return below;
}

static void evaluate(const std::uint64_t* include, const std::uint64_t* x, std::size_t n_clauses,
                     std::size_t n_words, std::uint8_t* fired) {
    if (n_words == 1) {
        const std::uint64_t zeros = ~x[0];
        for (std::size_t j = 0; j < n_clauses; ++j) fired[j] = (include[j] & zeros) == 0;
        return;
    }
    constexpr std::size_t kChunk = 8;
    for (std::size_t j = 0; j < n_clauses; ++j, include += n_words) {
        std::uint64_t missing = 0;
        std::size_t q = 0;
        for (; q + kChunk <= n_words && missing == 0; q += kChunk)
            for (std::size_t i = 0; i < kChunk; ++i) missing |= include[q + i] & ~x[q + i];
        if (missing == 0)
            for (; q < n_words; ++q) missing |= include[q] & ~x[q];
        fired[j] = missing == 0;
    }
}

static std::int64_t vote(const std::int32_t* points, const std::uint8_t* fired, std::size_t n_clauses) {
    std::int64_t sum = 0;
    for (std::size_t j = 0; j < n_clauses; ++j) sum += static_cast<std::int64_t>(points[j]) * fired[j];
    return sum;
}

static void select(std::uint64_t key, std::uint64_t chance, std::size_t n_clauses, std::uint64_t* selected) {
    constexpr std::size_t kDraws = 2 * Lanes::kLevels;
    for (std::size_t q = 0; q * 64 < n_clauses; ++q) selected[q] = 0;
    std::uint64_t start = key + kGolden;
    for (std::size_t j = 0; j < n_clauses; j += kDraws) {
        std::uint64_t words[Lanes::kLevels];
        Lanes::hash(start, words);
        start += Lanes::kLevels * kGolden;
        std::uint64_t chosen = 0;
        for (unsigned i = 0; i < Lanes::kLevels; ++i) {
            chosen |= static_cast<std::uint64_t>((words[i] & 0xFFFFFFFFu) < chance) << (2 * i);
            chosen |= static_cast<std::uint64_t>((words[i] >> 32) < chance) << (2 * i + 1);
        }
        selected[j / 64] |= chosen << (j % 64);
    }
    if (n_clauses % 64) selected[n_clauses / 64] &= (std::uint64_t{1} << (n_clauses % 64)) - 1;
}

static void type_1a(const ClauseUpdate& u) {
    const unsigned top = 2 * u.n_states - 1;
    for (std::size_t q = 0; q < u.n_words; ++q) {
        std::uint8_t* states = u.states + 64 * q;
        std::uint64_t up = u.allowed[q] & u.x[q] & Lanes::below_top(states, top);
        std::uint64_t down = u.allowed[q] & ~u.x[q] & Lanes::above_bottom(states);
        const std::uint64_t wanted = u.boost_true_positive ? down : up | down;
        if (wanted) {
            const std::uint64_t drawn = bernoulli(u.key, q, wanted, u.down_chance);
            down &= drawn;
            if (!u.boost_true_positive) up &= ~drawn;
        }
        if (up | down) u.include[q] = Lanes::step(states, up, down, u.n_states);
    }
}

static void type_1b(const ClauseUpdate& u) {
    for (std::size_t q = 0; q < u.n_words; ++q) {
        std::uint8_t* states = u.states + 64 * q;
        const std::uint64_t wanted = u.allowed[q] & Lanes::above_bottom(states);
        if (wanted == 0) continue;
        const std::uint64_t down = bernoulli(u.key, q, wanted, u.down_chance);
        if (down) u.include[q] = Lanes::step(states, 0, down, u.n_states);
    }
}

// A fired clause includes no literal that is 0, so no automaton that steps up here is at the top.
static void type_2(const ClauseUpdate& u) {
    for (std::size_t q = 0; q < u.n_words; ++q) {
        const std::uint64_t up = u.allowed[q] & ~u.x[q];
        if (up) u.include[q] = Lanes::step(u.states + 64 * q, up, 0, u.n_states);
    }
}
