// Tables to literals: boolean rows are packed, features of any width of number are encoded.
// Not here: what a table is and which errors it may have (Python), the bits themselves (core).
#include "bindings/tables.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <vector>

#include "core/bits.hpp"
#include "core/cpu/encode.hpp"
#include "core/cpu/kernels/kernels.hpp"
#include "core/cpu/pack.hpp"

namespace clausal::bindings {
namespace {

using namespace nb::literals;

using Values = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;  // of any type and stride
using Words = nb::ndarray<std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

const Kernels& kernels_or_throw(const std::string& isa) {
    const Kernels* table = kernels_named(isa.c_str());
    if (table == nullptr) throw std::invalid_argument("instruction set '" + isa + "' cannot run here");
    return *table;
}

Out<std::uint64_t, 2> pack(In<std::uint8_t, 2> bits, std::size_t n_threads, const std::string& isa) {
    require_at_most("the columns of a row", bits.shape(1), kMostColumns);
    const std::size_t n_words = words_per_row(bits.shape(1));
    const std::size_t size = checked_product(bits.shape(0), n_words);
    auto out = std::make_unique_for_overwrite<std::uint64_t[]>(size);
    bool finished = false;
    const Run run{.n_threads = n_threads, .poll = signal_poll()};
    {
        const GilRelease release;
        finished = pack_dense(view(bits), bits.shape(1), {out.get(), size}, kernels_or_throw(isa), run);
    }
    if (!finished) throw nb::python_error();
    return owned<std::uint64_t, 2>(std::move(out), {bits.shape(0), n_words});
}

Out<std::uint64_t, 2> pack_csr(In<std::int64_t, 1> row_starts, In<std::int64_t, 1> columns,
                               std::size_t n_columns, std::size_t n_threads) {
    if (row_starts.shape(0) == 0)
        throw std::invalid_argument("row_starts must hold at least one value. Got none.");
    require_at_most("the number of columns", n_columns, kMostColumns);
    const std::size_t n_rows = row_starts.shape(0) - 1;
    const std::size_t size = checked_product(n_rows, words_per_row(n_columns));
    auto out = std::make_unique_for_overwrite<std::uint64_t[]>(size);
    bool finished = false;
    const Run run{.n_threads = n_threads, .poll = signal_poll()};
    {
        const GilRelease release;
        finished = pack_sparse(view(row_starts), view(columns), n_columns, {out.get(), size}, run);
    }
    if (!finished) throw nb::python_error();
    return owned<std::uint64_t, 2>(std::move(out), {n_rows, words_per_row(n_columns)});
}

std::optional<ValueType> value_type(nb::dlpack::dtype type) {
    const auto code = static_cast<nb::dlpack::dtype_code>(type.code);
    using Code = nb::dlpack::dtype_code;
    if (code == Code::Bool && type.bits == 8) return ValueType::u8;
    if (code == Code::Float && type.bits == 64) return ValueType::f64;
    if (code == Code::Float && type.bits == 32) return ValueType::f32;
    if (code != Code::Int && code != Code::UInt) return std::nullopt;
    const bool is_signed = code == Code::Int;
    switch (type.bits) {
        case 64:
            return is_signed ? ValueType::i64 : ValueType::u64;
        case 32:
            return is_signed ? ValueType::i32 : ValueType::u32;
        case 16:
            return is_signed ? ValueType::i16 : ValueType::u16;
        case 8:
            return is_signed ? ValueType::i8 : ValueType::u8;
        default:
            return std::nullopt;
    }
}

// What the features are compared with, flat: feature i has marks[starts[i]] to marks[starts[i + 1] - 1].
struct Comparisons {
    In<std::int32_t, 1> kinds;
    In<double, 1> marks;
    In<std::int64_t, 1> starts;
    In<bool, 1> nullable;
    In<bool, 1> missing_allowed;

    Comparisons(In<std::int32_t, 1> kinds_, In<double, 1> marks_, In<std::int64_t, 1> starts_,
                In<bool, 1> nullable_, In<bool, 1> missing_allowed_)
        : kinds(kinds_),
          marks(marks_),
          starts(starts_),
          nullable(nullable_),
          missing_allowed(missing_allowed_) {}

    // Looks at every array, so that none is out of line later.
    void check(std::size_t n_features) const {
        view(kinds), view(marks), view(starts), view(nullable), view(missing_allowed);
        require_size("the kinds of comparisons", kinds.size(), n_features);
        require_size("the starts of marks", starts.size(), n_features + 1);
        require_size("the nullable flags", nullable.size(), n_features);
        require_size("the missing_allowed flags", missing_allowed.size(), n_features);
        const auto n_marks = static_cast<std::int64_t>(marks.size());
        for (std::size_t i = 0; i < n_features; ++i) {
            if (starts(i) < 0 || starts(i + 1) < starts(i) || starts(i + 1) > n_marks)
                throw std::invalid_argument("feature " + std::to_string(i) + " has no valid extent of marks");
            if (kinds(i) < 0 || kinds(i) > static_cast<int>(Comparison::truth))
                throw std::invalid_argument("the kind of comparison must be 0, 1 or 2. Got " +
                                            std::to_string(kinds(i)) + ".");
        }
    }

    FeatureView feature(std::size_t i, const Values& values) const {
        const std::optional<ValueType> type = value_type(values.dtype());
        if (!type) throw std::invalid_argument("feature " + std::to_string(i) + " has no type of number");
        const auto size = static_cast<std::ptrdiff_t>(values.itemsize());
        const auto first = static_cast<std::size_t>(starts(i)),
                   last = static_cast<std::size_t>(starts(i + 1));
        return {static_cast<const std::byte*>(values.data()),
                values.stride(0) * size,
                *type,
                static_cast<Comparison>(kinds(i)),
                view(marks).subspan(first, last - first),
                nullable(i),
                missing_allowed(i)};
    }
};

// False where a value cannot be encoded.
bool encode(const std::vector<Values>& values, const Comparisons& comparisons, Words literals,
            std::size_t n_columns, std::size_t first_column, std::size_t n_threads, const std::string& isa) {
    const Kernels& kernels = kernels_or_throw(isa);
    comparisons.check(values.size());
    require_at_most("the number of columns", n_columns, kMostColumns);
    require_at_most("the first column", first_column, n_columns);
    require_size("the words of a literal row", literals.shape(1), words_per_row(n_columns));
    std::vector<FeatureView> features;
    std::size_t last_column = first_column;
    for (std::size_t i = 0; i < values.size(); ++i) {
        require_size("the rows of a feature", values[i].shape(0), literals.shape(0));
        features.push_back(comparisons.feature(i, values[i]));
        last_column += features.back().n_columns();
    }
    if (last_column > n_columns)
        throw std::invalid_argument("the features must make at most " + std::to_string(n_columns) +
                                    " columns. Got " + std::to_string(last_column) + ".");
    const auto words = view(literals);
    Encoded result = Encoded::stopped;
    const Run run{.n_threads = n_threads, .poll = signal_poll()};
    {
        const GilRelease release;
        result = encode_features(features,
                                 {{words.data(), words.size()}, literals.shape(0), n_columns, first_column},
                                 kernels, run);
    }
    if (result == Encoded::stopped) throw nb::python_error();
    return result == Encoded::done;
}

}  // namespace

void bind_tables(nb::module_& m) {
    nb::class_<Comparisons>(m, "Comparisons")
        .def(nb::init<In<std::int32_t, 1>, In<double, 1>, In<std::int64_t, 1>, In<bool, 1>, In<bool, 1>>(),
             nb::arg("kinds").noconvert(), nb::arg("marks").noconvert(), nb::arg("starts").noconvert(),
             nb::arg("nullable").noconvert(), nb::arg("missing_allowed").noconvert());
    m.def("pack", &pack, nb::arg("bits").noconvert(), "n_threads"_a, "isa"_a);
    m.def("pack_csr", &pack_csr, nb::arg("row_starts").noconvert(), nb::arg("columns").noconvert(),
          "n_columns"_a, "n_threads"_a);
    m.def("encode", &encode, "values"_a, "comparisons"_a, nb::arg("literals").noconvert(), "n_columns"_a,
          "first_column"_a, "n_threads"_a, "isa"_a);
}

}  // namespace clausal::bindings
