// Kernel: every team trains on a share of its turns, one after the other, without the host.
// The keys of steps are computed for many turns at once, samples are read one turn ahead.
#include "core/cuda/bank.cuh"
#include "core/cuda/shared_memory.cuh"

namespace clausal {

__device__ Step make_step(const Team& team, const Turn& turn, unsigned bank, std::int64_t label) {
    const std::uint64_t index = team.first_step + turn.visit;
    const auto key = [&](Purpose purpose) { return draw(draw(draw(team.seed, purpose), index), bank); };
    Step step{};
    step.select = key(Purpose::kSelect);
    step.automata = key(Purpose::kAutomata);
    if (kTabled) step.table = key(Purpose::kTable);
    if (HAS_PATCHES) step.patch = key(Purpose::kPatch);
    step.index = index;
    step.row = turn.row;
    step.bank = bank;
    step.goal = label;
    if (NUMBERS)
        step.goal = rounded_target(label, team.threshold, draw(draw(team.seed, Purpose::kRound), index));
    return step;
}

__device__ const std::uint64_t* sample(const Team& team, const Step& step) {
    return team.literals + std::uint64_t{step.row} * SAMPLE_WORDS;
}

// Focused negatives: the bank to train beside that of the label, drawn in proportion to its update
// probability; N_BANKS where every other bank is already as sure as can be. Leaves in own_vote the vote of
// the label's bank.
__device__ unsigned focused_negative(Bank& bank, const Team& team, const Step& step, const std::uint64_t* x,
                                     std::int64_t* votes) {
    std::uint64_t total = 0;
    for (unsigned b = 0; b < N_BANKS; ++b) {
        const unsigned set = SHARED_CLAUSES ? 0 : b;
        const Sum sum = SHARED_CLAUSES && b > 0 ? bank.vote_of(set, b) : bank.evaluate(set, b, x);
        votes[b] = bank.team_vote(sum, [] {});
        sync_block();
        if (b != step.bank) total += static_cast<std::uint64_t>(team.threshold + votes[b]);
    }
    std::uint64_t pick = multiply_high(draw(draw(team.seed, Purpose::kNegative), step.index), total);
    for (unsigned b = 0; b < N_BANKS; ++b) {
        const std::uint64_t share =
            b == step.bank ? 0 : static_cast<std::uint64_t>(team.threshold + votes[b]);
        if (pick < share) return b;
        pick -= share;
    }
    return N_BANKS;
}

__device__ void visit_focused(Bank& bank, const Team& team, const Step& step, const std::uint64_t* x) {
    std::int64_t votes[N_BANKS];
    const unsigned negative = focused_negative(bank, team, step, x, votes);
    for (unsigned t = 0; t < 2; ++t) {
        const unsigned b = t == 0 ? step.bank : negative;
        if (b == N_BANKS) return;
        const unsigned set = SHARED_CLAUSES ? 0 : b;
        const Turn turn{step.row, static_cast<std::uint32_t>(step.index - team.first_step), b, t == 0};
        const Step own = make_step(team, turn, b, t == 0);
        // Shared clauses are evaluated as each of the two steps finds them.
        std::int64_t vote = votes[b];
        if constexpr (SHARED_CLAUSES) vote = bank.team_vote(bank.evaluate(set, b, x), [] {});
        bank.prepare(own);
        bank.empty_lists();
        sync_block();
        bank.learn(own, set, x, vote);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    train(const Team* teams, unsigned part, unsigned n_parts) {
    unsigned char* memory = shared_memory();
    Shared& s = *reinterpret_cast<Shared*>(memory);
    static_assert(sizeof(Shared) <= SHARED_BYTES, "engine/cuda/layout.py leaves too little room");
    auto* planes = reinterpret_cast<std::uint64_t*>(memory + SHARED_BYTES);
    if (threadIdx.x == 0) {
        s.team = teams[blockIdx.x / BLOCKS];
        s.twice_threshold = {2 * s.team.threshold, 4294967296.0 / static_cast<double>(2 * s.team.threshold)};
        s.sums[0] = {};
        if (BLOCKS > 1) s.mail.open();
    }
    sync_block();
    sync_cluster();
    const Team& team = s.team;
    const std::uint64_t n_turns = *team.n_turns;
    const std::uint64_t first = n_turns * part / n_parts, last = n_turns * (part + 1) / n_parts;
    Bank bank(s, planes);
    bank.load(part > 0);
    std::uint64_t dropped_in = ~std::uint64_t{0};

    for (std::uint64_t begin = first; begin < last; begin += kTurns) {
        const unsigned n = static_cast<unsigned>(min(std::uint64_t{kTurns}, last - begin));
        sync_block();
        if (threadIdx.x < n) {
            const Turn turn = team.turns[begin + threadIdx.x];
            s.steps[threadIdx.x] = make_step(team, turn, turn.bank, turn.label);
        }
        sync_block();
        for (unsigned q = threadIdx.x; q < SAMPLE_WORDS; q += THREADS)
            s.x[0][q] = sample(team, s.steps[0])[q];
        sync_block();

        for (unsigned i = 0; i < n; ++i) {
            const Step& step = s.steps[i];
            const std::uint64_t* x = s.x[i % 2];
            if (DROPS && step.index / kDropBlock != dropped_in) {
                dropped_in = step.index / kDropBlock;
                bank.drop(dropped_in);
            }
            std::uint64_t next = 0;  // a word of the next sample, on its way while this one is evaluated
            const bool reads_ahead = i + 1 < n && threadIdx.x < SAMPLE_WORDS;
            if (reads_ahead) next = sample(team, s.steps[i + 1])[threadIdx.x];
            const auto read_ahead = [&] {
                if (reads_ahead) s.x[(i + 1) % 2][threadIdx.x] = next;
                if constexpr (SAMPLE_WORDS > THREADS)
                    for (unsigned q = threadIdx.x + THREADS; i + 1 < n && q < SAMPLE_WORDS; q += THREADS)
                        s.x[(i + 1) % 2][q] = sample(team, s.steps[i + 1])[q];
            };
            if constexpr (HAS_PATCHES) {
                s.patches.read(x);
                sync_block();
            }
            if constexpr (FOCUSED) {
                visit_focused(bank, team, step, x);
                read_ahead();
                sync_block();
            } else {
                const std::int64_t vote = bank.team_vote(bank.evaluate(0, step.bank, x), [&] {
                    read_ahead();
                    bank.prepare(step);
                });
                bank.learn(step, 0, x, vote);
            }
        }
    }
    sync_block();
    bank.store();
    sync_cluster();  // no block may end while another may still write to it
}

}  // namespace clausal
