// The patches of one sample: each literal as a vector of bits, one per patch, and each patch as a row of
// literals. Made for the sample at hand, so that no more than that is in memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/cpu/aligned.hpp"
#include "core/cpu/kernels/kernels.hpp"
#include "core/patch_view.hpp"

namespace clausal {

class SamplePatches {
  public:
    SamplePatches(const PatchView& view, const Kernels& kernels);

    // Makes the vectors of a sample [n_words], which must outlive the calls below.
    void read(const std::uint64_t* sample);
    // Words of a vector of patches; those beyond the last patch are 0.
    std::size_t stride() const { return stride_; }
    // Which patches satisfy all literals of include [words of a patch's literals]; false where none does, and
    // `matches` [stride] then holds anything.
    bool match(const std::uint64_t* include, std::uint64_t* matches) const {
        return kernels_.match(include, n_words_, vectors_.data(), stride_, every_.data(), matches);
    }
    // One of the patches in `matches`, of which there is at least one, from a draw of 64 bits.
    std::size_t pick(const std::uint64_t* matches, std::uint64_t draw) const;
    // The literals of a patch.
    void literals(std::size_t patch, std::uint64_t* out) const;

  private:
    void part_lines(const std::uint64_t* sample);
    void join_lines(std::size_t x, std::size_t d, std::size_t first);
    void shift_lines(std::size_t column, std::size_t n_skipped);
    void negate(std::size_t column);

    PatchView view_;
    const Kernels& kernels_;
    std::size_t n_words_, stride_;
    std::size_t line_bits_;  // from one line to the next
    const std::uint64_t* sample_ = nullptr;
    const std::uint64_t* lines_ = nullptr;  // of the sample, or parted
    AlignedVector<std::uint64_t> parted_;   // [depth, column_stride, height] lines
    AlignedVector<std::uint64_t> joined_;   // lines that are patch_columns long, one after the other
    AlignedVector<std::uint64_t> every_;    // [stride], a bit per patch
    AlignedVector<std::uint64_t> vectors_;  // [n_literals, stride]
};

}  // namespace clausal
