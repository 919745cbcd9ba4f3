"""Tables as commands read them, from a few lines of text."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from clausal.tables.table_file import CsvTable, read_csv


@pytest.fixture
def table_of() -> Callable[[str], CsvTable]:
    """Makes a table of CSV text."""
    return lambda text: CsvTable(read_csv(io.BytesIO(text.encode()), "t.csv"))
