"""The tables of the page: the paper's value, ours and half its 95 % interval, side by side.

A cell reads "paper > ours ± half". Not here: what the numbers mean (claims.py), their order on the page
(results_page.py).
"""

from studies.data import PAPER_DATA
from studies.paper.document import Table
from studies.paper.machines import MACHINES, Setting
from studies.paper.metrics import Summary, summary
from studies.paper.paper_values import PRINTED_AVERAGES, PaperTable, paper_tables
from studies.paper.results import INSIDE, ON_TEST, TUNED, Results, summary_of
from studies.paper.systems import SYSTEMS

NAMES = {
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
    "accuracy": "Accuracy",
    "specificity": "Specificity",
    "youden": "Youden's J",
    "literals": "Literals",
    "simplified": "Literals, simplified",
}
IN_PAPER = {"literals": "n_literals"}
WAYS = {INSIDE: "chosen inside", TUNED: "threshold too", ON_TEST: "selected on test"}


def sweep_table(table: PaperTable, results: Results, which: str = "own") -> Table:
    """One of the 15 tables by m: a row per metric, a column per number of clauses."""
    rows = []
    for metric, name in NAMES.items():
        row = [name]
        for m in results.clause_counts:
            paper = table.values.get((str(m), IN_PAPER.get(metric, metric))) if which == "own" else None
            ours = summary_of(results.sweep(table.system, table.data, m, which), metric)
            row.append(both(paper, ours, metric))
        rows.append(row)
    return Table(
        ["paper > ours, m =" if which == "own" else "ours, m =", *map(str, results.clause_counts)], rows
    )


def comparison_table(data: str, results: Results, table: PaperTable | None = None) -> Table:
    """All systems on one data set, with all choices inside the training part, and two other F1 scores."""
    rows = []
    for system in SYSTEMS:
        lines = results.comparison(system, data)
        if not lines:
            continue
        row = [system]
        for metric in NAMES:
            paper = table.values.get((system, IN_PAPER.get(metric, metric))) if table else None
            has_literals = metric not in ("literals", "simplified") or "literals" in lines[0]
            row.append(both(paper, summary_of(lines, metric) if has_literals else None, metric))
        others = (summary_of(results.comparison(system, data, way), "f1") for way in (TUNED, ON_TEST))
        rows.append(row + [both(None, other, "f1") for other in others])
    return Table(["paper > ours", *NAMES.values(), "F1, threshold too", "F1, selected on test"], rows)


def average_table(results: Results) -> Table:
    """Averages over the five data sets: as printed, from the paper's tables, and ours, best F1 first."""
    rows = []
    for system in SYSTEMS:
        found = {way: list(results.averages(system, way, "f1").values()) for way in WAYS}
        if not found[INSIDE]:
            continue
        accuracy = list(results.averages(system, INSIDE, "accuracy").values())
        literals = _average_literals(system, results)
        ours = [both(None, summarised(values), "f1") for values in (*found.values(), accuracy)]
        printed, tables = PRINTED_AVERAGES.get(system), paper_average(system, "f1")
        row = [system, number(printed, "f1"), number(tables, "f1"), *ours, literals]
        rows.append((sum(found[INSIDE]) / len(found[INSIDE]), row))
    header = ["", "F1 printed", "F1 of its tables"]
    header += [f"F1, {words}" for words in WAYS.values()] + [
        "Accuracy, chosen inside",
        "Literals, simplified",
    ]
    return Table(header, [row for _, row in sorted(rows, reverse=True)])


def setting_table(results: Results) -> Table:
    """The settings chosen by the search: T, s and epochs (and the gain of RWTM), own and identical."""
    rows = []
    for data, m in sorted({(data, m) for _, data, m in results.chosen}):
        places = [results.chosen[system, data, m] for system in MACHINES]
        rows.append(
            [data, str(m)]
            + [_brief(place["own"], system) for place, system in zip(places, MACHINES, strict=True)]
            + [_brief(places[1]["identical"], "RWTM")]
        )
    return Table(["", "m", *MACHINES, "identical for all"], rows)


def zero_table(results: Results) -> Table:
    """The share of IWTM's clauses with weight 0, at its own settings, by data set and number of clauses."""
    rows = []
    for data in PAPER_DATA:
        places = [(m, results.sweep("IWTM", data, m)) for m in results.clause_counts]
        shares = [[line["n_zero"] / m for line in lines] for m, lines in places]
        rows.append([data, *(both(None, summarised(values), "f1") for values in shares)])
    return Table(["m =", *(str(m) for m in results.clause_counts)], rows)


def paper_average(system: str, metric: str) -> float | None:
    """The mean over the paper's five comparison tables."""
    tables = [table for table in paper_tables().values() if table.kind == "comparison"]
    values = [table.values[system, metric] for table in tables if (system, metric) in table.values]
    return sum(values) / len(values) if len(values) == len(tables) else None


def both(paper: float | None, ours: Summary | None, metric: str) -> str:
    """The text "paper > ours ± half", without missing parts."""
    mine = "" if ours is None else number(ours.mean, metric)
    if ours is not None and ours.n > 1:
        mine += f" ± {number(ours.half, metric)}"
    return f"{number(paper, metric)} > {mine}" if paper is not None else mine or "-"


def number(value: float | None, metric: str) -> str:
    """A score with three digits, or an integer number of literals (one decimal below 100)."""
    if value is None:
        return "-"
    if metric in ("literals", "simplified"):
        return f"{value:.1f}" if value < 100 else f"{value:.0f}"
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.3f}"


def summarised(values: list[float]) -> Summary | None:
    """A summary, or None without values."""
    return summary(values) if values else None


def _average_literals(system: str, results: Results) -> str:
    lines = results.comparison(system, PAPER_DATA[0])
    if "simplified" not in lines[0]:
        return "-"
    return both(None, summarised(list(results.averages(system, INSIDE, "simplified").values())), "simplified")


def _brief(setting: Setting, system: str) -> str:
    """A setting without the clauses, and without the gain if there are no real weights."""
    _, *rest = str(setting).split(" ")
    return " ".join(rest if system == "RWTM" else rest[:-1])
