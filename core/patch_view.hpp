// Which patches a sample has: the windows of a grid of pixels. Twin of src/clausal/encoding/patch_view.py.
// Not here: the bits of a sample's patches (cpu/sample_patches).
#pragma once

#include <cstddef>

#include "core/bits.hpp"

namespace clausal {

// Without pixels there are no patches: a sample is the row of a table. The columns of a patch are the
// booleans of its pixels, row by row, then `row <= k` and `column <= k` for every place but the last.
struct PatchView {
    std::size_t height = 0, width = 0, depth = 0;  // of a sample: pixels, booleans per pixel
    std::size_t patch_height = 0, patch_width = 0;
    std::size_t row_stride = 1, column_stride = 1;

    bool has_patches() const { return depth != 0; }
    std::size_t patch_rows() const { return (height - patch_height) / row_stride + 1; }
    std::size_t patch_columns() const { return (width - patch_width) / column_stride + 1; }
    std::size_t n_patches() const { return patch_rows() * patch_columns(); }
    std::size_t n_pixel_columns() const { return patch_height * patch_width * depth; }
    std::size_t n_columns() const { return n_pixel_columns() + patch_rows() - 1 + patch_columns() - 1; }
    std::size_t n_words() const { return words_of(height * width * depth); }  // of a sample

    // Calls visit(name, member) for each field, by the name it has in Python.
    template <class Visit>
    static void visit_fields(const Visit& visit) {
        visit("height", &PatchView::height);
        visit("width", &PatchView::width);
        visit("depth", &PatchView::depth);
        visit("patch_height", &PatchView::patch_height);
        visit("patch_width", &PatchView::patch_width);
        visit("row_stride", &PatchView::row_stride);
        visit("column_stride", &PatchView::column_stride);
    }
};

// Throws std::invalid_argument where there are no such patches, or they do not have that many literals.
void check(const PatchView& view, std::size_t n_literals);

}  // namespace clausal
