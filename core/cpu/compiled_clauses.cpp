// Blocks of rows through a compiled program: read and transpose, AND, count, unpack.
#include "core/cpu/compiled_clauses.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>

#include "core/bits.hpp"
#include "core/cpu/aligned.hpp"
#include "core/require.hpp"

namespace clausal {

namespace {

constexpr std::size_t kTileWords = 64 * kVectorWords;
constexpr std::size_t kMostJobs = 256;  // each has a workspace of its own

}  // namespace

// What one thread writes while it works.
struct CpuClauses::Workspace {
    explicit Workspace(const ClauseProgram& program)
        : vectors(program.n_vectors * kVectorWords),
          masks(kChunkClauses * kVectorWords),
          carries(program.n_carries * kVectorWords),
          planes(kTileWords),
          tiles(kTiles * kTileWords) {}

    AlignedVector<std::uint64_t> vectors;
    AlignedVector<std::uint64_t> masks;
    AlignedVector<std::uint64_t> carries;
    AlignedVector<std::uint64_t> planes;
    AlignedVector<std::uint64_t> tiles;
};

// Runs read(first_row, n_rows, workspace) and counts, block by block.
template <class Read>
bool CpuClauses::votes(std::size_t n_rows, std::span<std::int64_t> out, const Run& run,
                       const Read& read) const {
    const std::size_t n_blocks = (n_rows + kBlockRows - 1) / kBlockRows;
    const std::size_t n_jobs = std::min(n_blocks, kMostJobs);
    StopFlag stop(run.poll);
    run_jobs(n_jobs, run.n_threads, stop, [&](std::size_t job, bool on_caller) {
        Workspace work(program_);
        const std::size_t last = n_blocks * (job + 1) / n_jobs;
        for (std::size_t block = n_blocks * job / n_jobs; block < last; ++block) {
            const std::size_t first = block * kBlockRows;
            const std::size_t n = std::min(kBlockRows, n_rows - first);
            read(first, n, work);
            for (std::size_t b = 0; b < n_banks() && !(on_caller ? stop.check_now() : stop.stopped()); ++b) {
                count_bank(program_.banks[b], work);
                unpack(b, n, out.data() + first * n_banks(), work);
            }
        }
    });
    return !stop.stopped();
}

// Transposes tiles just read and keeps the columns in use.
void CpuClauses::keep_tiles(std::size_t first_tile, std::size_t n_tiles, Workspace& work) const {
    for (std::size_t t = 0; t < n_tiles; ++t) {
        const std::size_t first = 64 * (first_tile + t);
        const std::size_t n = std::min<std::size_t>(64, program_.n_columns - first);
        const auto slots = std::span(program_.column_slots).subspan(first, n);
        if (std::all_of(slots.begin(), slots.end(), [](std::uint32_t slot) { return slot == kNoSlot; }))
            continue;
        std::uint64_t* tile = work.tiles.data() + t * kTileWords;
        kernels_.prediction.transpose(tile);
        for (std::size_t c = 0; c < n; ++c)
            if (slots[c] != kNoSlot)
                std::copy_n(tile + c * kVectorWords, kVectorWords,
                            work.vectors.data() + slots[c] * kVectorWords);
    }
}

// The sums of one bank, in planes.
void CpuClauses::count_bank(const ClauseProgram::Bank& bank, Workspace& work) const {
    const ClauseProgram& p = program_;
    const auto run = [&](std::size_t first, std::size_t last, AlignedVector<std::uint64_t>& targets) {
        kernels_.prediction.run(p.steps.data() + first, last - first, p.operands.data(), work.vectors.data(),
                                targets.data());
    };
    std::fill(work.planes.begin(), work.planes.end(), 0);
    run(bank.first_shared, bank.last_shared, work.vectors);
    for (std::size_t c = bank.first_chunk; c < bank.last_chunk; ++c) {
        const ClauseProgram::Chunk& chunk = p.chunks[c];
        run(chunk.first_step, chunk.last_step, work.masks);
        kernels_.prediction.count(
            {p.masks.data(), p.digit_starts.data() + chunk.first_start, chunk.n_levels, bank.n_planes},
            work.masks.data(), work.carries.data(), work.planes.data());
    }
}

// Planes to the votes [n_rows, n_banks] of one bank.
void CpuClauses::unpack(std::size_t bank, std::size_t n_rows, std::int64_t* out, Workspace& work) const {
    std::uint64_t* planes = work.planes.data();
    kernels_.prediction.transpose(planes);  // now row 64 g + r is word g of vector r
    for (std::size_t row = 0; row < n_rows; ++row)
        out[row * n_banks() + bank] = static_cast<std::int64_t>(planes[row % 64 * kVectorWords + row / 64] -
                                                                program_.banks[bank].excess);
}

bool CpuClauses::votes_of_literals(std::span<const std::uint64_t> literals, std::span<std::int64_t> out,
                                   const Run& run) const {
    const std::size_t stride = words_per_row(n_columns());
    const std::size_t n_tiles = (n_columns() + 63) / 64;
    const std::size_t n_rows = n_banks() == 0 ? 0 : out.size() / n_banks();
    require(n_banks() == 0 || literals.size() == n_rows * stride, "literals and votes differ in rows");
    return votes(n_rows, out, run, [&](std::size_t first, std::size_t n, Workspace& work) {
        for (std::size_t t = 0; t < n_tiles; t += kTiles) {
            const std::size_t some = std::min(kTiles, n_tiles - t);
            std::fill_n(work.tiles.data(), some * kTileWords, 0);
            kernels_.prediction.read_words(literals.data() + first * stride + t, n, stride, some,
                                           work.tiles.data());
            keep_tiles(t, some, work);
        }
    });
}

bool CpuClauses::votes_of_bits(std::span<const std::uint8_t> bits, std::span<std::int64_t> out,
                               std::uint8_t& seen, const Run& run) const {
    const std::size_t n_tiles = (n_columns() + 63) / 64;
    const std::size_t n_rows = n_banks() == 0 ? 0 : out.size() / n_banks();
    require(n_banks() == 0 || bits.size() == n_rows * n_columns(), "bits and votes differ in rows");
    std::atomic<std::uint8_t> all{0};
    const bool finished = votes(n_rows, out, run, [&](std::size_t first, std::size_t n, Workspace& work) {
        std::uint8_t met = 0;
        for (std::size_t t = 0; t < n_tiles; t += kTiles) {
            const std::size_t some = std::min(kTiles, n_tiles - t);
            const std::size_t n_some = std::min(64 * some, n_columns() - 64 * t);
            std::fill_n(work.tiles.data(), some * kTileWords, 0);
            met |= kernels_.prediction.read_bytes(bits.data() + first * n_columns() + 64 * t, n, n_columns(),
                                                  n_some, work.tiles.data());
            keep_tiles(t, some, work);
        }
        all |= met;
    });
    seen = all;
    return finished;
}

template <class Index>
bool CpuClauses::votes_of_csr(std::span<const Index> row_starts, std::span<const Index> columns,
                              std::span<std::int64_t> out, const Run& run) const {
    require(!row_starts.empty() && out.size() == (row_starts.size() - 1) * n_banks(),
            "row starts and votes differ in rows");
    const auto n_entries = static_cast<Index>(columns.size());
    return votes(row_starts.size() - 1, out, run, [&](std::size_t first, std::size_t n, Workspace& work) {
        std::uint64_t* vectors = work.vectors.data();
        std::fill_n(vectors, program_.n_slots * kVectorWords, 0);
        for (std::size_t row = 0; row < n; ++row) {
            const Index begin = row_starts[first + row];
            const Index end = row_starts[first + row + 1];
            if (begin < 0 || end < begin || end > n_entries)
                throw std::invalid_argument("row " + std::to_string(first + row) +
                                            " of the sparse matrix has no valid extent");
            const std::uint64_t bit = std::uint64_t{1} << (row % 64);
            for (Index i = begin; i < end; ++i) {
                const Index column = columns[static_cast<std::size_t>(i)];
                if (column < 0 || static_cast<std::size_t>(column) >= n_columns())
                    throw std::invalid_argument("sparse column index " + std::to_string(column) +
                                                " is not below " + std::to_string(n_columns()));
                const std::uint32_t slot = program_.column_slots[static_cast<std::size_t>(column)];
                if (slot != kNoSlot) vectors[slot * kVectorWords + row / 64] |= bit;
            }
        }
    });
}

bool CpuClauses::votes_of_sparse(std::span<const std::int32_t> row_starts,
                                 std::span<const std::int32_t> columns, std::span<std::int64_t> out,
                                 const Run& run) const {
    return votes_of_csr(row_starts, columns, out, run);
}

bool CpuClauses::votes_of_sparse(std::span<const std::int64_t> row_starts,
                                 std::span<const std::int64_t> columns, std::span<std::int64_t> out,
                                 const Run& run) const {
    return votes_of_csr(row_starts, columns, out, run);
}

}  // namespace clausal
