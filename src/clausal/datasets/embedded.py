"""Reads a CSV file that travels inside the package.

Not here: files that the user provides or that are downloaded (`bankruptcy_source`).
"""

from __future__ import annotations

import csv
from importlib.resources import files


def read_embedded(file_name: str) -> list[dict[str, str]]:
    """The rows of `data/<file_name>`, each a dict from column name to cell."""
    text = (files("clausal.datasets") / "data" / file_name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
