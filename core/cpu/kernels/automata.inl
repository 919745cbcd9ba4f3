// Automata side by side, bit p of each in plane p: how they rise and fall, and where they stop. W is four or
// eight words. Included by kernels.inl. Not here: which automata move (single_words.inl, word_blocks.inl).
//
// In blocks, a fall is first only counted, in three planes of pending falls. Type Ib, by far the commonest
// feedback, then leaves most of a clause's memory untouched. The result is exact: falls stop at the bottom
// whenever they are applied, and they are applied before an automaton crosses from include to exclude.

// A block of one clause's words.
struct Place {
    std::size_t clause, q;
};

// The arrays of a block, and the automata in registers. kFull: there are 256 states, so that the ends are all
// zeros and all ones. kPending: falls are counted first; in single words they are applied at once.
template <class W, bool kFull, bool kPending = true>
struct AutomataBlock {
    static constexpr std::size_t kCount = sizeof(W) / sizeof(std::uint64_t);
    W bits[8];  // of what the automata hold
    std::uint64_t *include, *states, *can_fall, *falls;
    unsigned bottom, top;

    [[gnu::always_inline]] AutomataBlock(const Feedback& f, const Place& at)
        : AutomataBlock(f, f.include + at.clause * f.row_stride + at.q,
                        f.states + at.clause * f.state_stride + kStatePlanes * at.q,
                        f.can_fall + at.clause * f.row_stride + at.q,
                        f.falls + at.clause * f.fall_stride + kFallPlanes * at.q) {}

    // One single word of the clauses of a group.
    [[gnu::always_inline]] AutomataBlock(const Feedback& f, std::size_t word)
        : AutomataBlock(f, f.single_include + word * kSide, f.single_states + word * kStatePlanes * kSide,
                        nullptr, nullptr) {}

    [[gnu::always_inline]] AutomataBlock(const Feedback& f, std::uint64_t* include_, std::uint64_t* states_,
                                         std::uint64_t* can_fall_, std::uint64_t* falls_)
        : include(include_),
          states(states_),
          can_fall(can_fall_),
          falls(falls_),
          bottom(128 - f.n_states),
          top(127 + f.n_states) {
        for (unsigned p = 0; p < kStatePlanes; ++p) bits[p] = load<W>(states + p * kCount);
        bits[7] = load<W>(include);
        if constexpr (kPending) apply_falls();
    }

    // Where the automata do not hold `value`. Written without a loop, which GCC would pass through memory.
    [[gnu::always_inline]] W differs(unsigned value) const {
        const auto part = [&](unsigned p) { return W((value >> p) & 1u ? ~bits[p] : bits[p]); };
        return ((part(0) | part(1)) | (part(2) | part(3))) | ((part(4) | part(5)) | (part(6) | part(7)));
    }
    [[gnu::always_inline]] W above_bottom() const { return differs(kFull ? 0 : bottom); }
    [[gnu::always_inline]] W below_top() const { return differs(kFull ? 255 : top); }

    // Subtracts the pending falls, bit by bit with a borrow; what would end below the bottom ends there.
    //
    //   held     0  0  0  0  1  1  1  1
    //   fall     0  0  1  1  0  0  1  1
    //   borrow   0  1  0  1  0  1  0  1      from the bit below
    //   -------------------------------
    //   bit      0  1  1  0  1  0  0  1      held ^ fall ^ borrow
    //   borrow   0  1  1  1  0  0  0  1      for the bit above
    [[gnu::always_inline]] void apply_falls() {
        W low{};  // the borrow; after the last bit, those that went below the bottom
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

    // Adds 1 to the automata that rise and subtracts 1 from those that fall, unless they are at their end. A
    // bit changes as long as the carry or borrow goes on:
    //
    //   bit        2 1 0        2 1 0
    //   state      0 1 1        1 0 0
    //   changes    1 1 1  up    1 1 1  down
    //   state      1 0 0        0 1 1
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
        // States from 128 to 135 are kept as 135 with the difference as pending falls. So the fall that
        // overflows the counter is the one that crosses from include to exclude.
        const W near = kPending ? W(bits[7] & ~(bits[3] | bits[4] | bits[5] | bits[6])) : W{};
        for (unsigned p = 0; p < 3 && kPending; ++p) store(falls + p * kCount, W(near & ~bits[p]));
        for (unsigned p = 0; p < 3; ++p) store(states + p * kCount, W(bits[p] | near));
        for (unsigned p = 3; p < kStatePlanes; ++p) store(states + p * kCount, bits[p]);
        store(include, bits[7]);
        if constexpr (kPending) store(can_fall, above_bottom());
    }
};
