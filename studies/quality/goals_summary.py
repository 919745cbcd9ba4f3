"""The summary of the fits: means with standard errors, and paired differences to the scorecard.

Not here: the fits (goals.py).
"""

from collections.abc import Sequence

import numpy as np

from studies.quality.goals import GOALS, LEARNERS, N_SPLITS, OURS, Line


def print_summary(lines: Sequence[Line]) -> None:
    """Print one paragraph per data set."""
    for name in GOALS:
        print("\n" + "\n".join(paragraph(lines, name)))
    print(
        "\n(± one standard error over the splits; a tie: the paired difference is within two of its errors)"
    )


def paragraph(lines: Sequence[Line], name: str) -> list[str]:
    """The results for one data set: the goal, the scorecard, then the other learners."""
    goal = GOALS[name]

    def values(learner: str, key: str) -> dict[int, float]:
        chosen = (line for line in lines if line["learner"] == learner and line["data"] == name)
        return {line["split"]: line[key] for line in chosen}

    mine = values(OURS, goal.metric)
    mean, error = mean_and_error(list(mine.values()))
    reached = "reached" if mean + error >= goal.score else "MISSED"
    literals = np.mean(list(values(OURS, "n_literals").values()))
    limits = f"at most {goal.max_literals} literals, goal {goal.score:.3f}"
    shown = [f"{name}: {goal.metric}, {limits}: {reached}"]
    shown.append(f"  {OURS:<20} {mean:.3f} ± {error:.3f}   {literals:.1f} literals")
    for learner in LEARNERS[1:]:
        theirs = values(learner, goal.metric)
        if len(theirs) >= 2:
            shown.append(compared(learner, mine, theirs))
    return shown


def compared(learner: str, mine: dict[int, float], theirs: dict[int, float]) -> str:
    """The mean of a learner, and the paired difference to the scorecard on its splits."""
    mean, error = mean_and_error(list(theirs.values()))
    difference, spread = mean_and_error([mine[split] - theirs[split] for split in theirs])
    verdict = "we win" if difference > 2 * spread else "we lose" if difference < -2 * spread else "a tie"
    paired = f"ours - theirs {difference:+.3f} ± {spread:.3f}: {verdict}"
    splits = "" if len(theirs) == N_SPLITS else f" (first {len(theirs)} splits)"
    return f"  {learner:<20} {mean:.3f} ± {error:.3f}   {paired}{splits}"


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """The mean and its standard error."""
    array = np.asarray(values, float)
    return float(array.mean()), float(array.std(ddof=1) / np.sqrt(len(array)))
