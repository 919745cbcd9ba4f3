// Automata side by side, one bit of each in a plane: falling, rising, their ends. W is four or eight words.
// Included by kernels.inl. Not here: which automata move (kernels.inl).
//
// In blocks a fall is first only noted, in three planes of falls not yet taken, which keeps
// most of a clause's bytes out of the way of Type Ib, by far the commonest feedback. That is exact: falls
// stop at the bottom whenever they are taken, and are taken at the latest when one crosses the border from
// include to exclude.

// A block of one clause's words.
struct Place {
    std::size_t clause, q;
};

// The arrays of a block, and the automata in registers. kFull: there are 256 states, so that the ends are all
// zeros and all ones. kNotes: falls are noted; those of single words are taken at once, which is cheap.
template <class W, bool kFull, bool kNotes = true>
struct Block {
    static constexpr std::size_t kCount = sizeof(W) / sizeof(std::uint64_t);
    W bits[8];  // of what the automata hold
    std::uint64_t *include, *states, *can_fall, *falls;
    unsigned bottom, top;

    [[gnu::always_inline]] Block(const Feedback& f, const Place& at)
        : Block(f, f.include + at.clause * f.row_stride + at.q,
                f.states + at.clause * f.state_stride + kStatePlanes * at.q,
                f.can_fall + at.clause * f.row_stride + at.q,
                f.falls + at.clause * f.fall_stride + kFallPlanes * at.q) {}

    // One single word of the clauses of a group.
    [[gnu::always_inline]] Block(const Feedback& f, std::size_t word)
        : Block(f, f.single_include + word * kSide, f.single_states + word * kStatePlanes * kSide, nullptr,
                nullptr) {}

    [[gnu::always_inline]] Block(const Feedback& f, std::uint64_t* include_, std::uint64_t* states_,
                                 std::uint64_t* can_fall_, std::uint64_t* falls_)
        : include(include_),
          states(states_),
          can_fall(can_fall_),
          falls(falls_),
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
        if constexpr (kNotes) store(can_fall, above_bottom());
    }
};
