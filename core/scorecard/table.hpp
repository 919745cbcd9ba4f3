// A table as the scorecard search reads it: every feature has a few bins, and a literal is true in some of
// them.
//
//   feature "age", columns "age <= 30" and "age <= 50", value "missing" satisfies neither a column nor its
//   negation:
//
//   bin                 0 (<= 30)   1 (<= 50)   2 (> 50)   3 (missing)
//   age <= 30               1           0          0           0
//   age <= 50               1           1          0           0
//   not age <= 30           0           1          1           0
//   not age <= 50           0           0          1           0
//
// A search begins with the literals of some columns only, such as every fourth cut point of a number. The
// others are reached where a cut point of a rule moves.
//
// Not here: weights and targets of rows (loss.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace clausal::scorecard {

using Words = std::vector<std::uint64_t>;  // one bit per row

// The bin of each row, in one byte where that is enough: a large table is little else.
class Bins {
  public:
    Bins() = default;
    explicit Bins(std::vector<std::uint8_t> bins) : narrow_(std::move(bins)) {}
    // Bins below `n_bins`.
    Bins(std::vector<std::uint16_t> bins, std::size_t n_bins) {
        if (n_bins <= 256)
            narrow_.assign(bins.begin(), bins.end());
        else
            wide_ = std::move(bins);
    }
    bool is_narrow() const { return wide_.empty(); }
    // As numbers of this type, which must be theirs.
    template <class Bin>
    const Bin* as() const {
        if constexpr (sizeof(Bin) == 1)
            return narrow_.data();
        else
            return wide_.data();
    }
    // What `read` makes of the bins, whose type is one of two.
    template <class Read>
    decltype(auto) visit(Read&& read) const {
        return is_narrow() ? read(narrow_.data()) : read(wide_.data());
    }

  private:
    std::vector<std::uint8_t> narrow_;
    std::vector<std::uint16_t> wide_;
};

struct Feature {
    std::size_t n_bins = 0;
    Bins bins;
    std::vector<std::uint32_t> literals;  // of its columns, then of their negations
    std::vector<std::uint8_t> truth;      // [literals, bins], 1 where the literal is true
};

class Table {
  public:
    // Of each feature, its bins and the truth of its literals; the literals are numbered here. `feature_of`
    // [n_columns] is ascending; `begins` [n_columns] is 1 for the columns that a search begins with.
    Table(std::size_t n_rows, std::vector<Feature> features, std::span<const std::uint32_t> feature_of,
          std::span<const std::uint8_t> begins);

    std::size_t n_rows() const { return n_rows_; }
    std::size_t n_words() const { return (n_rows_ + 63) / 64; }
    std::size_t n_columns() const { return n_columns_; }
    std::size_t n_literals() const { return 2 * n_columns_; }
    const std::vector<Feature>& features() const { return features_; }
    // The features with the columns that a search begins with, and the literals of these, ascending.
    const std::vector<Feature>& first_features() const {
        return has_more_cuts() ? first_features_ : features_;
    }
    const std::vector<std::uint32_t>& first_literals() const { return first_literals_; }
    bool has_more_cuts() const { return first_literals_.size() < n_literals(); }
    std::size_t feature_of(std::uint32_t literal) const { return feature_of_[literal % n_columns_]; }
    // 1 in each bin of the literal's feature where it is true.
    std::span<const std::uint8_t> truth(std::uint32_t literal) const;
    // The rows where all literals are true.
    Words rows(std::span<const std::uint32_t> literals) const;
    // Whether two rules divide the rows in the same way: equal rules, or single literals of a feature of
    // which one is true where the other is, or where the other is not.
    bool same_split(std::span<const std::uint32_t> one, std::span<const std::uint32_t> two) const;
    // The literals without those that the others of the same feature imply.
    std::vector<std::uint32_t> simplified(std::vector<std::uint32_t> literals) const;

  private:
    std::size_t n_rows_, n_columns_;
    std::vector<std::size_t> feature_of_;             // index in features_, of each column
    std::vector<std::size_t> index_in_;               // of each literal, in its feature
    std::vector<Feature> features_, first_features_;  // the latter is empty if it would be the same
    std::vector<std::uint32_t> first_literals_;
};

// The rows of literals, which are computed when they are first asked for; for one thread.
class LiteralRows {
  public:
    explicit LiteralRows(const Table& table) : table_(table), rows_(table.n_literals()) {}
    const Words& of(std::uint32_t literal);
    // The rows where all literals are true; there is at least one.
    Words all(std::span<const std::uint32_t> literals);

  private:
    const Table& table_;
    std::vector<Words> rows_;
};

}  // namespace clausal::scorecard
