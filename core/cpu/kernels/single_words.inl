// Feedback to single words, those that fill no block: eight clauses side by side, all types at once.
// Included by kernels.inl. Not here: the law itself (core/feedback.hpp), blocked words (word_blocks.inl).

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

// Feedback to single word q of one group of clauses. `types` are the group's, in the lowest eight bits.
template <bool kFull>
[[gnu::always_inline]] static inline void give_group(const Feedback& f, const FeedbackTypes& types,
                                                     const Words& x, const Words& allowed, std::size_t group,
                                                     std::size_t word) {
    const Words type_1a = lanes_of(types.type_1a);
    const Words drawn = load<Words>(f.drawn + group * kSide);
    const Moves<Words> a = type_1a_moves<Words>(x, drawn, f.boost_true_positive);
    const Moves<Words> b = type_1b_moves<Words>(drawn);
    const Moves<Words> c = type_2_moves<Words>(x);
    AutomataBlock<Words, kFull, false> block(f, word);
    block.move(allowed & ((type_1a & a.up) | (lanes_of(types.type_2) & c.up)),
               (type_1a & a.down) | (lanes_of(types.type_1b) & b.down));
    block.save();
}

template <bool kFull>
static void step_singles(const Feedback& f, const FeedbackTypes* types, std::size_t first, std::size_t last,
                         const std::uint32_t* listed, std::size_t n) {
    const std::size_t n_blocked = blocked_words(f.n_words);
    const std::size_t n_single = f.n_words - n_blocked;
    for (std::size_t q = n_blocked; q < f.n_words; ++q) {
        draw_singles(f, q, listed, n);
        const std::uint64_t even = f.allowed[q], odd = f.allowed[f.n_words + q];
        const std::uint64_t by_polarity[kSide] = {even, odd, even, odd, even, odd, even, odd};
        const Words allowed = load<Words>(by_polarity);
        const Words shared = f.single_x ? Words{} : Made<Words>::broadcast(f.x[q]);
        for (std::size_t word = first / 8; word * 8 < last; ++word) {
            const FeedbackTypes& t = types[word];
            for (std::uint64_t rest = t.type_1a | t.type_1b | t.type_2; rest;) {
                const auto at = static_cast<std::size_t>(__builtin_ctzll(rest)) / 8 * 8;  // of a group
                rest &= ~(std::uint64_t{0xFF} << at);
                const std::size_t group = word * 8 + at / 8;
                const std::size_t own = group * n_single + q - n_blocked;
                const Words x = f.single_x ? load<Words>(f.single_x + own * kSide) : shared;
                give_group<kFull>(f, {t.type_1a >> at, t.type_1b >> at, t.type_2 >> at}, x, allowed, group,
                                  own);
            }
        }
    }
}

static void singles(const Feedback& f, const FeedbackTypes* types, std::size_t first, std::size_t last,
                    const std::uint32_t* listed, std::size_t n) {
    if (f.n_states == 128)
        step_singles<true>(f, types, first, last, listed, n);
    else
        step_singles<false>(f, types, first, last, listed, n);
}
