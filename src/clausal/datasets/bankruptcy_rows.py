"""The content of the bankruptcy file: text to rows, and the proof that the rows are the right ones.

Reads UCI's text file and a CSV file with a header alike. Not here: where the file comes from
(`bankruptcy_source`).
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

COLUMNS = (
    *("industrial_risk", "management_risk", "financial_flexibility"),
    *("credibility", "competitiveness", "operating_risk", "class"),
)
LETTERS = ("A", "N", "P")
CLASS_COUNTS = {"NB": 143, "B": 107}

# Of the rows as lines of text, sorted: the same for every copy, whatever its header, line ends or row order.
SORTED_ROWS_SHA256 = "54ae4b67fd8bd2208549ec1071a2efeeffa6bc315a2802334dc50659da2ee642"


def parse_bankruptcy(content: bytes, origin: str) -> list[list[str]]:
    """The 250 rows of seven cells in the order of the file, or a ValueError naming origin, rule and value."""
    try:
        lines = content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise _wrong(origin, "UTF-8 text", str(error)) from error
    numbered = [
        (number, [cell.strip() for cell in line.split(",")])
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]
    if numbered and numbered[0][1][-1].lower() == "class":
        del numbered[0]
    for number, row in numbered:
        _check_row(row, f"{origin}, line {number}")
    rows = [row for _, row in numbered]
    _check_table(rows, origin)
    return rows


def format_bankruptcy(rows: Sequence[Sequence[str]]) -> bytes:
    """The rows as a CSV file with a header, which `parse_bankruptcy` reads back."""
    return "".join(",".join(row) + "\n" for row in (COLUMNS, *rows)).encode()


def _check_row(row: Sequence[str], origin: str) -> None:
    if len(row) != len(COLUMNS):
        raise _wrong(origin, f"{len(COLUMNS)} cells divided by commas", f"{len(row)} cells")
    for name, cell in zip(COLUMNS, row, strict=True):
        allowed = tuple(CLASS_COUNTS) if name == "class" else LETTERS
        if cell not in allowed:
            raise _wrong(origin, f"{name} to be {' or '.join(allowed)}", repr(cell[:40]))


def _check_table(rows: Sequence[Sequence[str]], origin: str) -> None:
    n_samples = sum(CLASS_COUNTS.values())
    if len(rows) != n_samples:
        raise _wrong(origin, f"{n_samples} rows", str(len(rows)))
    counts = Counter(row[-1] for row in rows)
    if counts != CLASS_COUNTS:
        raise _wrong(origin, _count_words(CLASS_COUNTS), _count_words(counts))
    digest = hashlib.sha256("\n".join(sorted(",".join(row) for row in rows)).encode()).hexdigest()
    if digest != SORTED_ROWS_SHA256:
        raise _wrong(origin, f"sorted rows of sha256 {SORTED_ROWS_SHA256}", digest)


def _count_words(counts: dict[str, int]) -> str:
    return " and ".join(f"{counts[name]} rows of class {name}" for name in CLASS_COUNTS)


def _wrong(origin: str, rule: str, value: str) -> ValueError:
    return ValueError(f"{origin}: not the Qualitative Bankruptcy data of UCI. Expected {rule}. Got {value}.")
