// The kernels, written once. An including file defines, in its own namespace, `struct Lanes` with
//   kLevels                          words hashed at a time, a divisor of 8
//   hash(start, out)                 out[i] = mix(start + i * kGolden) for i < kLevels
//   below(words, bound)              bit 2 i + h where half h of words[i], i < kLevels, is below the bound
//
//   kAtOnce                          blocks of eight words whose draws fit into registers
//   any(words)                       whether any bit of four or eight words is set
//   zeros(words)                     bit i where word i of eight is 0
//   add_where(sums, points, eight)   optional: see below
//   where_different(bits, a, b)      those bits where a and b differ; where_equal: where they do not
//
// and then includes this file. Internal linkage throughout: no two instruction sets share a symbol.

static_assert(8 % Lanes::kLevels == 0);

[[gnu::always_inline]] static inline bool any(std::uint64_t word) { return word != 0; }
[[gnu::always_inline]] static inline bool any(HalfWords words) { return Lanes::any(words); }
[[gnu::always_inline]] static inline bool any(Words words) { return Lanes::any(words); }

static void words(std::uint64_t key, std::size_t n, std::uint64_t* out) {
    std::uint64_t start = key + kGolden;
    for (; n >= Lanes::kLevels; n -= Lanes::kLevels, out += Lanes::kLevels, start += Lanes::kLevels * kGolden)
        Lanes::hash(start, out);
    for (; n; --n, start += kGolden) *out++ = mix(start);
}

template <class W, std::size_t kBlocks>
[[gnu::always_inline]] static inline bool any_of(const W* blocks) {
    W all = blocks[0];
    for (std::size_t b = 1; b < kBlocks; ++b) all |= blocks[b];
    return any(all);
}

// Draws are read from their highest bit down, all side by side, until every one is decided; the first levels
// without a look whether all are. `keep` leaves in `chosen` the bits of automata whose draw is below chance.

// Level l of the 64 draws of word q is masks[l] ^ table[offset(l) + q], with masks and offsets of the
// clause's own.
struct TabledDraws {
    static constexpr unsigned kFirst = 16;  // more levels are seldom needed
    const std::uint64_t* table;
    std::uint64_t key;
    std::uint32_t chance;
    std::uint64_t masks[kAutomatonBits];
    std::uint8_t offsets[kAutomatonBits];
    static_assert(kOffsets <= 256 && kAutomatonBits % 8 == 0);

    [[gnu::always_inline]] void start(const Feedback& f, std::size_t clause) {
        table = f.table;
        key = draw(f.key, clause);
        chance = f.down_chance[clause];
        read(0, kFirst);
    }

    [[gnu::always_inline]] void read(unsigned first, unsigned last) {
        for (unsigned level = first; level < last; level += Lanes::kLevels)
            Lanes::hash(key + (level + 1) * kGolden, masks + level);
        for (unsigned level = first; level < last; level += 8) {
            const std::uint64_t eight = draw(key, kAutomatonBits + level / 8);
            for (unsigned i = 0; i < 8; ++i)
                offsets[level + i] = static_cast<std::uint8_t>((eight >> (8 * i)) % kOffsets);
        }
    }

    // One level of `kBlocks` blocks from word q on.
    template <class W, std::size_t kBlocks>
    [[gnu::always_inline]] void decide(unsigned level, std::size_t q, W* below, W* undecided) const {
        constexpr std::size_t kCount = sizeof(W) / sizeof(std::uint64_t);
        const std::uint64_t* words = table + kOffsetUnit * offsets[level] + q;
        const W mask = Made<W>::broadcast(masks[level]);
        const bool one = (chance >> (kAutomatonBits - 1 - level)) & 1u;
        for (std::size_t b = 0; b < kBlocks; ++b) {
            const W before = undecided[b];
            const W bits = load<W>(words + b * kCount);
            undecided[b] =
                one ? Lanes::where_different(before, bits, mask) : Lanes::where_equal(before, bits, mask);
            if (one) below[b] |= before ^ undecided[b];
        }
    }

    template <class W, std::size_t kBlocks>
    [[gnu::always_inline]] void keep(std::size_t q, W* chosen) {
        constexpr unsigned kBlind = kBlocks > 1 ? 12 : 10;
        if (chance >> kAutomatonBits) return;
        W below[kBlocks] = {};
        W undecided[kBlocks];
        for (std::size_t b = 0; b < kBlocks; ++b) undecided[b] = chosen[b];
#pragma GCC unroll 1
        for (unsigned level = 0; level < kBlind; ++level) decide<W, kBlocks>(level, q, below, undecided);
        for (unsigned level = kBlind; level < kAutomatonBits && any_of<W, kBlocks>(undecided); ++level) {
            if (level == kFirst) read(kFirst, kAutomatonBits);
            decide<W, kBlocks>(level, q, below, undecided);
        }
        for (std::size_t b = 0; b < kBlocks; ++b) chosen[b] = below[b];
    }
};

// mix, word by word.
template <class W>
[[gnu::always_inline]] static inline W mixed(W words) {
    words = (words ^ (words >> 30)) * kMix1;
    words = (words ^ (words >> 27)) * kMix2;
    return words ^ (words >> 31);
}

// Level l of a word is hashed from place + l steps, `place` being the word's own. Words of one or several
// clauses; blocks side by side, so that their hashes overlap.
template <class W, std::size_t kBlocks>
[[gnu::always_inline]] static inline void keep_hashed(W* place, W* chosen, std::uint32_t chance) {
    constexpr unsigned kBlind = 10;
    if (chance >> kAutomatonBits) return;
    W below[kBlocks] = {};
    for (unsigned level = 0; level < kAutomatonBits && (level < kBlind || any_of<W, kBlocks>(chosen));
         ++level) {
        const std::uint64_t one = (chance >> (kAutomatonBits - 1 - level)) & 1u ? ~std::uint64_t{0} : 0;
        for (std::size_t b = 0; b < kBlocks; ++b) {
            const W bits = mixed(place[b]);
            place[b] += kGolden;
            below[b] |= chosen[b] & ~bits & one;
            chosen[b] &= bits ^ ~one;
        }
    }
    for (std::size_t b = 0; b < kBlocks; ++b) chosen[b] = below[b];
}

struct HashedDraws {
    std::uint64_t key;
    std::uint32_t chance;

    [[gnu::always_inline]] void start(const Feedback& f, std::size_t clause) {
        key = draw(f.key, clause);
        chance = f.down_chance[clause];
    }

    template <class W, std::size_t kBlocks>
    [[gnu::always_inline]] void keep(std::size_t q, W* chosen) {
        constexpr std::size_t kCount = sizeof(W) / sizeof(std::uint64_t);
        alignas(64) static constexpr std::uint64_t kWord[kBlock] = {0, 1, 2, 3, 4, 5, 6, 7};
        W place[kBlocks];
        for (std::size_t b = 0; b < kBlocks; ++b)
            place[b] = (load<W>(kWord) + (q + b * kCount)) * (kAutomatonBits * kGolden) + (key + kGolden);
        keep_hashed<W, kBlocks>(place, chosen, chance);
    }
};

// Whether a block of a clause's words has an included literal that is 0 in x; the last block may be short.
static bool falsified(const std::uint64_t* include, const std::uint64_t* x, std::size_t block,
                      std::size_t n_words) {
    const std::size_t q = block * kBlock;
    if (q + kBlock <= n_words) return any(load<Words>(include + q) & ~load<Words>(x + q));
    std::uint64_t missing = 0;
    for (std::size_t i = q; i < n_words; ++i) missing |= include[i] & ~x[i];
    return missing != 0;
}

// Short clauses are looked at whole: a guess that fails costs more.
template <std::size_t kBlocks>
static void evaluate_short(const std::uint64_t* include, std::size_t stride, const std::uint64_t* x,
                           std::size_t n_clauses, std::size_t n_words, std::uint64_t* fired) {
    std::uint64_t zeros[kBlocks * kBlock] = {};
    for (std::size_t q = 0; q < n_words; ++q) zeros[q] = ~x[q];
    for (std::size_t first = 0; first < n_clauses; first += 64) {
        const std::size_t some = n_clauses - first < 64 ? n_clauses - first : 64;
        std::uint64_t bits = 0;
        for (std::size_t j = 0; j < some; ++j, include += stride) {
            Words missing{};
            for (std::size_t b = 0; b < kBlocks; ++b)
                missing |= load<Words>(include + b * kBlock) & load<Words>(zeros + b * kBlock);
            bits |= std::uint64_t{!any(missing)} << j;
        }
        fired[first / 64] = bits;
    }
}

static void evaluate(const std::uint64_t* include, std::size_t stride, const std::uint64_t* x,
                     std::size_t n_clauses, std::size_t n_words, std::uint32_t* hint, std::uint64_t* fired) {
    const std::size_t n_blocks = (n_words + kBlock - 1) / kBlock;
    if (stride >= n_blocks * kBlock) {
        if (n_blocks == 1) return evaluate_short<1>(include, stride, x, n_clauses, n_words, fired);
        if (n_blocks == 2) return evaluate_short<2>(include, stride, x, n_clauses, n_words, fired);
        if (n_blocks == 3) return evaluate_short<3>(include, stride, x, n_clauses, n_words, fired);
        if (n_blocks == 4) return evaluate_short<4>(include, stride, x, n_clauses, n_words, fired);
    }
    for (std::size_t j = 0; j < n_clauses; ++j, include += stride) {
        bool fires = !falsified(include, x, hint[j], n_words);
        for (std::size_t block = 0; fires && block < n_blocks; ++block)
            if (falsified(include, x, block, n_words)) {
                hint[j] = static_cast<std::uint32_t>(block);
                fires = false;
            }
        const std::uint64_t before = j % 64 ? fired[j / 64] : 0;
        fired[j / 64] = before | std::uint64_t{fires} << (j % 64);
    }
}

static void evaluate_singles(const std::uint64_t* include, const std::uint64_t* x, std::size_t n_groups,
                             std::size_t n_single, std::uint64_t* fired) {
    for (std::size_t first = 0; first < n_groups; first += 8) {
        const std::size_t some = n_groups - first < 8 ? n_groups - first : 8;
        std::uint64_t bits = 0;
        for (std::size_t group = 0; group < some; ++group) {
            Words missing{};
            for (std::size_t q = 0; q < n_single; ++q, include += kSide)
                missing |= load<Words>(include) & Made<Words>::broadcast(~x[q]);
            bits |= Lanes::zeros(missing) << (8 * group);
        }
        fired[first / 8] &= bits;
    }
}

// All ones in lane k where bit k is set.
[[gnu::always_inline]] static inline Words lanes_of(std::uint64_t eight) {
    alignas(64) static constexpr std::uint64_t kBits[kSide] = {1, 2, 4, 8, 16, 32, 64, 128};
    return Made<Words>::full_where_set(load<Words>(kBits) & eight);
}

// The bits of one group.
[[gnu::always_inline]] static inline std::uint64_t eight_of(const std::uint64_t* bits, std::size_t group) {
    return bits[group / 8] >> (group % 8 * 8) & 0xFF;
}

// Points of the clauses whose bit is set, added to eight sums; Lanes may know a shorter way.
template <class L>
[[gnu::always_inline]] static inline Words add_where(Words sums, const std::int32_t* points,
                                                     std::uint64_t eight) {
    if constexpr (requires { L::add_where(sums, points, eight); })
        return L::add_where(sums, points, eight);
    else
        return sums + (Made<Words>::widened(points) & lanes_of(eight));
}

static std::int64_t vote(const std::int32_t* points, const std::uint64_t* fired, std::size_t n_groups) {
    Words sums{};
    for (std::size_t group = 0; group < n_groups; ++group, points += kSide)
        sums = add_where<Lanes>(sums, points, eight_of(fired, group));
    std::uint64_t each[kSide];
    store(each, sums);
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < kSide; ++k) sum += each[k];
    return static_cast<std::int64_t>(sum);
}

static void select(std::uint64_t key, std::uint64_t chance, std::size_t first, std::size_t n_clauses,
                   std::uint64_t* selected) {
    constexpr std::size_t kDraws = 2 * Lanes::kLevels;
    const std::size_t n_words = (n_clauses + 63) / 64;
    for (std::size_t q = 0; q < n_words; ++q) selected[q] = chance >> 32 ? ~std::uint64_t{0} : 0;
    if (chance >> 32 == 0) {
        const auto bound = static_cast<std::uint32_t>(chance);
        std::uint64_t start = key + (first / 2 + 1) * kGolden;
        for (std::size_t j = 0; j < n_clauses; j += kDraws) {
            alignas(64) std::uint64_t words[Lanes::kLevels];
            Lanes::hash(start, words);
            start += Lanes::kLevels * kGolden;
            selected[j / 64] |= Lanes::below(words, bound) << (j % 64);
        }
    }
    if (n_clauses % 64) selected[n_clauses / 64] &= (std::uint64_t{1} << (n_clauses % 64)) - 1;
}

// --- feedback ---

#include "core/cpu/kernels/automata.inl"

// Literals that are 1 step up unless drawn, those that are 0 step down where drawn.
struct Type1a {
    static constexpr bool kDraws = true;
    static constexpr bool kFallsOnly = false;

    template <class W>
    [[gnu::always_inline]] static W wanted(const Feedback& f, const Place& at) {
        return load<W>(f.allowed + (at.clause % 2) * f.n_words + at.q);
    }

    template <class W, bool kFull>
    [[gnu::always_inline]] static void give(const Feedback& f, const Place& at, W drawn) {
        const W x = load<W>(f.x + at.q);
        const W rising = load<W>(f.allowed + (at.clause % 2) * f.n_words + at.q) & x;
        Block<W, kFull> block(f, at);
        block.move(f.boost_true_positive ? rising : W(rising & ~drawn), ~x & drawn);
        block.save();
    }
};

// Every literal steps down where drawn.
struct Type1b {
    static constexpr bool kDraws = true;
    static constexpr bool kFallsOnly = true;

    template <class W>
    [[gnu::always_inline]] static W wanted(const Feedback& f, const Place& at) {
        return load<W>(f.can_fall + at.clause * f.row_stride + at.q) &
               load<W>(f.allowed + (at.clause % 2) * f.n_words + at.q);
    }

    template <class W, bool kFull>
    [[gnu::always_inline]] static void give(const Feedback& f, const Place& at, W drawn) {
        constexpr std::size_t kCount = sizeof(W) / sizeof(std::uint64_t);
        std::uint64_t* falls = f.falls + at.clause * f.fall_stride + kFallPlanes * at.q;
        const W first = load<W>(falls);
        const W second = load<W>(falls + kCount);
        const W third = load<W>(falls + 2 * kCount);
        const W carry = first & drawn;
        const W carried = second & carry;
        const W eighth = third & carried;
        if (any(eighth) && !(f.n_states > 1 && cross<W>(f, at, eighth))) {
            take<W, kFull>(f, at, drawn);
            return;
        }
        store(falls, W(first ^ drawn));
        store(falls + kCount, W(second ^ carry));
        store(falls + 2 * kCount, W(third ^ carried));
    }

    // Whether an eighth fall takes all that make it from 128 to 127, which are then there, with none noted.
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

    // Out of the way of the usual case.
    template <class W, bool kFull>
    [[gnu::noinline]] static void take(const Feedback& f, const Place& at, W drawn) {
        Block<W, kFull> block(f, at);
        block.move(W{}, drawn);
        block.save();
    }
};

// Every literal that is 0 steps up.
struct Type2 {
    static constexpr bool kDraws = false;
    static constexpr bool kFallsOnly = false;

    template <class W>
    [[gnu::always_inline]] static W wanted(const Feedback& f, const Place& at) {
        return load<W>(f.allowed + (at.clause % 2) * f.n_words + at.q) & ~load<W>(f.x + at.q);
    }

    template <class W, bool kFull>
    [[gnu::always_inline]] static void give(const Feedback& f, const Place& at, W wanted) {
        Block<W, kFull> block(f, at);
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

// The start of what a clause will be read of, on its way into the cache.
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

// --- single words, eight clauses side by side ---

// Draws for word q of the listed clauses, which are all of one polarity.
static void draw_singles(const Feedback& f, std::size_t q, const std::uint32_t* listed, std::size_t n) {
    constexpr std::size_t kGroups = kListed / kSide;
    const std::uint64_t allowed = n ? f.allowed[listed[0] % 2 * f.n_words + q] : 0;
    for (std::size_t i = 0; i < n; i += kListed) {
        const std::uint32_t* clauses = listed + i;
        Words place[kGroups], kept[kGroups];
        for (std::size_t b = 0; b < kGroups; ++b) {
            place[b] = mixed((Made<Words>::widened(clauses + b * kSide) + 1) * kGolden + f.key) +
                       (q * kAutomatonBits + 1) * kGolden;
            kept[b] = Made<Words>::broadcast(allowed);
        }
        std::uint64_t drawn[kListed];
        if (f.same_chance) {
            keep_hashed<Words, kGroups>(place, kept, f.down_chance[0]);
            for (std::size_t b = 0; b < kGroups; ++b) store(drawn + b * kSide, kept[b]);
        } else {
            std::uint64_t places[kListed];
            for (std::size_t b = 0; b < kGroups; ++b) store(places + b * kSide, place[b]);
            for (std::size_t k = 0; k < kListed; ++k) {
                drawn[k] = allowed;
                keep_hashed<std::uint64_t, 1>(places + k, drawn + k, f.down_chance[clauses[k]]);
            }
        }
        for (std::size_t k = 0; k < kListed; ++k) f.drawn[clauses[k]] = drawn[k];
    }
}

template <bool kFull>
static void step_singles(const Feedback& f, const Given& given, std::size_t first, std::size_t last,
                         const std::uint32_t* listed, std::size_t n) {
    const std::size_t n_blocked = blocked_words(f.n_words);
    const std::size_t n_single = f.n_words - n_blocked;
    for (std::size_t q = n_blocked; q < f.n_words; ++q) {
        draw_singles(f, q, listed, n);
        const std::uint64_t even = f.allowed[q], odd = f.allowed[f.n_words + q];
        const std::uint64_t by_polarity[kSide] = {even, odd, even, odd, even, odd, even, odd};
        const Words allowed = load<Words>(by_polarity);
        const Words x = Made<Words>::broadcast(f.x[q]);
        for (std::size_t word = first / 8; word * 8 < last; ++word) {
            const std::uint64_t a = given.type_1a[word], b = given.type_1b[word], c = given.type_2[word];
            for (std::uint64_t rest = a | b | c; rest;) {
                const auto at = static_cast<std::size_t>(__builtin_ctzll(rest)) / 8 * 8;  // of a group
                rest &= ~(std::uint64_t{0xFF} << at);
                const std::size_t group = word * 8 + at / 8;
                const Words rewarded = lanes_of(a >> at);
                const Words drawn = load<Words>(f.drawn + group * kSide);
                const Words rising = f.boost_true_positive ? x : Words(x & ~drawn);
                Block<Words, kFull, false> block(f, group * n_single + q - n_blocked);
                block.move(allowed & ((rewarded & rising) | (lanes_of(c >> at) & ~x)),
                           drawn & ((rewarded & ~x) | lanes_of(b >> at)));
                block.save();
            }
        }
    }
}

static void singles(const Feedback& f, const Given& given, std::size_t first, std::size_t last,
                    const std::uint32_t* listed, std::size_t n) {
    if (f.n_states == 128)
        step_singles<true>(f, given, first, last, listed, n);
    else
        step_singles<false>(f, given, first, last, listed, n);
}
