// How the patches of a sample come about: bits are moved by lines, never one by one.
#include "core/cpu/sample_patches.hpp"

#include <algorithm>
#include <bit>

#include "core/bits.hpp"

namespace clausal {

namespace {

// n <= 64 bits from a place on.
std::uint64_t bits_at(const std::uint64_t* words, std::size_t place, std::size_t n) {
    const std::size_t q = place / 64, shift = place % 64;
    std::uint64_t bits = words[q] >> shift;
    if (shift + n > 64) bits |= words[q + 1] << (64 - shift);
    return bits & low_bits(n);
}

// Writes bits one after the other to words that are 0.
class Writer {
  public:
    explicit Writer(std::uint64_t* words) : words_(words) {}
    void bits(std::uint64_t some, std::size_t n) {  // n <= 64
        if (n == 0) return;
        const std::size_t q = place_ / 64, shift = place_ % 64;
        words_[q] |= some << shift;
        if (shift + n > 64) words_[q + 1] |= some >> (64 - shift);
        place_ += n;
    }
    void copy(const std::uint64_t* words, std::size_t place, std::size_t n) {
        for (; n > 64; n -= 64, place += 64) bits(bits_at(words, place, 64), 64);
        bits(bits_at(words, place, n), n);
    }
    // Of n patches side by side or below each other, the thermometer of this one's place: 0 up to it, then 1.
    void place_of(std::size_t index, std::size_t n) {
        for (std::size_t k = 0; k + 1 < n; k += 64) {
            const std::size_t some = std::min<std::size_t>(64, n - 1 - k);
            const std::size_t zeros = std::clamp<std::size_t>(index, k, k + some) - k;
            bits(low_bits(some) & ~low_bits(zeros), some);
        }
    }

  private:
    std::uint64_t* words_;
    std::size_t place_ = 0;
};

constexpr std::size_t kVector = 8;  // words that vectors of patches are made of

}  // namespace

SamplePatches::SamplePatches(const PatchView& view, const Kernels& kernels)
    : view_(view),
      kernels_(kernels),
      n_words_(words_per_row(view.n_columns())),
      stride_((words_of(view.n_patches()) + kVector - 1) / kVector * kVector),
      line_bits_(view.width),
      every_(stride_),
      vectors_(2 * view.n_columns() * stride_) {
    const std::size_t parts = view_.depth * view_.column_stride;
    if (parts > 1) {
        line_bits_ = (view_.width + view_.column_stride - 1) / view_.column_stride;
        parted_.resize(words_of(parts * view_.height * line_bits_));
    }
    const std::size_t n_lines = (view_.height + view_.row_stride - 1) / view_.row_stride;
    joined_.resize(words_of(n_lines * view_.patch_columns()) + words_of(view_.n_patches()) + 1);
    for (std::size_t q = 0; q < words_of(view_.n_patches()); ++q)
        every_[q] = low_bits(view_.n_patches() - 64 * q);
    std::size_t column = view_.n_pixel_columns();
    const auto mark = [&](std::size_t last, const auto& place) {
        for (std::size_t patch = 0; patch < view_.n_patches(); ++patch)
            if (place(patch) <= last)
                vectors_[column * stride_ + patch / 64] |= std::uint64_t{1} << (patch % 64);
        negate(column++);
    };
    for (std::size_t k = 0; k + 1 < view_.patch_rows(); ++k)
        mark(k, [&](std::size_t patch) { return patch / view_.patch_columns(); });
    for (std::size_t k = 0; k + 1 < view_.patch_columns(); ++k)
        mark(k, [&](std::size_t patch) { return patch % view_.patch_columns(); });
}

// A pixel column's vector holds, for each row of patches, a stretch of a line of the sample: the lines that
// begin at the same x, cut to that length and joined, are shifted for each y.
//
//   lines of 5 pixels      patches of 2 x 2: 4 side by side, joined for x = 1      vector of pixel (1, 1)
//   a b c d e              b c d e                                                 g h i j
//   f g h i j              g h i j                                                 l m n o
//   k l m n o              l m n o
void SamplePatches::read(const std::uint64_t* sample) {
    sample_ = lines_ = sample;
    if (!parted_.empty()) part_lines(sample);
    const std::size_t depth = view_.depth, down = view_.row_stride;
    for (std::size_t x = 0; x < view_.patch_width; ++x)
        for (std::size_t d = 0; d < depth; ++d)
            for (std::size_t first = 0; first < std::min(down, view_.patch_height); ++first) {
                join_lines(x, d, first);
                for (std::size_t y = first; y < view_.patch_height; y += down)
                    shift_lines((y * view_.patch_width + x) * depth + d, y / down);
            }
}

// Parts each line by depth, and by the pixels that are a stride apart.
void SamplePatches::part_lines(const std::uint64_t* sample) {
    std::fill(parted_.begin(), parted_.end(), 0);
    const std::size_t across = view_.column_stride;
    std::size_t place = 0;
    for (std::size_t y = 0; y < view_.height; ++y)
        for (std::size_t x = 0; x < view_.width; ++x)
            for (std::size_t d = 0; d < view_.depth; ++d, ++place) {
                const std::size_t line = (d * across + x % across) * view_.height + y;
                const std::size_t to = line * line_bits_ + x / across;
                parted_[to / 64] |= (sample[place / 64] >> (place % 64) & 1u) << (to % 64);
            }
    lines_ = parted_.data();
}

// Of lines first, first + row_stride, ...: what pixel x, and boolean d of it, is in each patch.
void SamplePatches::join_lines(std::size_t x, std::size_t d, std::size_t first) {
    std::fill(joined_.begin(), joined_.end(), 0);
    Writer out(joined_.data());
    const std::size_t part = (d * view_.column_stride + x % view_.column_stride) * view_.height;
    for (std::size_t y = first; y < view_.height; y += view_.row_stride)
        out.copy(lines_, (part + y) * line_bits_ + x / view_.column_stride, view_.patch_columns());
}

// The vector of a column from the joined lines without the first few, and that of its negation.
void SamplePatches::shift_lines(std::size_t column, std::size_t n_skipped) {
    const std::size_t place = n_skipped * view_.patch_columns();
    const std::uint64_t* from = joined_.data() + place / 64;
    const unsigned shift = place % 64;
    std::uint64_t* holds = vectors_.data() + column * stride_;
    const std::size_t n = words_of(view_.n_patches());
    for (std::size_t q = 0; q < n; ++q)
        holds[q] = (from[q] >> shift | from[q + 1] << 1 << (63 - shift)) & every_[q];
    negate(column);
}

void SamplePatches::negate(std::size_t column) {
    const std::uint64_t* holds = vectors_.data() + column * stride_;
    std::uint64_t* fails = vectors_.data() + (view_.n_columns() + column) * stride_;
    for (std::size_t q = 0; q < words_of(view_.n_patches()); ++q) fails[q] = ~holds[q] & every_[q];
}

// The patch whose rank among the matches is the draw's high half times their number, over 2^32.
std::size_t SamplePatches::pick(const std::uint64_t* matches, std::uint64_t draw) const {
    std::uint64_t n = 0;
    for (std::size_t q = 0; q < stride_; ++q) n += static_cast<std::uint64_t>(std::popcount(matches[q]));
    std::uint64_t rank = (draw >> 32) * n >> 32;
    for (std::size_t q = 0;; ++q) {
        const auto here = static_cast<std::uint64_t>(std::popcount(matches[q]));
        if (rank >= here) {
            rank -= here;
            continue;
        }
        std::uint64_t bits = matches[q];
        for (; rank; --rank) bits &= bits - 1;
        return 64 * q + static_cast<std::size_t>(std::countr_zero(bits));
    }
}

void SamplePatches::literals(std::size_t patch, std::uint64_t* out) const {
    std::fill_n(out, n_words_, 0);
    const std::size_t row = patch / view_.patch_columns(), across = patch % view_.patch_columns();
    Writer writer(out);
    for (std::size_t y = 0; y < view_.patch_height; ++y) {
        const std::size_t pixel = (row * view_.row_stride + y) * view_.width + across * view_.column_stride;
        writer.copy(sample_, pixel * view_.depth, view_.patch_width * view_.depth);
    }
    writer.place_of(row, view_.patch_rows());
    writer.place_of(across, view_.patch_columns());
    const std::size_t n = view_.n_columns();
    for (std::size_t k = 0; k < n; k += 64) {
        const std::size_t some = std::min<std::size_t>(64, n - k);
        writer.bits(~bits_at(out, k, some) & low_bits(some), some);
    }
}

}  // namespace clausal
