"""The summary of the study: means over tables, paired differences, every table, and reliability.

A learner's value on a table is its mean over the splits; an interval of a mean over tables is a 95 % t
interval over the tables. Differences are ours less theirs on the same splits, also with an interval for these
very tables, from the splits of each. Not here: the fits (study.py).
"""

from collections.abc import Sequence

import numpy as np
from scipy import stats

from studies.defaults.study import EXPLORED, LEARNERS, OURS, TABLES, Line
from studies.quality.report import Table

MEASURES = {"accuracy": "accuracy", "log_loss": "log-loss", "auc": "AUC"}
Values = dict[tuple[str, str], dict[int, Line]]


def summary(lines: Sequence[Line]) -> list[Table]:
    """All tables of the summary."""
    fits: Values = {}
    for line in lines:
        fits.setdefault((line["learner"], line["table"]), {})[line["split"]] = line
    learners = [name for name in LEARNERS if any((name, table) in fits for table in TABLES)]
    later = [name for name in TABLES if name not in EXPLORED]
    groups = {"all tables": list(TABLES), "tables first looked at when the design was done": later}
    found = [means(fits, learners)]
    found += [paired(fits, learners, tables, title) for title, tables in groups.items()]
    return [*found, each_table(fits, learners), reliability(fits, learners)]


def interval(values: Sequence[float], decimals: int = 3) -> str:
    """The mean and half of its 95 % interval."""
    mean, n = float(np.mean(values)), len(values)
    if n < 2:
        return number(mean, decimals)
    half = float(stats.t.ppf(0.975, n - 1)) * float(np.std(values, ddof=1)) / np.sqrt(n)
    return f"{number(mean, decimals)} ± {number(half, decimals)}"


def number(value: float, decimals: int = 3) -> str:
    """A number without the zero before its point."""
    return f"{value:.{decimals}f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.{decimals}f}"


def of_tables(fits: Values, learner: str, tables: Sequence[str], measure: str) -> list[float]:
    """The mean over the splits on each table that the learner has."""
    known = (fits.get((learner, table), {}).values() for table in tables)
    found = ([line[measure] for line in lines if measure in line] for lines in known)
    return [float(np.mean(values)) for values in found if values]


def differences(fits: Values, learner: str, tables: Sequence[str], measure: str) -> list[list[float]]:
    """Ours less theirs for each table that both have, on each split that both have."""
    found = []
    for table in tables:
        ours, theirs = fits.get((OURS, table), {}), fits.get((learner, table), {})
        if shared := ours.keys() & theirs.keys():
            found.append([ours[i][measure] - theirs[i][measure] for i in sorted(shared)])
    return found


def half_for_these(gains: Sequence[Sequence[float]]) -> str:
    """Half the 95 % interval of the mean over these tables, where each has two splits or more."""
    if not gains or min(map(len, gains)) < 2:
        return "-"
    squares = [float(np.var(each, ddof=1)) / len(each) for each in gains]
    return f"± {number(1.96 * float(np.sqrt(np.sum(squares))) / len(gains))}"


def means(fits: Values, learners: Sequence[str]) -> Table:
    """The means of every learner over the tables that it has."""
    rows = []
    for name in learners:
        row = [name, _splits(fits, name), str(len(of_tables(fits, name, list(TABLES), "accuracy")))]
        row += [interval(of_tables(fits, name, list(TABLES), measure)) for measure in MEASURES]
        row.append(interval(of_tables(fits, name, list(TABLES), "seconds"), 2))
        sizes = of_tables(fits, name, list(TABLES), "literals")
        row.append(interval(sizes, 0) if sizes else "-")
        rows.append(row)
    header = ["learner", "splits", "tables", *MEASURES.values(), "CPU seconds", "literals"]
    return Table("Means over tables", header, rows)


def _splits(fits: Values, learner: str) -> str:
    counts = {len(splits) for (name, _), splits in fits.items() if name == learner}
    return str(min(counts)) if len(counts) == 1 else f"{min(counts)} to {max(counts)}"


def paired(fits: Values, learners: Sequence[str], tables: Sequence[str], title: str) -> Table:
    """Ours less theirs, and on how many tables ours is better."""
    rows = []
    for name in learners:
        if name == OURS:
            continue
        row = [name]
        for measure in MEASURES:
            found = [float(np.mean(each)) for each in differences(fits, name, tables, measure)]
            row.append(interval(found) if found else "-")
        gains = differences(fits, name, tables, "accuracy")
        better = sum(np.mean(each) > 0 for each in gains)
        rows.append([*row, half_for_these(gains), f"{better} of {len(gains)}"])
    header = ["ours less", *MEASURES.values(), "accuracy, these tables", "higher accuracy"]
    return Table(f"Paired differences, {title}", header, rows)


def each_table(fits: Values, learners: Sequence[str]) -> Table:
    """The mean accuracy of every learner on every table, with a 95 % interval of ours over the splits."""
    rows = []
    for table in TABLES:
        ours = [line["accuracy"] for line in fits.get((OURS, table), {}).values()]
        row = [table, interval(ours) if ours else "-"]
        for name in learners:
            if name != OURS:
                found = of_tables(fits, name, [table], "accuracy")
                row.append(number(found[0]) if found else "-")
        rows.append(row)
    others = [name for name in learners if name != OURS]
    return Table("Accuracy on each table", ["table", OURS, *others], rows)


def reliability(fits: Values, learners: Sequence[str]) -> Table:
    """How often a predicted probability comes true, by tenths; every table counts alike."""
    rows = []
    for name in learners:
        bins = np.zeros((10, 3))
        for (learner, _), splits in fits.items():
            if learner == name:
                own = np.sum([line["reliability"] for line in splits.values()], axis=0)
                bins += own / own[:, 0].sum()
        observed, predicted = bins[:, 2] / bins[:, 0], bins[:, 1] / bins[:, 0]
        error = float(np.abs(observed - predicted) @ bins[:, 0] / bins[:, 0].sum())
        rows.append([name, *(number(value, 2) for value in observed), number(error)])
    return Table(
        "Observed share by predicted probability",
        ["learner", *(f"{i / 10:.1f} to {(i + 1) / 10:.1f}" for i in range(10)), "mean error"],
        rows,
    )
