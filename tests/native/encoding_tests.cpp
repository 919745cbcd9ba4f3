// Encoded features beside bits set one by one.
#include "tests/native/encoding_tests.hpp"

#include <limits>
#include <vector>

#include "core/bits.hpp"
#include "core/cpu/encode.hpp"
#include "core/cpu/pack.hpp"
#include "core/random.hpp"

using namespace clausal;

// Every type and comparison, with missing values, against bits set one by one.
void test_encoding(const char* isa, const Expect& expect) {
    constexpr std::size_t n_rows = 131;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> numbers;
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = 0; i < n_rows * 10; ++i)
        bytes.push_back(static_cast<std::uint8_t>(draw(5, i) >> 63));
    for (std::size_t i = 0; i < n_rows; ++i)
        numbers.push_back(i % 7 == 0 ? nan : static_cast<double>(draw(9, i) % 50) / 2);
    std::vector<double> cuts;
    for (int cut = 0; cut < 70; ++cut) cuts.push_back(cut / 3.0);
    const double truth[] = {1.0};
    const auto* values = reinterpret_cast<const std::byte*>(numbers.data());
    std::vector<FeatureView> features{{values, 8, ValueType::f64, Comparison::at_most, cuts, true, true},
                                      {values, 8, ValueType::f64, Comparison::equal, cuts, false, true}};
    for (std::size_t f = 0; f < 10; ++f)
        features.push_back({reinterpret_cast<const std::byte*>(bytes.data()) + f, 10, ValueType::u8,
                            Comparison::truth, truth, false, false});
    const std::size_t n_columns = 2 * cuts.size() + 1 + 10;
    std::vector<std::uint8_t> bits;
    for (std::size_t r = 0; r < n_rows; ++r) {
        for (const double cut : cuts) bits.push_back(numbers[r] <= cut);
        bits.push_back(numbers[r] != numbers[r]);
        for (const double cut : cuts) bits.push_back(numbers[r] == cut);
        bits.insert(bits.end(), bytes.begin() + static_cast<std::ptrdiff_t>(10 * r),
                    bytes.begin() + static_cast<std::ptrdiff_t>(10 * r + 10));
    }
    std::vector<std::uint64_t> wanted(n_rows * words_per_row(n_columns)), got(wanted.size());
    const Kernels& kernels = *kernels_named(isa);
    pack_dense(bits, n_columns, wanted, kernels, {});
    const auto result = encode_features(features, {got, n_rows, n_columns, 0}, kernels, {.n_threads = 2});
    expect(result == Encoded::done && got == wanted, std::string(isa) + " encodes features");
    numbers.back() = std::numeric_limits<double>::infinity();
    expect(encode_features(features, {got, n_rows, n_columns, 0}, kernels, {}) == Encoded::declined,
           "infinity is declined");
}
