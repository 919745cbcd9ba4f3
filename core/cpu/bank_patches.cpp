// A bank's clauses on samples with patches: which patches satisfy them, and which one each learns from.
#include <algorithm>

#include "core/bits.hpp"
#include "core/cpu/clause_bank.hpp"

namespace clausal {

void ClauseBank::match_patches(Part part) {
    AlignedVector<std::uint64_t> include(config_.n_words());
    for (std::size_t first = part.first; first < part.last; first += 64) {
        std::uint64_t fired = 0;
        for (std::size_t j = first; j < std::min(first + 64, part.last); ++j) {
            std::copy_n(state.include.data() + j * row_stride_, n_blocked_, include.data());
            for (std::size_t q = 0; q < n_single_; ++q)
                include[n_blocked_ + q] = state.single_include[planes(j, n_blocked_ + q).include];
            const bool fires = patches_->match(include.data(), matches_.data() + j * patches_->stride());
            fired |= std::uint64_t{fires} << (j - first);
        }
        fired_[first / 64] = fired;
    }
}

// Type Ib ignores the sample: only clauses that fired look at a patch.
void ClauseBank::pick_patches(Part part, std::uint64_t key) {
    AlignedVector<std::uint64_t> literals(config_.n_words());
    for (std::size_t word = part.first / 64; word * 64 < part.last; ++word)
        for_each_bit(types_[word].type_1a | types_[word].type_2, [&](std::size_t k) {
            const std::size_t j = 64 * word + k;
            const std::uint64_t* matches = matches_.data() + j * patches_->stride();
            patches_->literals(patches_->pick(matches, draw(key, j)), literals.data());
            std::copy_n(literals.data(), n_blocked_, x_.data() + j * row_stride_);
            for (std::size_t q = 0; q < n_single_; ++q)
                single_x_[planes(j, n_blocked_ + q).include] = literals[n_blocked_ + q];
        });
}

}  // namespace clausal
