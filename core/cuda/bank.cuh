// The training step of one clause set, in the order of docs/algorithm.md: evaluate, vote, select, classify,
// update weights, move automata. Every block of the team has some of the clauses. The law is that of
// core/feedback.hpp, core/weight_rule.hpp and core/numeric_loss.hpp, shared with the CPU.
// Not here: which steps are taken (train.cu).
#pragma once

#include "core/cuda/automata.cuh"
#include "core/cuda/block_memory.cuh"
#include "core/feedback.hpp"
#include "core/numeric_loss.hpp"
#include "core/weight_rule.hpp"

namespace clausal {

// One block's share of the clause sets of a team.
class Bank {
  public:
    __device__ Bank(Shared& shared, std::uint64_t* planes)
        : s_(shared), planes_(planes), first_(rank_in_cluster() * CLAUSES_PER_BLOCK) {
        n_own_ = first_ >= N_CLAUSES ? 0 : min(unsigned{CLAUSES_PER_BLOCK}, N_CLAUSES - first_);
        down_chance_ = s_.team.down_chance;
        allowed_ = s_.team.allowed;
        threshold_ = s_.team.threshold;
        global_planes_ = s_.team.planes;
    }

    // All threads of the block must call these. State comes from where it was before the call, or from where
    // an earlier part of the call has left it.
    __device__ void load(bool is_begun) {
        const Team& t = s_.team;
        const std::uint64_t* planes = is_begun ? t.planes : t.planes_before;
        const std::int32_t* levels = is_begun ? t.levels : t.levels_before;
        for (unsigned set = 0; set < SETS; ++set) {
            automata(set).load(planes + place_of(set), n_own_ * N_WORDS);
            if constexpr (!SHARED_CLAUSES)
                for (unsigned c = threadIdx.x; c < n_own_; c += THREADS)
                    set_level(set, c, levels[set * N_CLAUSES + first_ + c]);
        }
        if constexpr (kKeeps)
            for (unsigned c = threadIdx.x; c < n_own_; c += THREADS) s_.changed[c] = 0;
        sync_block();  // the first turn finds all of them changed
        if constexpr (SHARED_CLAUSES)
            for (unsigned bank = 0; bank < N_BANKS; ++bank)
                for (unsigned c = threadIdx.x; c < n_own_; c += THREADS)
                    level(0, c, bank) = levels[bank * N_CLAUSES + first_ + c];
    }
    __device__ void store() {
        for (unsigned set = 0; set < SETS; ++set) {
            automata(set).store(n_own_ * N_WORDS);
            if constexpr (!SHARED_CLAUSES)
                for (unsigned c = threadIdx.x; c < n_own_; c += THREADS)
                    s_.team.levels[set * N_CLAUSES + first_ + c] = s_.levels[set * CLAUSES_PER_BLOCK + c];
        }
    }

    // The clauses that sit out this block of steps.
    __device__ void drop(std::uint64_t block) {
        for (unsigned set = 0; set < SETS; ++set) {
            const std::uint64_t key =
                draw(draw(draw(s_.team.seed, Purpose::kDrop), block), SHARED_CLAUSES ? 0 : bank_of(set));
            for (unsigned c = threadIdx.x; c < n_own_; c += THREADS)
                s_.dropped[set * CLAUSES_PER_BLOCK + c] = clause_draw(key, first_ + c) < s_.team.drop_chance;
        }
        sync_block();
    }

    // Which clauses of a set fire on the sample x: this thread's share of their votes in a bank.
    __device__ Sum evaluate(unsigned set, unsigned bank, const std::uint64_t* x) {
        empty_lists();
        if constexpr (kKeeps) return evaluate_kept(bank, x);
        return evaluate_shared(set, bank, x);
    }

    // The same from registers, which are read again where a clause has changed.
    __device__ Sum evaluate_kept(unsigned bank, const std::uint64_t* x) {
        const unsigned c = min(threadIdx.x / kSplit, n_own_ ? n_own_ - 1 : 0), part = threadIdx.x % kSplit;
        if (n_own_ && s_.changed[c] == turn_) read_kept(c, part);
        std::uint64_t missing = 0;
#pragma unroll
        for (unsigned w = 0; w < kKept; ++w)
            missing |= kept_[w] & ~x[min(part + w * kSplit, SAMPLE_WORDS - 1)];
        unsigned length = 0;
        if constexpr (LIMITED) {
            for (unsigned w = 0; w < kKept; ++w) length += __popcll(kept_[w]);
            for (unsigned other = kSplit / 2; other; other /= 2)
                length += __shfl_xor_sync(kAll, length, other);
        }
        const unsigned failing = __ballot_sync(kAll, missing != 0);
        Sum sum;
        if (part != 0 || threadIdx.x / kSplit >= n_own_) return sum;
        bool fires = (failing >> lane_of_warp() & (kSplit == kWarp ? kAll : (1u << kSplit % kWarp) - 1)) == 0;
        if constexpr (DROPS) fires &= !s_.dropped[c];
        s_.fired[c] = fires;
        if constexpr (LIMITED) s_.fits[c] = length <= s_.team.max_clause_literals;
        if (fires) sum.add(signed_points(0, c, bank));
        return sum;
    }

    __device__ void read_kept(unsigned c, unsigned part) {
#pragma unroll
        for (unsigned w = 0; w < kKept; ++w) {
            const unsigned q = part + w * kSplit;
            kept_[w] = q < N_WORDS ? automata(0).at(kInclude, c * N_WORDS + min(q, N_WORDS - 1)) : 0;
        }
    }

    // A warp takes some clauses, group by group, and leaves what came out of each to one of its lanes.
    __device__ Sum evaluate_shared(unsigned set, unsigned bank, const std::uint64_t* x) {
        const Automata own = automata(set);
        Sum sum;
        std::uint64_t sample[kCount];  // this lane's words, if they are few; all true beyond the last
        if constexpr (kChunks == 1 && !HAS_PATCHES)
            for (unsigned w = 0; w < kCount; ++w)
                sample[w] = word_of(w) < N_WORDS ? x[word_of(w)] : ~std::uint64_t{0};
        const unsigned group = lane_of_warp() / LANES;
        for (unsigned first = threadIdx.x / kWarp * kOfWarp; first < n_own_; first += kWarps * kOfWarp) {
            bool fires = false;
            unsigned own_length = 0;
#pragma unroll kUnrolled
            for (unsigned i = 0; i < kOfWarp / kGroupsPerWarp; ++i) {
                // Beyond the last clause that one is read again, so that no read has to wait for a branch.
                const unsigned c = min(first + i * kGroupsPerWarp + group, n_own_ - 1);
                bool fails = false;
                unsigned length = 0;
                if constexpr (HAS_PATCHES)
                    fails = !s_.patches.any_matches(
                        [&](unsigned q) { return own.at(kInclude, c * N_WORDS + q); });
#pragma unroll kCount
                for (unsigned w = 0; w < kWordsOfLaneOfClause; ++w) {
                    const bool is_word = word_of(w) < N_WORDS;
                    const unsigned q = min(word_of(w), N_WORDS - 1);
                    const std::uint64_t include = own.at(kInclude, c * N_WORDS + q);
                    if constexpr (!HAS_PATCHES) {
                        const std::uint64_t holds = kChunks == 1 ? sample[w] : x[q];
                        fails |= (include & ~holds) != 0;
                    }
                    if constexpr (LIMITED) length += is_word ? __popcll(include) : 0;
                }
                const bool is_mine = lane_of_warp() / kGroupsPerWarp == i;
                const unsigned failing = __ballot_sync(kAll, fails);
                if (is_mine) fires = in_no_lane(failing, lane_of_warp() % kGroupsPerWarp);
                if constexpr (LIMITED) {
                    for (unsigned other = LANES / 2; other; other /= 2)
                        length += __shfl_xor_sync(kAll, length, other);
                    length = __shfl_sync(kAll, length, lane_of_warp() % kGroupsPerWarp * LANES);
                    if (is_mine) own_length = length;
                }
            }
            const unsigned c = first + lane_of_warp(), at = set * CLAUSES_PER_BLOCK + c;
            if (lane_of_warp() >= kOfWarp || c >= n_own_) continue;
            if constexpr (DROPS) fires &= !s_.dropped[at];
            s_.fired[at] = fires;
            if constexpr (LIMITED) s_.fits[at] = own_length <= s_.team.max_clause_literals;
            if (fires) sum.add(signed_points(set, c, bank));
        }
        return sum;
    }

    // Before a step's feedback is listed; `evaluate` does it, too.
    __device__ void empty_lists() {
        if (threadIdx.x == 0) s_.counts = 0;
    }

    // The vote of a bank once its set is evaluated.
    __device__ Sum vote_of(unsigned set, unsigned bank) {
        Sum sum;
        for (unsigned c = threadIdx.x; c < n_own_; c += THREADS)
            if (s_.fired[set * CLAUSES_PER_BLOCK + c]) sum.add(signed_points(set, c, bank));
        return sum;
    }

    // The sum of all threads of the team, clipped. While other blocks are awaited, `meanwhile` is called;
    // what it writes can be read after the next sync_block.
    template <class Meanwhile>
    __device__ std::int64_t team_vote(const Sum& sum, const Meanwhile& meanwhile) {
        const unsigned box = turn_ % 2, phase = turn_ / 2 % 2;
        ++turn_;
        sum.add_warp_to(s_.sums[box]);
        if constexpr (BLOCKS == 1) meanwhile();
        sync_block();
        std::int64_t vote;
        if constexpr (BLOCKS == 1) {
            vote = s_.sums[box].value();
        } else {
            if (threadIdx.x == 0) s_.mail.expect(box);
            if (threadIdx.x < BLOCKS) s_.mail.send(box, threadIdx.x, s_.sums[box].value());
            meanwhile();
            vote = s_.mail.receive(box, phase);
        }
        if (threadIdx.x == 0) s_.sums[box ^ 1] = {};
        return vote < -threshold_ ? -threshold_ : vote > threshold_ ? threshold_ : vote;
    }

    // What a step needs that does not depend on the vote.
    __device__ void prepare(const Step& step) {
        // The last words go to the last threads, as the first ones have more clauses to draw for.
        constexpr unsigned kLeft = kTableWords % THREADS;
        for (unsigned i = threadIdx.x; i < kTableWords - kLeft; i += THREADS)
            s_.table[i] = draw(step.table, i);
        const unsigned last = kTableWords - 1 - (THREADS - 1 - threadIdx.x);
        if (threadIdx.x >= THREADS - kLeft) s_.table[last] = draw(step.table, last);
        for (unsigned c = threadIdx.x; c < n_own_; c += THREADS)
            s_.selection[c] = clause_draw(step.select, first_ + c);
    }

    // The rest of the step. What `prepare` wrote was written by the same threads, or before a sync_block.
    __device__ void learn(const Step& step, unsigned set, const std::uint64_t* x, std::int64_t vote) {
        const Aim to = aim(step.goal, vote);
        if (to.chance != 0) {
            classify(set, step.bank, to);
            sync_block();
            give(step, set, x);
        }
        sync_block();
    }

  private:
    // Where a step moves the vote, the chance of each clause (in units of 2^-32), the vote for the label.
    struct Aim {
        bool up;
        std::uint64_t chance;
        std::int64_t lead;
    };

    __device__ Aim aim(std::int64_t goal, std::int64_t vote) const {
        if constexpr (NUMBERS) {
            const NumericLoss loss{s_.team.rise, s_.team.fall, s_.team.proportional != 0};
            return {vote < goal, loss.chance(vote - goal, threshold_), 0};
        }
        const std::int64_t lead = goal ? vote : -vote;
        return {goal != 0, s_.twice_threshold.share(threshold_ - lead), lead};
    }

    __device__ WeightRule rule() const {
        const auto low = static_cast<std::int32_t>(s_.team.low),
                   high = static_cast<std::int32_t>(s_.team.high);
        return {low, high, s_.team.table, s_.team.up, s_.team.down, s_.team.margin};
    }

    // Where the block's clauses begin in the planes of a team.
    __device__ std::uint64_t place_of(unsigned set) const {
        return (std::uint64_t{set} * kPlanes * N_CLAUSES + first_) * N_WORDS;
    }

    __device__ Automata automata(unsigned set) const {
        return {planes_ + set * SHARED_PLANES * kWordsPerPlane, global_planes_ + place_of(set)};
    }

    __device__ unsigned bank_of(unsigned set) const { return SETS == 1 ? s_.steps[0].bank : set; }

    __device__ bool votes_against(unsigned c, std::int32_t level) const {
        if constexpr (SHARED_CLAUSES) return level < 0;
        return !NUMBERS && (first_ + c) % 2 == 1;
    }

    __device__ std::int32_t& level(unsigned set, unsigned c, unsigned bank) const {
        if constexpr (SHARED_CLAUSES) return s_.team.levels[std::uint64_t{bank} * N_CLAUSES + first_ + c];
        return s_.levels[set * CLAUSES_PER_BLOCK + c];
    }

    __device__ std::int32_t signed_points(unsigned set, unsigned c, unsigned bank) const {
        if constexpr (SHARED_CLAUSES) return level(set, c, bank);
        return s_.points[set * CLAUSES_PER_BLOCK + c];
    }

    __device__ void set_level(unsigned set, unsigned c, std::int32_t value) {
        const std::int32_t points = rule().points(value);
        s_.levels[set * CLAUSES_PER_BLOCK + c] = value;
        s_.points[set * CLAUSES_PER_BLOCK + c] = votes_against(c, value) ? -points : points;
    }

    // Which feedback the selected clauses get, written as lists; rewards and penalties.
    __device__ void classify(unsigned set, unsigned bank, const Aim& to) {
        for (unsigned first = 0; first < CLAUSES_PER_BLOCK; first += THREADS) {
            const unsigned c = first + threadIdx.x, at = set * CLAUSES_PER_BLOCK + c;
            FeedbackTypes types{};
            if (c < n_own_ && s_.selection[c] < to.chance && !(DROPS && s_.dropped[at])) {
                const bool favours = votes_against(c, level(set, c, bank)) != to.up;
                types = feedback_types(1, favours, s_.fired[at], !LIMITED || s_.fits[at]);
                if (types.type_1a | types.type_2) change_weight(set, c, bank, to, types.type_1a != 0);
            }
            list(c, types);
        }
    }

    __device__ void change_weight(unsigned set, unsigned c, unsigned bank, const Aim& to, bool rewarded) {
        const std::int32_t before = level(set, c, bank);
        if (rule().stays(before, to.lead)) return;
        const bool rises = SHARED_CLAUSES ? to.up : rewarded;  // a shared level moves towards the goal
        const std::int32_t after = rises ? rule().reward(before) : rule().penalise(before);
        if constexpr (SHARED_CLAUSES)
            level(set, c, bank) = after;
        else
            set_level(set, c, after);
    }

    // Adds the clauses of a warp to the lists of their types; their order does not matter.
    __device__ void list(unsigned c, const FeedbackTypes& types) {
        const bool chosen[kTypes] = {types.type_1b != 0, types.type_1a != 0, types.type_2 != 0};
        unsigned lanes[kTypes];
        Counts counts = 0;
        for (unsigned type = 0; type < kTypes; ++type) {
            lanes[type] = __ballot_sync(kAll, chosen[type]);
            counts |= static_cast<Counts>(__popc(lanes[type])) << (type * kCountBits);
        }
        if (counts == 0) return;
        Counts places = 0;
        if (lane_of_warp() == 0) places = atomicAdd(&s_.counts, counts);
        places = __shfl_sync(kAll, places, 0);
        for (unsigned type = 0; type < kTypes; ++type)
            if (chosen[type])
                s_.listed[type][count_in(places, type) + __popc(lanes[type] & ((1u << lane_of_warp()) - 1))] =
                    c;
    }

    __device__ static unsigned count_in(Counts counts, unsigned type) {
        return counts >> (type * kCountBits) & ((1u << kCountBits) - 1);
    }

    __device__ void give(const Step& step, unsigned set, const std::uint64_t* x) {
        const Automata own = automata(set);
        const unsigned n_1b = count_in(s_.counts, 0), n_1 = n_1b + count_in(s_.counts, 1);
        for_groups(n_1 + count_in(s_.counts, 2), [&](unsigned i, bool is_one) {
            const unsigned type = i < n_1b ? 0 : i < n_1 ? 1 : 2;
            const unsigned c = is_one ? s_.listed[type][i - (type == 0 ? 0 : type == 1 ? n_1b : n_1)] : 0;
            give_to(own, step, c, is_one ? type : kTypes, x);
        });
    }

    // Feedback of a type (0: Ib, 1: Ia, 2: II, else none) to one clause. All lanes of the warp must call.
    __device__ void give_to(const Automata& own, const Step& step, unsigned c, unsigned type,
                            const std::uint64_t* x) {
        const unsigned j = first_ + c;
        const bool is_type_1 = type < 2;
        const std::uint64_t key = draw(step.automata, j);
        const std::uint32_t chance = down_chance_[j];
        const bool is_drawn = chance >> kAutomatonBits == 0;  // else every automaton falls
        Notes& notes = s_.notes[kTabled ? threadIdx.x / LANES : 0];
        const std::uint64_t* allowed = allowed_ + (!SHARED_CLAUSES && !NUMBERS && j % 2 ? N_WORDS : 0);
        unsigned patch = 0;
        if constexpr (HAS_PATCHES) {
            const bool looks = type == 1 || type == 2;  // Type Ib ignores the sample
            if (__any_sync(kAll, looks))
                patch =
                    s_.patches.pick([&](unsigned q) { return looks ? own.at(kInclude, c * N_WORDS + q) : 0; },
                                    draw(step.patch, j));
        }
        const bool draws = kTabled && __any_sync(kAll, is_type_1);
        if (draws) {
            __syncwarp();
            notes.write(key, chance);
            __syncwarp();
        }
        for (unsigned chunk = 0; chunk < kChunks; ++chunk) {
            std::uint64_t literals[kCount], may[kCount], can_fall[kCount], drawn[kCount], kept[kCount];
#pragma unroll
            for (unsigned w = 0; w < kCount; ++w) {
                const bool is_word = word_of(chunk * kCount + w) < N_WORDS && type < kTypes;
                const unsigned q = min(word_of(chunk * kCount + w), N_WORDS - 1);
                may[w] = is_word ? allowed[q] : 0;
                can_fall[w] = own.at(kCanFall, c * N_WORDS + q) & may[w];
                literals[w] = 0;
                if (!HAS_PATCHES || type == 1 || type == 2)
                    literals[w] = HAS_PATCHES ? s_.patches.literals(patch, q) : x[q];
                if (type == 0) literals[w] = 0;
                drawn[w] = is_type_1 ? can_fall[w] | (literals[w] & may[w]) : 0;
                kept[w] = drawn[w];
                if (!kTabled && is_drawn) drawn[w] = keep_hashed(key, q, chance, drawn[w]);
            }
            if (draws) keep_tabled<kCount>(s_.table, notes, word_of(chunk * kCount), chance, kept);
#pragma unroll
            for (unsigned w = 0; w < kCount; ++w) {
                const unsigned q = min(word_of(chunk * kCount + w), N_WORDS - 1);
                if (kTabled && is_drawn) drawn[w] = kept[w];
                const Moves<std::uint64_t> moves = type == 0   ? type_1b_moves(drawn[w])
                                                   : type == 1 ? type_1a_moves(literals[w], drawn[w], BOOSTS)
                                                               : type_2_moves(literals[w]);
                const bool is_changed =
                    own.move(c * N_WORDS + q, moves.up & may[w], moves.down & can_fall[w]);
                if (kKeeps && is_changed) s_.changed[c] = turn_;
            }
        }
    }

    // The w-th word of a clause that the calling lane holds.
    __device__ static unsigned word_of(unsigned w) { return lane_of_group() + w * LANES; }

    Shared& s_;
    std::uint64_t* planes_;  // in shared memory, [SETS, SHARED_PLANES, CLAUSES_PER_BLOCK, N_WORDS]
    unsigned first_;         // the block's first clause
    unsigned n_own_;
    const std::uint32_t* down_chance_;  // of the team, as are these, which need not be read again
    const std::uint64_t* allowed_;
    std::int64_t threshold_;
    std::uint64_t* global_planes_;
    unsigned turn_ = 0;                       // sums of the team so far
    std::uint64_t kept_[kKeeps ? kKept : 1];  // literals that a clause includes, see kSplit
};

}  // namespace clausal
