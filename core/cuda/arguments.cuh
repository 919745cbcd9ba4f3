// What a kernel is given, in device memory. Twins: engine/cuda/arguments.py, field by field.
#pragma once

#include "core/cuda/standard_types.cuh"

namespace clausal {

// One step of a clause set: on which row, at which visit of the call, for which bank; the label of the sample
// in that bank, 0 or 1, or where numbers are learned, its share of the range.
struct Turn {
    std::uint32_t row, visit, bank, label;
};

// A team is a cluster of blocks that trains one clause set or, with focused negatives, all of a machine.
struct Team {
    const std::uint64_t* planes_before;  // [sets, kPlanes, N_CLAUSES, N_WORDS]: as the call finds them,
    std::uint64_t* planes;               // and as it leaves them
    const std::int32_t* levels_before;  // [rows, N_CLAUSES]: of each set, or of each bank that shares the set
    std::int32_t* levels;
    const std::uint32_t* down_chance;  // [N_CLAUSES]
    const std::uint64_t* allowed;      // [2, N_WORDS], of clauses for, and against
    const std::uint64_t* literals;     // [n_rows, SAMPLE_WORDS]
    const Turn* turns;
    const std::uint32_t* n_turns;
    const std::int32_t *table, *up, *down;  // of the weight rule; nullptr where it has none
    std::int64_t low, high, margin;
    std::int64_t threshold;
    std::uint64_t rise, fall, proportional;  // of the loss, where numbers are learned
    std::uint64_t seed, first_step;
    std::uint64_t drop_chance;
    std::uint64_t max_clause_literals;
};

// The visits of a call, from which the turns of a team come about.
struct Visits {
    const std::uint64_t* order;      // [n_visits], row indices
    const std::int32_t* targets;     // [n_rows]
    const std::uint8_t* label_sets;  // [n_targets, n_banks] or nullptr
    Turn* turns;
    std::uint32_t* n_turns;
    std::uint64_t n_visits;
    std::uint64_t n_banks;
    std::uint64_t bank;  // whose turns are listed, if the others are not this team's
    std::uint64_t kind;  // see list_turns.cu
    std::uint64_t seed, first_step;
};

}  // namespace clausal
