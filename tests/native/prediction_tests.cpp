// Compiled clauses beside a loop over rows and literals, for many shapes, however the rows are given.
#include "tests/native/prediction_tests.hpp"

#include <stdexcept>
#include <vector>

#include "core/backend.hpp"
#include "core/cpu/pack.hpp"
#include "core/random.hpp"

using namespace clausal;

namespace {

struct Model {
    std::size_t n_banks, n_clauses, n_columns;
    std::vector<std::uint64_t> include;
    std::vector<std::int32_t> points;

    std::size_t n_words() const { return (2 * n_columns + 63) / 64; }
    bool includes(std::size_t clause, std::size_t literal) const {
        return include[clause * n_words() + literal / 64] >> (literal % 64) & 1u;
    }
};

// Clauses of 0 to 8 literals, the first of which many share; points of every size.
Model make_model(std::size_t n_banks, std::size_t n_clauses, std::size_t n_columns) {
    Model model{n_banks, n_clauses, n_columns, {}, {}};
    model.include.resize(n_banks * n_clauses * model.n_words());
    for (std::size_t j = 0; j < n_banks * n_clauses; ++j) {
        const std::uint64_t key = draw(31, j);
        for (std::size_t i = 0; i < key % 9; ++i) {
            const std::size_t literal = draw(i < 4 ? 7 : key, i) % (2 * n_columns);
            model.include[j * model.n_words() + literal / 64] |= std::uint64_t{1} << (literal % 64);
        }
        const std::uint64_t size = draw(key, 100u);
        model.points.push_back(size % 5 == 0   ? INT32_MAX
                               : size % 5 == 1 ? INT32_MIN
                                               : static_cast<std::int32_t>(size >> 32) >> (size % 32));
    }
    return model;
}

std::vector<std::int64_t> slow_votes(const Model& model, const std::vector<std::uint8_t>& bits) {
    const std::size_t n_rows = bits.size() / model.n_columns;
    std::vector<std::int64_t> votes(n_rows * model.n_banks);
    for (std::size_t row = 0; row < n_rows; ++row)
        for (std::size_t j = 0; j < model.points.size(); ++j) {
            bool fires = true;
            bool empty = true;
            for (std::size_t k = 0; k < 2 * model.n_columns; ++k) {
                if (!model.includes(j, k)) continue;
                empty = false;
                fires &= (bits[row * model.n_columns + k % model.n_columns] == 0) == (k >= model.n_columns);
            }
            if (fires && !empty) votes[row * model.n_banks + j / model.n_clauses] += model.points[j];
        }
    return votes;
}

void test_shape(const char* isa, const Model& model, std::size_t n_rows, const Expect& expect) {
    std::vector<std::uint8_t> bits(n_rows * model.n_columns);
    std::vector<std::uint64_t> literals(n_rows * model.n_words());
    std::vector<std::int32_t> starts{0};
    std::vector<std::int32_t> columns;
    for (std::size_t i = 0; i < bits.size(); ++i) {
        bits[i] = static_cast<std::uint8_t>(draw(5, i) >> 63);
        if (bits[i]) columns.push_back(static_cast<std::int32_t>(i % model.n_columns));
        if ((i + 1) % model.n_columns == 0) starts.push_back(static_cast<std::int32_t>(columns.size()));
    }
    const Backend& backend = backend_named(isa);
    pack_dense(bits, model.n_columns, literals, *kernels_named(isa), {});
    const auto clauses =
        backend.compile(clause_lists(model.include, model.points, model.n_banks, model.n_columns), {});
    const auto expected = slow_votes(model, bits);
    const std::string where = std::string(isa) + " votes on " + std::to_string(n_rows) + " rows of " +
                              std::to_string(model.n_columns) + " columns, ";
    for (const std::size_t n_threads : {1u, 3u}) {
        const Run run{.n_threads = n_threads};
        std::vector<std::int64_t> votes(expected.size(), -1);
        std::uint8_t seen = 0;
        expect(clauses->votes_of_literals(literals, votes, run) && votes == expected, where + "packed");
        votes.assign(votes.size(), -1);
        expect(clauses->votes_of_bits(bits, votes, seen, run) && votes == expected, where + "bytes");
        expect(seen == (columns.empty() ? 0 : 1), where + "all of them seen");
        votes.assign(votes.size(), -1);
        expect(clauses->votes_of_sparse(std::span<const std::int32_t>(starts), columns, votes, run) &&
                   votes == expected,
               where + "sparse");
    }
}

// Whether a literal of a patch is 1, from the pixels of its sample.
bool holds(const PatchView& view, const std::uint64_t* sample, std::size_t patch, std::size_t literal) {
    const std::size_t down = patch / view.patch_columns(), across = patch % view.patch_columns();
    const std::size_t column = literal % view.n_columns();
    bool is_true = false;
    if (column < view.n_pixel_columns()) {
        const std::size_t d = column % view.depth, x = column / view.depth % view.patch_width;
        const std::size_t y = column / view.depth / view.patch_width;
        const std::size_t pixel = (down * view.row_stride + y) * view.width + across * view.column_stride + x;
        const std::size_t bit = pixel * view.depth + d;
        is_true = sample[bit / 64] >> (bit % 64) & 1u;
    } else {
        const std::size_t place = column - view.n_pixel_columns(), n_rows = view.patch_rows() - 1;
        is_true = place < n_rows ? down <= place : across <= place - n_rows;
    }
    return is_true == (literal < view.n_columns());
}

void test_patches(const char* isa, const PatchView& view, const Expect& expect) {
    const Model model = make_model(2, 40, view.n_columns());
    const std::size_t n_rows = 70, n_words = view.n_words(), n_bits = view.height * view.width * view.depth;
    std::vector<std::uint64_t> samples(n_rows * n_words);
    for (std::size_t i = 0; i < n_rows * n_bits; ++i)
        samples[i / n_bits * n_words + i % n_bits / 64] |= draw(5, i) >> 63 << (i % n_bits % 64);
    std::vector<std::int64_t> expected(2 * n_rows), votes(2 * n_rows, -1);
    std::vector<std::uint8_t> fires(80 * n_rows), outputs(80 * n_rows, 7);
    for (std::size_t row = 0; row < n_rows; ++row)
        for (std::size_t j = 0; j < 80; ++j) {
            std::size_t n_literals = 0, n_satisfied = 0;
            for (std::size_t patch = 0; patch < view.n_patches() && n_satisfied == 0; ++patch) {
                bool all = true;
                n_literals = 0;
                for (std::size_t k = 0; k < 2 * view.n_columns(); ++k)
                    if (model.includes(j, k)) {
                        ++n_literals;
                        all &= holds(view, samples.data() + row * n_words, patch, k);
                    }
                n_satisfied += all;
            }
            fires[80 * row + j] = n_satisfied > 0 && n_literals > 0;
            if (fires[80 * row + j]) expected[2 * row + j / 40] += model.points[j];
        }
    const Backend& backend = backend_named(isa);
    const auto clauses =
        backend.compile(clause_lists(model.include, model.points, 2, view.n_columns()), view);
    const Run run{.n_threads = 2};
    expect(clauses->votes_of_literals(samples, votes, run) && votes == expected,
           std::string(isa) + " votes on samples with patches");
    expect(backend.clause_outputs(model.include, samples, model.n_words(), outputs, view, run) &&
               outputs == fires,
           std::string(isa) + " tells which clauses fire on samples with patches");
}

template <class Call>
void expect_error(const Expect& expect, const Call& call, const std::string& what) {
    try {
        call();
        expect(false, what);
    } catch (const std::invalid_argument&) {
        expect(true, what);
    }
}

}  // namespace

void test_prediction(const char* isa, const Expect& expect) {
    for (const std::size_t n_columns : {1u, 31u, 64u, 65u, 600u})
        for (const std::size_t n_rows : {0u, 1u, 511u, 512u, 513u, 1100u})
            test_shape(isa, make_model(2, 40, n_columns), n_rows, expect);
    test_shape(isa, make_model(1, 600, 70), 130, expect);
    test_shape(isa, make_model(1, 0, 3), 10, expect);

    for (const PatchView& view : {PatchView{5, 7, 1, 3, 2, 1, 1}, PatchView{9, 70, 3, 2, 33, 2, 3},
                                  PatchView{1, 900, 1, 1, 4, 1, 1}, PatchView{4, 4, 2, 4, 4, 1, 1}})
        test_patches(isa, view, expect);

    const Model model = make_model(2, 40, 33);
    std::vector<std::uint64_t> row(2, 0x0F0F0F0F0F0F0F0Fu);
    std::vector<std::uint8_t> outputs(80);
    expect(backend_named(isa).clause_outputs(model.include, row, 2, outputs, {}, {.n_threads = 2}),
           "outputs finish");
    bool right = true;
    for (std::size_t j = 0; j < 80; ++j) {
        const std::uint64_t* words = model.include.data() + 2 * j;
        const bool holds = (words[0] & ~row[0]) == 0 && (words[1] & ~row[1]) == 0;
        right &= outputs[j] == (holds && (words[0] | words[1]) != 0);
    }
    expect(right, std::string(isa) + " tells which clauses fire");
}

void test_prediction_bounds(const Expect& expect) {
    const Model model = make_model(1, 4, 5);
    const Backend& backend = backend_named("portable");
    const auto clauses = backend.compile(clause_lists(model.include, model.points, 1, 5), {});
    const Run run;
    std::vector<std::int64_t> votes(2);
    using Indices = std::vector<std::int64_t>;
    const auto sparse = [&](const Indices& starts, const Indices& columns) {
        clauses->votes_of_sparse(std::span<const std::int64_t>(starts), columns, votes, run);
    };
    expect_error(expect, [&] { sparse({0, 1, 9}, {3, 3}); }, "an extent beyond its data is refused");
    expect_error(expect, [&] { sparse({0, 1, 0}, {3, 3}); }, "an extent that runs back is refused");
    expect_error(expect, [&] { sparse({0, 1, 2}, {3, 5}); }, "a column beyond the last is refused");
    expect_error(expect, [&] { sparse({0, 1, 2}, {3, -1}); }, "a negative column is refused");
    ClauseLists lists;
    lists.n_columns = 5;
    lists.n_banks = 1;
    lists.starts = {0, 1};
    lists.literals = {10};
    lists.banks = {0};
    lists.points = {1};
    expect_error(expect, [&] { backend.compile(lists, {}); }, "a literal beyond the last is refused");
    const Poll always = [] { return true; };
    const Indices starts{0, 0, 0}, none;
    expect(!clauses->votes_of_sparse(std::span<const std::int64_t>(starts), none, votes, {2, always}),
           "a poll stops prediction");
}
