// Evaluation: which clauses fire on a sample, and the sum of what they vote.
// Included by kernels.inl. Not here: evaluation of many rows at once, for prediction (prediction.inl).

// Whether a block of a clause's words has an included literal that is 0 in x; the last block may be short.
static bool falsified(const std::uint64_t* include, const std::uint64_t* x, std::size_t block,
                      std::size_t n_words) {
    const std::size_t q = block * kBlock;
    if (q + kBlock <= n_words) return any(load<Words>(include + q) & ~load<Words>(x + q));
    std::uint64_t missing = 0;
    for (std::size_t i = q; i < n_words; ++i) missing |= include[i] & ~x[i];
    return missing != 0;
}

// For clauses of up to four blocks: all words are read, as a wrong guess would cost more.
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

constexpr std::size_t kWordGroups = 64 / kSide;

// give(k) for the groups of a word of clauses, k = 0, 1, ...; unrolled if all eight are there.
template <class Give>
[[gnu::always_inline]] static inline void for_groups(std::size_t n_groups, const Give& give) {
    if (n_groups >= kWordGroups) {
#pragma GCC unroll 8
        for (std::size_t k = 0; k < kWordGroups; ++k) give(k);
    } else {
        for (std::size_t k = 0; k < n_groups; ++k) give(k);
    }
}

// kSingle is n_single where that is one, the most frequent, and else 0.
template <std::size_t kSingle>
static void evaluate_groups(const std::uint64_t* include, const std::uint64_t* x, std::size_t n_groups,
                            std::size_t n_single, std::uint64_t* fired) {
    if constexpr (kSingle) n_single = kSingle;
    for (std::size_t first = 0; first < n_groups; first += kWordGroups) {
        std::uint64_t bits = 0;
        for_groups(n_groups - first, [&](std::size_t k) {
            Words missing{};
            for (std::size_t q = 0; q < n_single; ++q, include += kSide)
                missing |= load<Words>(include) & Made<Words>::broadcast(~x[q]);
            bits |= Lanes::zeros(missing) << (8 * k);
        });
        fired[first / kWordGroups] &= bits;
    }
}

static void evaluate_singles(const std::uint64_t* include, const std::uint64_t* x, std::size_t n_groups,
                             std::size_t n_single, std::uint64_t* fired) {
    if (n_single == 1) return evaluate_groups<1>(include, x, n_groups, n_single, fired);
    evaluate_groups<0>(include, x, n_groups, n_single, fired);
}

// Literals are vectors with a bit per patch. The clause's are AND-ed, until no patch is left.
static bool match(const std::uint64_t* include, std::size_t n_words, const std::uint64_t* vectors,
                  std::size_t stride, const std::uint64_t* every, std::uint64_t* matches) {
    bool fires = false;
    for (std::size_t block = 0; block < stride; block += kBlock) {
        Words holds = load<Words>(every + block);
        const std::uint64_t* group = vectors + block;
        for (std::size_t q = 0; q < n_words && any(holds); ++q, group += 64 * stride)
            for (std::uint64_t rest = include[q]; rest && any(holds); rest &= rest - 1)
                holds &= load<Words>(group + static_cast<std::size_t>(__builtin_ctzll(rest)) * stride);
        store(matches + block, holds);
        fires |= any(holds);
    }
    return fires;
}

// All ones in lane k where bit k is set.
//
//   eight      bit 0 = 1   bit 1 = 0   bit 2 = 1  ...
//   kBits           0001        0010        0100
//   and             0001        0000        0100
//   lanes           1111        0000        1111
[[gnu::always_inline]] static inline Words lanes_of(std::uint64_t eight) {
    alignas(64) static constexpr std::uint64_t kBits[kSide] = {1, 2, 4, 8, 16, 32, 64, 128};
    return Made<Words>::full_where_set(load<Words>(kBits) & eight);
}

// Adds the points of the clauses whose bit is set to eight sums; Lanes may have an instruction for it.
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
    for (std::size_t first = 0; first < n_groups; first += kWordGroups, ++fired)
        for_groups(n_groups - first, [&](std::size_t k) {
            sums = add_where<Lanes>(sums, points + (first + k) * kSide, *fired >> (8 * k) & 0xFF);
        });
    std::uint64_t each[kSide];
    store(each, sums);
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < kSide; ++k) sum += each[k];
    return static_cast<std::int64_t>(sum);
}
