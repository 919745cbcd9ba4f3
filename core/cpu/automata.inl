// Automata side by side, one bit of each in a plane: falling, rising, their ends. W is one, four or eight
// words. Included by kernels.inl. Not here: which automata move (kernels.inl).
//
// In blocks of several words a fall is first only noted, in three planes of falls not yet taken, which keeps
// most of a clause's bytes out of the way of Type Ib, by far the commonest feedback. That is exact: falls
// stop at the bottom whenever they are taken, and are taken at the latest when one crosses the border from
// include to exclude.

// A block of one clause's words.
struct Place {
    std::size_t clause, q;
};

// The arrays of a block, and the automata in registers. kFull: there are 256 states, so that the ends are all
// zeros and all ones.
template <class W, bool kFull>
struct Block {
    static constexpr std::size_t kCount = sizeof(W) / sizeof(std::uint64_t);
    static constexpr bool kNotes = kCount > 1;  // single words move at once: that is cheap
    W bits[8];                                  // of what the automata hold
    std::uint64_t *states, *include, *can_fall, *falls;
    unsigned bottom, top;

    [[gnu::always_inline]] Block(const Feedback& f, const Place& at)
        : states(f.states + at.clause * f.state_stride + kStatePlanes * at.q),
          include(f.include + at.clause * f.n_words + at.q),
          can_fall(f.can_fall + at.clause * f.n_words + at.q),
          falls(f.falls + at.clause * f.fall_stride + kFallPlanes * at.q),
          bottom(128 - f.n_states),
          top(127 + f.n_states) {
        for (unsigned p = 0; p < kStatePlanes; ++p) bits[p] = load<W>(states + p * kCount);
        bits[7] = load<W>(include);
        if constexpr (kNotes) take_falls();
    }

    // Where the automata do not hold `value`. Spelled out: a loop here is joined to vectors through memory.
    [[gnu::always_inline]] W differs(unsigned value) const {
        const auto part = [&](unsigned p) { return W((value >> p) & 1u ? ~bits[p] : bits[p]); };
        return ((part(0) | part(1)) | (part(2) | part(3))) | ((part(4) | part(5)) | (part(6) | part(7)));
    }
    [[gnu::always_inline]] W above_bottom() const { return differs(kFull ? 0 : bottom); }
    [[gnu::always_inline]] W below_top() const { return differs(kFull ? 255 : top); }

    [[gnu::always_inline]] void take_falls() {
        W low{};  // borrowed from beyond the highest bit, or below the bottom
        for (unsigned p = 0; p < 8; ++p) {
            const W held = bits[p];
            const W fall = p < 3 ? load<W>(falls + p * kCount) : W{};
            bits[p] = held ^ fall ^ low;
            low = (~held & (fall | low)) | (fall & low);
        }
        if constexpr (!kFull) {
            W less{};
            for (unsigned p = 0; p < 8; ++p) less = (bottom >> p) & 1u ? ~bits[p] | less : ~bits[p] & less;
            low |= less;
        }
        for (unsigned p = 0; p < 8; ++p)
            bits[p] = !kFull && ((bottom >> p) & 1u) ? bits[p] | low : bits[p] & ~low;
    }

    // Steps up and down (disjoint) for automata that are not at their ends.
    [[gnu::always_inline]] void move(W up, W down) {
        up &= below_top();
        down &= above_bottom();
        for (unsigned p = 0; p < 8; ++p) {
            const W held = bits[p];
            bits[p] = held ^ (up | down);
            up &= held;
            down &= ~held;
        }
    }

    [[gnu::always_inline]] void save() const {
        // One of 128 to 135 is kept as 135 with the difference noted: one fall too many is then one that
        // crosses.
        const W near = kNotes ? W(bits[7] & ~(bits[3] | bits[4] | bits[5] | bits[6])) : W{};
        for (unsigned p = 0; p < 3 && kNotes; ++p) store(falls + p * kCount, W(near & ~bits[p]));
        for (unsigned p = 0; p < 3; ++p) store(states + p * kCount, W(bits[p] | near));
        for (unsigned p = 3; p < kStatePlanes; ++p) store(states + p * kCount, bits[p]);
        store(include, bits[7]);
        store(can_fall, above_bottom());
    }
};
