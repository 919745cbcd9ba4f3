"""The results page: docs/results.md with its charts, results.html and results.csv (`make paper-page`).

It is made from the stored raw results; missing results are skipped. Not here: numbers (page_tables.py)
and verdicts (claims.py).
"""

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from studies.data import BANKRUPTCY_GROUPED, LIVER_SELECTOR, PAPER_DATA
from studies.paper.budget import BUDGETS
from studies.paper.cells import PARTS
from studies.paper.claims import NEAR, Claim, claims, goals, low_cells, paired
from studies.paper.document import Block, Code, Document, Heading, Picture, Table, Text
from studies.paper.line_chart import line_chart
from studies.paper.machines import MACHINES
from studies.paper.page_tables import average_table, comparison_table, setting_table, sweep_table, zero_table
from studies.paper.paper_values import CONTRADICTIONS, PaperTable, paper_tables, sweep_value
from studies.paper.result_files import RESULTS
from studies.paper.results import INSIDE, TUNED, Line, Results, mean_of
from studies.paper.results_csv import listing
from studies.paper.systems import OURS, SYSTEMS

DOCS = Path(__file__).resolve().parents[2] / "docs"
PICTURES = "images/results"

HOW = (
    "Made by make paper-page from the raw results under studies/paper/results; not to be edited. What is "
    "computed, and with what budget, is in studies/paper/README.md. A cell reads 'paper > ours ± half of the "
    "95 % interval'. Literals are counted raw (include actions of clauses with weight above 0) and after "
    "exact simplification, that of more than 500 clauses on 10 trials only. Every mean of the tables by "
    "clauses and of all systems is a row of results.csv, with its standard deviation, its interval and where "
    "its raw lines are. A mean's interval is Student's over the trials, which share rows. Where two systems "
    "are compared, the interval of the paired difference is made wider for that (Nadeau and Bengio's "
    "correction), so that it may be wider than those of the two means."
)
GOALS = (
    "All chosen inside the training part. A goal is reached where the mean and one standard error of it "
    "(half of the half-width shown, about) come to the figure asked for. IWTM beside EBM: holds where its "
    "mean is not below EBM's, cannot be told where it is, but by less than the interval."
)


def make_page(folder: Path) -> Document:
    """The page from the results in a folder."""
    results = Results(folder)
    page = Document("The paper, recomputed")
    page.add(Text(HOW), Text(_extent(results)))
    numbers = (_averages, _rivals, _comparisons, _sweeps, _zeros, _settings, _small_models)
    for section in (_verdicts, _low_cells, *numbers, _contradictions):
        page.add(*section(results))
    return page


def write_page(page: Document, rows: str, docs: Path) -> None:
    """Write results.md, results.html, the charts, and all means as rows of results.csv."""
    (docs / PICTURES).mkdir(parents=True, exist_ok=True)
    (docs / "results.csv").write_text(rows, encoding="utf-8")
    (docs / "results.md").write_text(page.markdown(PICTURES), encoding="utf-8")
    (docs / "results.html").write_text(page.html(), encoding="utf-8")
    for picture in page.pictures:
        (docs / PICTURES / picture.name).write_text(picture.svg, encoding="utf-8")


def _extent(results: Results) -> str:
    """The number of results, and the versions of the packages."""
    lines = [line for part in results.lines.values() for line in part]
    if not lines:
        return "Nothing was computed yet."
    parts = ", ".join(f"{part} {len(part_lines)}" for part, part_lines in results.lines.items())
    versions = sorted({f"{name} {number}" for line in lines for name, number in line["versions"].items()})
    trials = (
        max((line["trial"] for line in results.lines["comparison"] + results.lines["sweep"]), default=-1) + 1
    )
    missing = [part for part in PARTS if not results.lines[part]]
    absent = f" Not computed yet: {', '.join(missing)}." if missing else ""
    return f"Cells: {parts}; {trials} trials.{absent} Made with {', '.join(versions)}."


def _verdicts(results: Results) -> Iterator[Block]:
    if found := claims(results):
        yield Heading("The paper's claims")
        yield _claim_table(found)
    if found := goals(results):
        yield Heading("Our goals")
        yield Text(GOALS)
        yield _claim_table(found)


def _low_cells(results: Results) -> Iterator[Block]:
    """A sentence for each cell of the sweep that is well below the paper."""
    rows = low_cells(results) if results.has_sweep else []
    if rows:
        yield Heading(f"Cells more than {NEAR} below the paper", 3)
        yield Table(["F1", "paper", "ours", "why"], [list(row) for row in rows])


def _claim_table(found: Iterable[Claim]) -> Table:
    return Table(["", "verdict", "why"], [[claim.words, claim.verdict, claim.why] for claim in found])


def _rivals(results: Results) -> Iterator[Block]:
    """Our systems compared with all others: paired differences of the averages over the five data sets."""
    rows = []
    for system in SYSTEMS:
        row = [system]
        for metric, way in (("f1", INSIDE), ("f1", TUNED), ("accuracy", INSIDE)):
            mine, theirs = (results.averages(name, way, metric) for name in (OURS, system))
            if mine.keys() & theirs.keys() and system != OURS:
                mean, half = paired(mine, theirs)
                row.append(f"{mean:+.3f} ± {half:.3f}")
        rows += [row] if len(row) > 1 else []
    if rows:
        yield Heading("clausal beside every system")
        yield Text(
            "The difference clausal - system, averaged over the five data sets and the trials, with the "
            "corrected 95 % interval. clausal has its decision threshold chosen for F1 in either case."
        )
        yield Table(["", "F1", "F1, their threshold chosen too", "Accuracy"], rows)


def _averages(results: Results) -> Iterator[Block]:
    table = average_table(results)
    if table.rows:
        yield Heading("Averages over the five data sets")
        yield Text(
            "Liver with drinks >= 3 as label. In the paper the printed averages of TM, XGBoost and EBM are "
            "permuted."
        )
        yield table


def _comparisons(results: Results) -> Iterator[Block]:
    if not results.lines["comparison"]:
        return
    yield Heading("All systems")
    yield Text(
        "Every setting is chosen inside each training part. Threshold too: the decision threshold as well. "
        "Selected on test: the setting with the highest mean F1 on the test parts, which flatters; for TM, "
        "RWTM and IWTM the number of clauses in the sweep. To fit the time, these three choose among 10, 100 "
        "and 500 clauses inside, EBM has 4 bags and at most 500 rounds, the networks at most 100 epochs."
    )
    for table in paper_tables().values():
        if table.kind == "comparison":
            yield from _comparison(results, f"Table {table.number}: {table.data}", table.data, table)
    title = "Table 16 again: Liver Disorders with the selector as label"
    yield from _comparison(results, title, LIVER_SELECTOR, paper_tables()[16])
    yield from _comparison(results, "Bankruptcy, equal rows kept together", BANKRUPTCY_GROUPED)


def _comparison(results: Results, title: str, data: str, table: PaperTable | None = None) -> Iterator[Block]:
    yield Heading(title, 3)
    numbers = {len(results.comparison(system, data)) for system in SYSTEMS}
    if max(numbers) == 0:
        yield Text("Not computed yet.")
        return
    yield Text(f"{' to '.join(map(str, sorted({min(numbers), max(numbers)})))} trials of each system.")
    yield comparison_table(data, results, table)


def _sweeps(results: Results) -> Iterator[Block]:
    if not results.has_sweep:
        return
    yield Heading("By number of clauses")
    for data in PAPER_DATA:
        yield _literal_picture(results, data)
        for table in paper_tables().values():
            if table.kind == "sweep" and table.data == data:
                yield from _sweep(results, table)


def _sweep(results: Results, table: PaperTable) -> Iterator[Block]:
    yield Heading(f"Table {table.number}: {table.system} on {table.data}", 3)
    yield sweep_table(table, results)
    yield Text("At the setting that is the same for the three systems:")
    yield sweep_table(table, results, "identical")
    if "Liver" in table.data:
        yield Text("With the selector as label, whose prevalence the paper's numbers have:")
        yield sweep_table(replace(table, data=LIVER_SELECTOR), results)


def _zeros(results: Results) -> Iterator[Block]:
    if results.has_sweep:
        yield Heading("Clauses that IWTM switched off")
        yield Text("The share of clauses whose weight is 0 after training.")
        yield zero_table(results)


def _literal_picture(results: Results, data: str) -> Picture:
    series = {}
    for system in MACHINES:
        ours = [(m, mean_of(results.sweep(system, data, m), "literals")) for m in results.clause_counts]
        series[system] = [(m, literals) for m, literals in ours if literals >= 0]
        paper = [(m, sweep_value(system, data, m, "n_literals")) for m in results.clause_counts]
        series[f"{system} (paper)"] = paper
    series = {name: points for name, points in series.items() if points}
    name = f"literals-{data.lower().replace(' ', '-')}.svg"
    return Picture(name, f"Literals against clauses on {data}", line_chart(series, "clauses m", "literals"))


def _settings(results: Results) -> Iterator[Block]:
    if results.lines["search"]:
        yield Heading("Settings that the search chose for the sweep")
        yield setting_table(results)


def _small_models(results: Results) -> Iterator[Block]:
    first = [line for line in results.lines["rules"] if line["trial"] == 0]
    if not first:
        return
    yield Heading("Models of 10 and 2 clauses on Bankruptcy")
    yield Text("Class 1 is not bankrupt. The models of trial 0, as they decide.")
    for line in sorted(
        first, key=lambda line: (-line["settings"][0]["n_clauses"], MACHINES.index(line["system"]))
    ):
        n_clauses = line["settings"][0]["n_clauses"]
        yield Heading(f"{line['system']}, m = {n_clauses}", 3)
        yield Code(line["rules"])
        if line["system"] == "IWTM":
            yield _weight_picture(line, n_clauses)


def _weight_picture(line: Line, n_clauses: int) -> Picture:
    """The weight of each clause over the epochs."""
    epochs = sorted(line["weights"], key=int)
    series = {
        f"clause {clause + 1}": [(int(epoch), line["weights"][epoch][clause]) for epoch in epochs]
        for clause in range(n_clauses)
    }
    chart = line_chart(series, "epoch", "weight", log_y=False)
    return Picture(f"weights-{n_clauses}.svg", f"IWTM's weights over training, m = {n_clauses}", chart)


def _contradictions(_: Results) -> Iterator[Block]:
    yield Heading("Where the paper contradicts itself")
    yield Table(["where", "what", "the matter"], [list(row) for row in CONTRADICTIONS])


def main(arguments: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Make the page of results.")
    parser.add_argument("--budget", choices=sorted(BUDGETS), default="full")
    options = parser.parse_args(arguments)
    folder = RESULTS / options.budget
    docs = DOCS if options.budget == "full" else folder
    write_page(make_page(folder), listing(Results(folder)), docs)
    print(docs / "results.md")


if __name__ == "__main__":
    main()
