#include "core/visits.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "core/random.hpp"

namespace clausal {

namespace {

struct Visit {
    std::uint64_t draw;
    std::int64_t row;
};

}  // namespace

// Draws are uniform, so their highest bits place each row within a few positions of where it belongs: rows
// are counted into about as many buckets as there are rows, then sorted by insertion, which moves each only
// within its bucket.
void shuffle(std::span<const std::int64_t> rows, std::span<const std::uint64_t> keys,
             std::span<std::int64_t> out) {
    const std::size_t n = rows.size();
    const auto shift = 64 - static_cast<unsigned>(std::bit_width(n | 1));
    std::vector<std::size_t> starts((std::size_t{1} << (64 - shift)) + 1);
    std::vector<std::uint64_t> draws(n);
    std::vector<Visit> sorted(n);
    for (std::size_t k = 0; k < keys.size(); ++k) {
        std::fill(starts.begin(), starts.end(), 0);
        for (std::size_t i = 0; i < n; ++i) draws[i] = draw(keys[k], i);
        for (const std::uint64_t drawn : draws) ++starts[(drawn >> shift) + 1];
        for (std::size_t b = 1; b < starts.size(); ++b) starts[b] += starts[b - 1];
        for (std::size_t i = 0; i < n; ++i) sorted[starts[draws[i] >> shift]++] = {draws[i], rows[i]};
        for (std::size_t i = 1; i < n; ++i) {
            const Visit visit = sorted[i];
            std::size_t j = i;
            for (; j > 0 && sorted[j - 1].draw > visit.draw; --j) sorted[j] = sorted[j - 1];
            sorted[j] = visit;
        }
        for (std::size_t i = 0; i < n; ++i) out[k * n + i] = sorted[i].row;
    }
}

}  // namespace clausal
