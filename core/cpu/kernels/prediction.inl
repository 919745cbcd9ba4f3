// Prediction: blocks of 512 rows read, transposed, AND-ed and counted (prediction.hpp). A vector of rows may
// take several registers: one part of it after the other goes through a whole loop. Included by kernels.inl.

using Wide = Lanes::Wide;
static constexpr std::size_t kWide = sizeof(Wide) / sizeof(std::uint64_t);

static inline Wide load_wide(const std::uint64_t* from) {
    Wide wide;
    __builtin_memcpy(&wide, from, sizeof wide);
    return wide;
}

static inline void store_wide(std::uint64_t* to, Wide wide) { __builtin_memcpy(to, &wide, sizeof wide); }

static constexpr std::size_t kAhead = 12;  // rows prefetched ahead of the one that is read

static std::uint8_t read_bytes(const std::uint8_t* bytes, std::size_t n_rows, std::size_t stride,
                               std::size_t n_columns, std::uint64_t* tiles) {
    const std::size_t whole = n_columns / 64;
    const std::size_t rest = n_columns % 64;
    Wide seen{};
    for (std::size_t row = 0; row < n_rows; ++row) {
        const std::uint8_t* from = bytes + row * stride;
        std::uint64_t* to = tiles + row % 64 * kVectorWords + row / 64;
        for (std::size_t t = 0; t < whole; ++t) {
            __builtin_prefetch(from + kAhead * stride + 64 * t);
            to[t * kBlockRows] = Lanes::truth(from + 64 * t, seen);
        }
        if (rest == 0) continue;
        std::uint8_t last[64] = {};
        __builtin_memcpy(last, from + 64 * whole, rest);
        to[whole * kBlockRows] = Lanes::truth(last, seen);
    }
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < kWide; ++i) all |= seen[i];
    for (unsigned shift = 32; shift >= 8; shift /= 2) all |= all >> shift;
    return static_cast<std::uint8_t>(all);
}

static void read_words(const std::uint64_t* words, std::size_t n_rows, std::size_t stride,
                       std::size_t n_words, std::uint64_t* tiles) {
    for (std::size_t row = 0; row < n_rows; ++row) {
        const std::uint64_t* from = words + row * stride;
        std::uint64_t* to = tiles + row % 64 * kVectorWords + row / 64;
        for (std::size_t t = 0; t < n_words; ++t) to[t * kBlockRows] = from[t];
    }
}

// Halves, then quarters, ... of the matrices change places across the diagonal (transposed_8x8 in bits.hpp).
static void transpose(std::uint64_t* tile) {
    std::uint64_t keep = 0x00000000FFFFFFFFu;
    for (unsigned width = 32; width > 0; width /= 2, keep ^= keep << width) {
        for (std::size_t i = 0; i < kBlockRows; i += kWide) {
            if (i / kVectorWords & width) continue;
            std::uint64_t* upper = tile + i;
            std::uint64_t* lower = upper + width * kVectorWords;
            const Wide a = load_wide(upper);
            const Wide b = load_wide(lower);
            const Wide change = ((a >> width) ^ b) & keep;
            store_wide(upper, a ^ (change << width));
            store_wide(lower, b ^ change);
        }
    }
}

static void run_part(const Step* steps, std::size_t n_steps, const std::uint32_t* operands,
                     const std::uint64_t* vectors, std::uint64_t* targets) {
    static_assert(kGroup == 4);
    const auto at = [vectors](std::uint32_t place) { return load_wide(vectors + place); };
    for (const Step* step = steps; step < steps + n_steps; ++step) {
        const std::uint32_t* next = operands + step->first;
        Wide holds = ~Wide{};
        std::uint32_t left = step->positive_groups;
        for (; left > 0 && Lanes::any(holds); --left, next += kGroup)
            holds &= at(next[0]) & at(next[1]) & at(next[2]) & at(next[3]);
        if (left == 0)
            for (left = step->negative_groups; left > 0 && Lanes::any(holds); --left, next += kGroup)
                holds &= ~(at(next[0]) | at(next[1]) | at(next[2]) | at(next[3]));
        store_wide(targets + step->target, holds);
    }
}

static void run(const Step* steps, std::size_t n_steps, const std::uint32_t* operands,
                const std::uint64_t* vectors, std::uint64_t* targets) {
    for (std::size_t part = 0; part < kVectorWords; part += kWide)
        run_part(steps, n_steps, operands, vectors + part, targets + part);
}

// Adds two bits per row to a sum of one bit and returns the carry.
//
//   a      0 1 0 1 0 1 0 1
//   b      0 0 1 1 0 0 1 1
//   sum    0 0 0 0 1 1 1 1
//   ----------------------
//   sum    0 1 1 0 1 0 0 1
//   carry  0 0 0 1 0 1 1 1
static inline Wide add_bits(Wide& sum, Wide a, Wide b) {
    const Wide differ = a ^ b;
    const Wide carry = (a & b) | (differ & sum);
    sum ^= differ;
    return carry;
}

// Adds masks to a sum, two at a time; returns where the carries end.
static std::uint64_t* add_masks(const std::uint32_t* from, const std::uint32_t* end, std::uint64_t flip,
                                const std::uint64_t* masks, Wide& sum, std::uint64_t* carries) {
    for (; end - from >= 2; from += 2, carries += kVectorWords)
        store_wide(carries,
                   add_bits(sum, load_wide(masks + from[0]) ^ flip, load_wide(masks + from[1]) ^ flip));
    if (from == end) return carries;
    store_wide(carries, add_bits(sum, load_wide(masks + *from) ^ flip, Wide{}));
    return carries + kVectorWords;
}

static void count_part(const Digits& digits, const std::uint64_t* masks, std::uint64_t* carries,
                       std::uint64_t* planes) {
    std::size_t n_carries = 0;
    for (unsigned level = 0; level < digits.n_planes && (level < digits.n_levels || n_carries > 0); ++level) {
        Wide sum = load_wide(planes + level * kVectorWords);
        const std::uint64_t* in = carries;  // read ahead of what is written
        std::uint64_t* out = carries;
        for (; n_carries >= 2; n_carries -= 2, in += 2 * kVectorWords, out += kVectorWords)
            store_wide(out, add_bits(sum, load_wide(in), load_wide(in + kVectorWords)));
        if (n_carries == 1) {
            store_wide(out, add_bits(sum, load_wide(in), Wide{}));
            out += kVectorWords;
        }
        if (level < digits.n_levels) {
            const std::uint32_t* starts = digits.starts + 2 * level;
            out = add_masks(digits.masks + starts[0], digits.masks + starts[1], 0, masks, sum, out);
            out = add_masks(digits.masks + starts[1], digits.masks + starts[2], ~std::uint64_t{0}, masks, sum,
                            out);
        }
        store_wide(planes + level * kVectorWords, sum);
        n_carries = static_cast<std::size_t>(out - carries) / kVectorWords;
    }
}

static void count(const Digits& digits, const std::uint64_t* masks, std::uint64_t* carries,
                  std::uint64_t* planes) {
    for (std::size_t part = 0; part < kVectorWords; part += kWide)
        count_part(digits, masks + part, carries + part, planes + part);
}
