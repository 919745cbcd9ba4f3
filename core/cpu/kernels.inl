// The kernels, written once. An including file defines, in its own namespace, `struct Lanes` with
//   kLevels                          words hashed at a time, a divisor of 24
//   hash(start, out)                 out[i] = mix(start + i * kGolden) for i < kLevels
//   below(words, bound)              bit 2 i + h where half h of words[i], i < kLevels, is below a 32-bit
//   bound any(words)                       whether any bit of eight words is set step(states, up, down,
//   n_states) moves 64 automata (up and down disjoint, none beyond its end), returns
//                                    the bits of those that now include, can fall and can rise
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

constexpr unsigned kBlindLevels = 6;

// The next level of bernoulli for eight groups side by side: their words are at `place`.
static inline void decide(Words& place, Words& below, Words& undecided, bool chance_bit) {
    Words bits = place;
    place += kGolden;
    bits = (bits ^ (bits >> 30)) * kMix1;
    bits = (bits ^ (bits >> 27)) * kMix2;
    bits ^= bits >> 31;
    const std::uint64_t one = chance_bit ? ~std::uint64_t{0} : 0;
    below |= undecided & ~bits & one;
    undecided &= bits ^ ~one;
}

// bernoulli for eight groups side by side, from `group` on. The first levels are taken without a look at
// whether all is decided: with many automata it hardly ever is.
static Words bernoulli_block(std::uint64_t key, std::size_t group, Words wanted, std::uint32_t chance) {
    if (chance >> kAutomatonBits) return wanted;
    constexpr std::uint64_t kStride = kAutomatonBits * kGolden;
    constexpr Words kOffsets{0,           kStride,     2 * kStride, 3 * kStride,
                             4 * kStride, 5 * kStride, 6 * kStride, 7 * kStride};
    Words below{};
    Words undecided = wanted;
    Words place = kOffsets + (key + (group * kAutomatonBits + 1) * kGolden);
    std::uint32_t rest = chance << (32 - kAutomatonBits);  // the bits of chance still to come, highest first
    for (unsigned level = 0; level < kBlindLevels; ++level, rest <<= 1)
        decide(place, below, undecided, rest >> 31);
    for (unsigned level = kBlindLevels; level < kAutomatonBits && Lanes::any(undecided); level += 2) {
        decide(place, below, undecided, rest >> 31);
        decide(place, below, undecided, (rest >> 30) & 1u);
        rest <<= 2;
    }
    return below;
}

// Whether a block of a clause's words has an included literal that is 0 in x; the last block may be short.
static bool falsified(const std::uint64_t* include, const std::uint64_t* x, std::size_t block,
                      std::size_t n_words) {
    const std::size_t q = block * kBlock;
    if (q + kBlock <= n_words) return Lanes::any(load_words(include + q) & ~load_words(x + q));
    std::uint64_t missing = 0;
    for (std::size_t i = q; i < n_words; ++i) missing |= include[i] & ~x[i];
    return missing != 0;
}

static void evaluate(const std::uint64_t* include, const std::uint64_t* x, std::size_t n_clauses,
                     std::size_t n_words, std::uint32_t* hint, std::uint8_t* fired) {
    if (n_words == 1) {
        const std::uint64_t zeros = ~x[0];
        for (std::size_t j = 0; j < n_clauses; ++j) fired[j] = (include[j] & zeros) == 0;
        return;
    }
    const std::size_t n_blocks = (n_words + kBlock - 1) / kBlock;
    for (std::size_t j = 0; j < n_clauses; ++j, include += n_words) {
        bool fires = !falsified(include, x, hint[j], n_words);
        for (std::size_t block = 0; fires && block < n_blocks; ++block)
            if (falsified(include, x, block, n_words)) {
                hint[j] = static_cast<std::uint32_t>(block);
                fires = false;
            }
        fired[j] = fires;
    }
}

static std::int64_t vote(const std::int32_t* points, const std::uint8_t* fired, std::size_t n_clauses) {
    std::int64_t sum = 0;
    for (std::size_t j = 0; j < n_clauses; ++j) sum += static_cast<std::int64_t>(points[j]) * fired[j];
    return sum;
}

static void select(std::uint64_t key, std::uint64_t chance, std::size_t n_clauses, std::uint64_t* selected) {
    constexpr std::size_t kDraws = 2 * Lanes::kLevels;
    const std::size_t n_words = (n_clauses + 63) / 64;
    for (std::size_t q = 0; q < n_words; ++q) selected[q] = chance >> 32 ? ~std::uint64_t{0} : 0;
    if (chance >> 32 == 0) {
        const auto bound = static_cast<std::uint32_t>(chance);
        std::uint64_t start = key + kGolden;
        for (std::size_t j = 0; j < n_clauses; j += kDraws) {
            alignas(64) std::uint64_t words[Lanes::kLevels];
            Lanes::hash(start, words);
            start += Lanes::kLevels * kGolden;
            selected[j / 64] |= Lanes::below(words, bound) << (j % 64);
        }
    }
    if (n_clauses % 64) selected[n_clauses / 64] &= (std::uint64_t{1} << (n_clauses % 64)) - 1;
}

// Moves the automata of one word and notes what they can do now.
static void move(const ClauseUpdate& u, std::size_t q, std::uint64_t up, std::uint64_t down) {
    if ((up | down) == 0) return;
    const Moved moved = Lanes::step(u.states + 64 * q, up, down, u.n_states);
    u.include[q] = moved.include;
    u.can_fall[q] = moved.can_fall;
    u.can_rise[q] = moved.can_rise;
}

// Type I to one word: literals in `rising` step up unless drawn, those in `falling` step down where drawn.
static void type_1_word(const ClauseUpdate& u, std::size_t q, std::uint64_t rising, std::uint64_t falling) {
    const std::uint64_t wanted = u.boost_true_positive ? falling : rising | falling;
    const std::uint64_t drawn = wanted ? bernoulli(u.key, q, wanted, u.down_chance) : 0;
    move(u, q, u.boost_true_positive ? rising : rising & ~drawn, falling & drawn);
}

// The same for `count` words, at most eight.
static void type_1_block(const ClauseUpdate& u, std::size_t q, std::size_t count, Words rising,
                         Words falling) {
    const Words wanted = u.boost_true_positive ? falling : rising | falling;
    Words drawn{};
    if (Lanes::any(wanted)) drawn = bernoulli_block(u.key, q, wanted, u.down_chance);
    const Words up = u.boost_true_positive ? rising : rising & ~drawn;
    const Words down = falling & drawn;
    if (!Lanes::any(up | down)) return;
    for (std::size_t i = 0; i < count; ++i) move(u, q + i, up[i], down[i]);
}

constexpr std::size_t kFewWords = 2;  // up to here words are cheaper one at a time

static void type_1a(const ClauseUpdate& u) {
    std::size_t q = 0;
    for (std::size_t count; q < u.n_words; q += count) {
        count = u.n_words - q < kBlock ? u.n_words - q : kBlock;
        if (count <= kFewWords) break;
        const Words x = load_words(u.x + q, count);
        const Words allowed = load_words(u.allowed + q, count);
        type_1_block(u, q, count, allowed & x & load_words(u.can_rise + q, count),
                     allowed & ~x & load_words(u.can_fall + q, count));
    }
    for (; q < u.n_words; ++q)
        type_1_word(u, q, u.allowed[q] & u.x[q] & u.can_rise[q], u.allowed[q] & ~u.x[q] & u.can_fall[q]);
}

static void type_1b(const ClauseUpdate& u) {
    std::size_t q = 0;
    for (std::size_t count; q < u.n_words; q += count) {
        count = u.n_words - q < kBlock ? u.n_words - q : kBlock;
        if (count <= kFewWords) break;
        const Words falling = load_words(u.allowed + q, count) & load_words(u.can_fall + q, count);
        if (!Lanes::any(falling)) continue;
        const Words down = falling & bernoulli_block(u.key, q, falling, u.down_chance);
        for (std::size_t i = 0; i < count; ++i) move(u, q + i, 0, down[i]);
    }
    for (; q < u.n_words; ++q) {
        const std::uint64_t falling = u.allowed[q] & u.can_fall[q];
        if (falling) move(u, q, 0, bernoulli(u.key, q, falling, u.down_chance));
    }
}

// A fired clause includes no literal that is 0, so no automaton that steps up here is at the top.
static void type_2(const ClauseUpdate& u) {
    for (std::size_t q = 0; q < u.n_words; ++q) move(u, q, u.allowed[q] & ~u.x[q], 0);
}
