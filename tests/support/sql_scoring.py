"""Rows scored by the SQL of a RuleSet in real databases, and by Python one row at a time."""

from __future__ import annotations

import sqlite3
import warnings
from typing import Any

import duckdb
import pandas as pd

from clausal import UnseenValueWarning
from clausal.rules.rule_set import RuleSet

Row = tuple[Any, ...]
Columns = dict[str, tuple[str, list[Any]]]  # name -> (SQL type, values)


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def run_sql(dialect: str, query: str, columns: Columns, table: str = '"data"') -> list[Row]:
    """The result of a query on a table of these columns, in the order of its rows."""
    kinds = ", ".join(f"{quoted(name)} {kind}" for name, (kind, _) in columns.items())
    rows = list(zip(*(values for _, values in columns.values()), strict=True))
    connection = duckdb.connect() if dialect == "duckdb" else sqlite3.connect(":memory:")
    try:
        connection.execute(f"CREATE TABLE {table} ({kinds})")
        connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", rows)
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def score_in_sql(rules: RuleSet, dialect: str, columns: Columns) -> list[Row]:
    """Votes and class of each row, as the database computes them."""
    numbered = {**columns, "row number": ("INTEGER", list(range(len(next(iter(columns.values()))[1]))))}
    scored = run_sql(dialect, rules.to_sql(dialect, keep=["row number"]), numbered)
    return [row[1:] for row in sorted(scored)]


def score_in_python(rules: RuleSet, columns: Columns) -> list[Row]:
    """Votes and class of each row; all None if Python raises an error for it."""
    frame = pd.DataFrame({name: pd.Series(values, dtype=object) for name, (_, values) in columns.items()})
    scored = []
    for index in range(len(frame)):
        row = frame.iloc[[index]]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UnseenValueWarning)
                votes = rules.votes(row).reshape(-1).tolist()
                scored.append((*votes, rules.predict(row).tolist()[0]))
        except ValueError:
            scored.append((None,) * (rules.n_banks + 1))
    return scored
