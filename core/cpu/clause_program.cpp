// Compiling: which clauses can vote, what they share, in which order they are computed and counted.
#include "core/cpu/clause_program.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "core/require.hpp"

namespace clausal {

namespace {

constexpr std::size_t kStorePrice = 3;  // literals that may be read in the time one vector is kept and reread

// A clause of one bank: literals in the bank's order, and what it votes.
struct Clause {
    std::vector<std::uint32_t> literals;
    std::int64_t points;
};

// An AND still to be laid out: of a shared beginning (or none) and the literals from `depth` on.
struct Part {
    std::uint32_t beginning;  // place of a vector, or kNoSlot
    std::span<const std::uint32_t> literals;
    std::int64_t points = 0;
    std::pair<std::size_t, std::size_t> groups{};  // of operands, as they are and negated
};

// Sorted clauses from first to last - 1, which agree in their first `depth` literals. The first `known` of
// these are in the vector at `beginning`.
struct Alike {
    std::size_t first, last;
    std::size_t depth;
    std::size_t known;
    std::uint32_t beginning;
};

// The literals in order, each once; none where the clause can never hold.
std::vector<std::uint32_t> distinct_literals(std::span<const std::uint32_t> given, std::size_t n_columns) {
    std::vector<std::uint32_t> literals(given.begin(), given.end());
    if (!std::is_sorted(literals.begin(), literals.end())) std::sort(literals.begin(), literals.end());
    literals.erase(std::unique(literals.begin(), literals.end()), literals.end());
    const auto negated = std::lower_bound(literals.begin(), literals.end(), n_columns);
    for (auto own = literals.begin(), other = negated; own != negated && other != literals.end();) {
        if (*own + n_columns == *other) return {};
        *own + n_columns < *other ? ++own : ++other;
    }
    return literals;
}

// The clauses of each bank that can vote.
std::vector<std::vector<Clause>> live_clauses(const ClauseLists& clauses) {
    std::vector<std::vector<Clause>> banks(clauses.n_banks);
    for (std::size_t j = 0; j < clauses.points.size(); ++j) {
        if (clauses.points[j] == 0) continue;
        const auto given =
            std::span(clauses.literals).subspan(clauses.starts[j], clauses.starts[j + 1] - clauses.starts[j]);
        auto literals = distinct_literals(given, clauses.n_columns);
        if (!literals.empty()) banks[clauses.banks[j]].push_back({std::move(literals), clauses.points[j]});
    }
    return banks;
}

// Puts the literals of each clause in order: those in most clauses first.
void order_literals(std::vector<Clause>& clauses, std::size_t n_literals) {
    std::vector<std::size_t> ends(n_literals + 1);  // of each literal's clauses in `users`
    for (const Clause& clause : clauses)
        for (const std::uint32_t literal : clause.literals) ++ends[literal + 1];
    std::vector<std::uint32_t> order(n_literals);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&ends](std::uint32_t a, std::uint32_t b) { return ends[a + 1] > ends[b + 1]; });
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    std::vector<std::size_t> next(ends.begin(), ends.end() - 1);
    std::vector<std::size_t> users(ends.back());
    for (std::size_t j = 0; j < clauses.size(); ++j)
        for (const std::uint32_t literal : clauses[j].literals) users[next[literal]++] = j;
    std::vector<std::size_t> filled(clauses.size());
    for (const std::uint32_t literal : order)
        for (std::size_t i = ends[literal]; i < ends[literal + 1]; ++i)
            clauses[users[i]].literals[filled[users[i]]++] = literal;
}

// Sorts clauses so that those that begin alike are neighbours; equal ones become one.
void arrange(std::vector<Clause>& clauses, std::size_t n_literals) {
    order_literals(clauses, n_literals);
    std::sort(clauses.begin(), clauses.end(),
              [](const Clause& a, const Clause& b) { return a.literals < b.literals; });
    std::size_t n_kept = 0;
    for (Clause& clause : clauses) {
        if (n_kept > 0 && clauses[n_kept - 1].literals == clause.literals)
            clauses[n_kept - 1].points += clause.points;
        else
            std::swap(clauses[n_kept++], clause);
    }
    clauses.resize(n_kept);
    std::erase_if(clauses, [](const Clause& clause) { return clause.points == 0; });
}

class Compiler {
  public:
    explicit Compiler(const ClauseLists& clauses) : n_columns_(clauses.n_columns) {
        auto banks = live_clauses(clauses);
        give_slots(banks);
        for (auto& bank : banks) {
            arrange(bank, 2 * n_columns_);
            add_bank(bank);
        }
        program.n_vectors = program.n_slots + most_shared_;
    }

    ClauseProgram program;

  private:
    void give_slots(const std::vector<std::vector<Clause>>& banks) {
        program.n_columns = n_columns_;
        program.column_slots.assign(n_columns_, kNoSlot);
        for (const auto& bank : banks)
            for (const Clause& clause : bank)
                for (const std::uint32_t literal : clause.literals)
                    program.column_slots[column_of(literal)] = 0;
        for (std::uint32_t& slot : program.column_slots)
            if (slot == 0) slot = static_cast<std::uint32_t>(program.n_slots++);
    }

    void add_bank(const std::vector<Clause>& clauses) {
        ClauseProgram::Bank bank{};
        n_shared_ = 0;
        bank.first_shared = program.steps.size();
        std::vector<Part> parts = share(clauses);
        bank.last_shared = program.steps.size();
        most_shared_ = std::max(most_shared_, n_shared_);
        for (Part& part : parts) part.groups = groups_of(part);
        // Clauses of one shape side by side: the processor then foresees where their loops end.
        std::stable_sort(parts.begin(), parts.end(),
                         [](const Part& a, const Part& b) { return a.groups < b.groups; });
        bank.first_chunk = program.chunks.size();
        std::uint64_t most = 0;  // the largest sum, or all bits set where 64 do not hold it
        for (std::size_t first = 0; first < parts.size(); first += kChunkClauses)
            add_chunk(std::span(parts).subspan(first, std::min(kChunkClauses, parts.size() - first)), bank,
                      most);
        bank.last_chunk = program.chunks.size();
        bank.n_planes = static_cast<unsigned>(std::bit_width(most));
        program.banks.push_back(bank);
    }

    // Walks the tree of beginnings. One that enough clauses (or longer beginnings) go on from gets a vector
    // of its own; the others are read literal by literal.
    std::vector<Part> share(const std::vector<Clause>& clauses) {
        std::vector<Part> parts;
        std::vector<Alike> open{{0, clauses.size(), 0, 0, kNoSlot}};
        while (!open.empty()) {
            const Alike all = open.back();
            open.pop_back();
            for (std::size_t first = all.first; first < all.last;) {
                const std::size_t last = end_of_branch(clauses, first, all);
                if (last == first + 1)
                    parts.push_back({all.beginning, std::span(clauses[first].literals).subspan(all.known),
                                     clauses[first].points});
                else
                    open.push_back(branch(clauses, first, last, all));
                first = last;
            }
        }
        return parts;
    }

    // Where the clauses end that go on like the first one. One that ends here comes before all longer ones.
    static std::size_t end_of_branch(const std::vector<Clause>& clauses, std::size_t first,
                                     const Alike& all) {
        const auto& literals = clauses[first].literals;
        std::size_t last = first + 1;
        if (literals.size() == all.depth) return last;
        while (last < all.last && clauses[last].literals[all.depth] == literals[all.depth]) ++last;
        return last;
    }

    Alike branch(const std::vector<Clause>& clauses, std::size_t first, std::size_t last, const Alike& all) {
        const auto& literals = clauses[first].literals;
        const auto& other = clauses[last - 1].literals;  // sorted: what these two share, all share
        const auto differ = std::mismatch(literals.begin(), literals.end(), other.begin(), other.end());
        const auto depth = static_cast<std::size_t>(differ.first - literals.begin());
        Alike inner{first, last, depth, all.known, all.beginning};
        const std::size_t length = depth - all.known;
        if (length * (n_branches(clauses, first, last, depth) - 1) > kStorePrice) {
            inner.known = depth;
            inner.beginning = place_of(program.n_slots + n_shared_++);
            add_step({all.beginning, std::span(literals).subspan(all.known, length)}, inner.beginning);
        }
        return inner;
    }

    // In how many ways sorted clauses go on after `depth` literals.
    static std::size_t n_branches(const std::vector<Clause>& clauses, std::size_t first, std::size_t last,
                                  std::size_t depth) {
        std::size_t n = 1;
        for (std::size_t j = first + 1; j < last; ++j) {
            const auto& before = clauses[j - 1].literals;
            n += before.size() == depth || before[depth] != clauses[j].literals[depth];
        }
        return n;
    }

    std::size_t column_of(std::uint32_t literal) const {
        return literal < n_columns_ ? literal : literal - n_columns_;
    }

    std::size_t n_positive(const Part& part) const {
        const auto own = std::count_if(part.literals.begin(), part.literals.end(),
                                       [this](std::uint32_t literal) { return literal < n_columns_; });
        return static_cast<std::size_t>(own) + (part.beginning != kNoSlot);
    }

    std::pair<std::size_t, std::size_t> groups_of(const Part& part) const {
        const std::size_t positive = n_positive(part);
        const std::size_t all = part.literals.size() + (part.beginning != kNoSlot);
        return {(positive + kGroup - 1) / kGroup, (all - positive + kGroup - 1) / kGroup};
    }

    void add_step(const Part& part, std::uint32_t target) {
        const auto [positive, negative] = groups_of(part);
        const std::size_t first = program.operands.size();
        if (first > kNoSlot / 2) throw std::length_error("the clauses have too many literals to be compiled");
        program.steps.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(positive),
                                 static_cast<std::uint32_t>(negative), target});
        if (part.beginning != kNoSlot) program.operands.push_back(part.beginning);
        for (const bool negated : {false, true}) {
            for (const std::uint32_t literal : part.literals)
                if ((literal >= n_columns_) == negated)
                    program.operands.push_back(place_of(program.column_slots[column_of(literal)]));
            const std::size_t end = first + kGroup * (negated ? positive + negative : positive);
            if (end > program.operands.size()) program.operands.resize(end, program.operands.back());
        }
    }

    void add_chunk(std::span<const Part> parts, ClauseProgram::Bank& bank, std::uint64_t& most) {
        ClauseProgram::Chunk chunk{};
        chunk.first_step = program.steps.size();
        std::vector<std::uint32_t> levels[2 * kVotePlanes];  // masks as they are and complemented, by level
        for (std::size_t j = 0; j < parts.size(); ++j) {
            add_step(parts[j], place_of(j));
            add_digits(parts[j].points, place_of(j), levels);
        }
        chunk.last_step = program.steps.size();
        chunk.first_start = program.digit_starts.size();
        std::size_t n_carries = 0;
        for (unsigned level = 0; level < kVotePlanes; ++level) {
            const std::size_t plain = levels[2 * level].size();
            const std::size_t complemented = levels[2 * level + 1].size();
            if (plain + complemented > 0) chunk.n_levels = level + 1;
            most = add_capped(most, plain + complemented, level);
            bank.excess += std::uint64_t{complemented} << level;
            n_carries = (n_carries + 1) / 2 + (plain + 1) / 2 + (complemented + 1) / 2;
            program.n_carries = std::max(program.n_carries, n_carries);
        }
        for (unsigned list = 0; list < 2 * chunk.n_levels; ++list) {
            program.digit_starts.push_back(static_cast<std::uint32_t>(program.masks.size()));
            program.masks.insert(program.masks.end(), levels[list].begin(), levels[list].end());
        }
        program.digit_starts.push_back(static_cast<std::uint32_t>(program.masks.size()));
        program.chunks.push_back(chunk);
    }

    // sum + n 2^level, or the largest number where that is beyond it.
    static std::uint64_t add_capped(std::uint64_t sum, std::uint64_t n, unsigned level) {
        constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
        return n > (kLargest - sum) >> level ? kLargest : sum + (n << level);
    }

    // Points as a sum of few signed powers of two, no two of them neighbours. A digit is chosen so that the
    // rest is a multiple of four:
    //
    //   points        1 = 001      3 = 011       7 = 0111
    //   last two bits      01           11             11
    //   digit              +1           -1             -1
    //   digits             1         4 - 1          8 - 1
    static void add_digits(std::int64_t points, std::uint32_t mask, std::vector<std::uint32_t>* levels) {
        for (unsigned level = 0; points != 0; ++level, points /= 2) {
            if (points % 2 == 0) continue;
            const std::int64_t digit = (points & 3) == 1 ? 1 : -1;
            levels[2 * level + (digit < 0)].push_back(mask);
            points -= digit;
        }
    }

    static std::uint32_t place_of(std::size_t vector) {
        if (vector >= kNoSlot / kVectorWords)
            throw std::length_error("the clauses share too much to be compiled");
        return static_cast<std::uint32_t>(vector * kVectorWords);
    }

    std::size_t n_columns_;
    std::size_t n_shared_ = 0;
    std::size_t most_shared_ = 0;
};

}  // namespace

ClauseProgram compile(const ClauseLists& clauses) {
    require_below("the number of columns", clauses.n_columns, kNoSlot / (2 * kVectorWords));
    check(clauses);
    return Compiler(clauses).program;
}

}  // namespace clausal
