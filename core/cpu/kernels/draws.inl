// The random draws of a step: which clauses are selected, and which automata draw below their chance 1/s.
// Included by kernels.inl. Not here: what the draws decide (single_words.inl, word_blocks.inl).

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

// Draws of 24 bits are compared with a chance, the highest bit first, 64 or more automata side by side.
// An automaton is undecided while its draw agrees with the chance; it is below where, at the first
// difference, the chance has a 1 and the draw a 0. Three levels, chance 101:
//
//   automaton    k = 0    1    2    3
//   draw           001  100  101  110
//   level 0 (1)      <    =    =    =
//   level 1 (0)           =    =    >
//   level 2 (1)           <    =
//   below            1    1    0    0
//
// Most are decided after a few levels, so the first ones are read without asking whether any is left. `keep`
// leaves in `chosen` only the automata whose draw is below the chance.

// Draws from the step's table of random words: level l of the 64 draws of word q is
// masks[l] ^ table[kOffsetUnit * offsets[l] + q], with masks and offsets of the clause's own.
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

// Draws that are hashed: level l of a word is mix(place + l * kGolden), `place` being the word's own. The
// words may be of one or of several clauses; blocks go side by side, so that their hashes overlap.
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
