// Compiled clauses: made once from a finished model or from rules, then asked for votes. Sizes are checked
// here, naming both; the GIL is released, Ctrl-C is answered. Not here: any computing (core).
#include "bindings/compiled_clauses.hpp"

#include <nanobind/stl/string.h>

#include "bindings/arrays.hpp"
#include "bindings/config.hpp"
#include "core/backend.hpp"
#include "core/bits.hpp"

namespace clausal::bindings {
namespace {

using namespace nb::literals;

// What Python holds: the clauses as their backend has compiled them.
struct Compiled {
    std::unique_ptr<CompiledClauses> clauses;
};

// The patches of samples, where there are any: None for a table.
PatchView read_view(nb::handle view, std::size_t n_literals) {
    if (view.is_none()) return {};
    const auto patches = read_fields<PatchView>(view);
    check(patches, n_literals);
    return patches;
}

void make_from_words(Compiled* self, In<std::uint64_t, 3> include, In<std::int32_t, 2> points,
                     std::size_t n_columns, const std::string& backend, nb::handle view) {
    require_at_most("the number of columns", n_columns, kMostColumns);
    require_size("the banks of the points", points.shape(0), include.shape(0));
    require_size("the clauses of the points", points.shape(1), include.shape(1));
    require_size("the words of a clause", include.shape(2), words_per_row(n_columns));
    const auto words = bindings::view(include);
    const auto votes = bindings::view(points);
    const PatchView patches = read_view(view, 2 * n_columns);
    const GilRelease release;
    const ClauseLists clauses = clause_lists(words, votes, include.shape(0), n_columns);
    new (self) Compiled{backend_named(backend).compile(clauses, patches)};
}

Compiled make_from_lists(In<std::int64_t, 1> starts, In<std::uint32_t, 1> literals,
                         In<std::uint32_t, 1> banks, In<std::int64_t, 1> points, std::size_t n_banks,
                         std::size_t n_columns, const std::string& backend) {
    const std::size_t n_clauses = points.shape(0);
    require_at_most("the number of columns", n_columns, kMostColumns);
    require_at_most("the number of banks", n_banks, kMostColumns);
    require_size("the number of clause starts", starts.shape(0), n_clauses + 1);
    require_size("the number of banks named", banks.shape(0), n_clauses);
    ClauseLists clauses;
    clauses.n_columns = n_columns;
    clauses.n_banks = n_banks;
    clauses.starts.clear();
    std::int64_t before = 0;
    for (const std::int64_t start : view(starts)) {
        if (start < before || start > static_cast<std::int64_t>(literals.shape(0)))
            throw std::invalid_argument("a clause start must be from " + std::to_string(before) + " to " +
                                        std::to_string(literals.shape(0)) + ". Got " + std::to_string(start) +
                                        ".");
        clauses.starts.push_back(static_cast<std::size_t>(start));
        before = start;
    }
    const auto copy = [](const auto& array, auto& out) {
        const auto values = view(array);
        out.assign(values.begin(), values.end());
    };
    copy(literals, clauses.literals);
    copy(banks, clauses.banks);
    copy(points, clauses.points);
    const GilRelease release;
    return {backend_named(backend).compile(clauses, {})};
}

// Calls compute(votes, run) without the GIL and returns the votes [n_rows, n_banks].
template <class Compute>
Out<std::int64_t, 2> compute_votes(const Compiled& self, std::size_t n_rows, std::size_t n_threads,
                                   const Compute& compute) {
    const std::size_t n_banks = self.clauses->n_banks();
    const std::size_t size = checked_product(n_rows, n_banks);
    auto out = std::make_unique_for_overwrite<std::int64_t[]>(size);
    bool finished = false;
    const Run run{.n_threads = n_threads, .poll = signal_poll()};
    {
        const GilRelease release;
        finished = compute(std::span(out.get(), size), run);
    }
    if (!finished) throw nb::python_error();
    return owned<std::int64_t, 2>(std::move(out), {n_rows, n_banks});
}

Out<std::int64_t, 2> votes_of_literals(const Compiled& self, In<std::uint64_t, 2> literals,
                                       std::size_t n_threads) {
    require_size("the words of a literal row", literals.shape(1), self.clauses->row_words());
    return compute_votes(self, literals.shape(0), n_threads, [&](auto votes, const Run& run) {
        return self.clauses->votes_of_literals(view(literals), votes, run);
    });
}

nb::object votes_of_bits(const Compiled& self, In<std::uint8_t, 2> bits, std::size_t n_threads) {
    require_size("the columns of a row", bits.shape(1), self.clauses->n_columns());
    std::uint8_t seen = 0;
    auto votes = compute_votes(self, bits.shape(0), n_threads, [&](auto out, const Run& run) {
        return self.clauses->votes_of_bits(view(bits), out, seen, run);
    });
    return seen > 1 ? nb::none() : nb::cast(votes);
}

template <class Index>
Out<std::int64_t, 2> votes_of_sparse(const Compiled& self, In<Index, 1> row_starts, In<Index, 1> columns,
                                     std::size_t n_threads) {
    if (row_starts.shape(0) == 0)
        throw std::invalid_argument("row_starts must hold at least one value. Got none.");
    return compute_votes(self, row_starts.shape(0) - 1, n_threads, [&](auto votes, const Run& run) {
        return self.clauses->votes_of_sparse(view(row_starts), view(columns), votes, run);
    });
}

Out<std::uint8_t, 2> clause_outputs(In<std::uint64_t, 3> include, In<std::uint64_t, 2> literals,
                                    std::size_t n_threads, const std::string& backend, nb::handle view) {
    PatchView patches;
    if (!view.is_none()) {
        patches = read_fields<PatchView>(view);
        check(patches, 2 * patches.n_columns());
        require_size("the words of a clause", include.shape(2), words_per_row(patches.n_columns()));
    }
    const std::size_t row_words = patches.has_patches() ? patches.n_words() : include.shape(2);
    require_size("the words of a literal row", literals.shape(1), row_words);
    const std::size_t n = checked_product(include.shape(0), include.shape(1));
    const std::size_t size = checked_product(literals.shape(0), n);
    auto out = std::make_unique<std::uint8_t[]>(size);
    bool finished = false;
    const Run run{.n_threads = n_threads, .poll = signal_poll()};
    {
        const GilRelease release;
        finished = backend_named(backend).clause_outputs(bindings::view(include), bindings::view(literals),
                                                         include.shape(2), {out.get(), size}, patches, run);
    }
    if (!finished) throw nb::python_error();
    return owned<std::uint8_t, 2>(std::move(out), {literals.shape(0), n});
}

}  // namespace

void bind_compiled_clauses(nb::module_& m) {
    nb::class_<Compiled>(m, "CompiledClauses")
        .def("__init__", &make_from_words, nb::arg("include").noconvert(), nb::arg("points").noconvert(),
             "n_columns"_a, "backend"_a, "view"_a.none())
        .def_static("from_lists", &make_from_lists, nb::arg("starts").noconvert(),
                    nb::arg("literals").noconvert(), nb::arg("banks").noconvert(),
                    nb::arg("points").noconvert(), "n_banks"_a, "n_columns"_a, "backend"_a)
        .def_prop_ro("n_operands", [](const Compiled& self) { return self.clauses->n_operands(); })
        .def("votes_of_literals", &votes_of_literals, nb::arg("literals").noconvert(), "n_threads"_a)
        .def("votes_of_bits", &votes_of_bits, nb::arg("bits").noconvert(), "n_threads"_a)
        .def("votes_of_sparse", &votes_of_sparse<std::int32_t>, nb::arg("row_starts").noconvert(),
             nb::arg("columns").noconvert(), "n_threads"_a)
        .def("votes_of_sparse", &votes_of_sparse<std::int64_t>, nb::arg("row_starts").noconvert(),
             nb::arg("columns").noconvert(), "n_threads"_a);
    m.def("clause_outputs", &clause_outputs, nb::arg("include").noconvert(), nb::arg("literals").noconvert(),
          "n_threads"_a, "backend"_a, "view"_a.none());
}

}  // namespace clausal::bindings
