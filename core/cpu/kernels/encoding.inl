// Encoding of tables: numbers compared with a mark, bytes packed to bits.
// Included by kernels.inl.

// Bit i where compare(values + i, mark) holds, kNumbers at a time.
template <class Compare>
[[gnu::always_inline]] static inline std::uint64_t compare_64(const double* values, double mark,
                                                              const Compare& compare) {
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < 64; i += Lanes::kNumbers)
        bits |= static_cast<std::uint64_t>(compare(values + i, mark)) << i;
    return bits;
}

static std::uint64_t at_most(const double* values, double mark) {
    return compare_64(values, mark, [](const double* v, double m) { return Lanes::at_most(v, m); });
}

static std::uint64_t equal(const double* values, double mark) {
    return compare_64(values, mark, [](const double* v, double m) { return Lanes::equal(v, m); });
}

static void pack_bytes(const std::uint8_t* bytes, std::size_t n, std::uint64_t* out) {
    Lanes::Wide seen{};
    std::size_t i = 0;
    for (; i + 64 <= n; i += 64) *out++ = Lanes::truth(bytes + i, seen);
    if (i == n) return;
    std::uint8_t rest[64] = {};
    __builtin_memcpy(rest, bytes + i, n - i);
    *out = Lanes::truth(rest, seen);
}
