"""Rows scored by the SQL of a RuleSet in real databases, and by Python one row at a time."""

from __future__ import annotations

import sqlite3
import warnings
from typing import Any

import duckdb
import pandas as pd

from clausal import UnseenValueWarning
from clausal.rules.rule_set import RuleSet
from tests.support.sql_servers import connect

Row = tuple[Any, ...]
Columns = dict[str, tuple[str, list[Any]]]  # name -> (SQL type, values)


SERVERS = ("MySQL", "MariaDB")
DATABASES = ("duckdb", "sqlite", *SERVERS)
OTHER_MODE = "ANSI,NO_BACKSLASH_ESCAPES,HIGH_NOT_PRECEDENCE"  # what MySQL can be set to read differently


def dialect_of(database: str) -> str:
    """The dialect that a database reads."""
    return "mysql" if database in SERVERS else database


def quoted(name: str, database: str) -> str:
    mark = "`" if database in SERVERS else '"'
    return mark + name.replace(mark, 2 * mark) + mark


def run_sql(database: str, query: str, columns: Columns, table: str = "data", **settings: Any) -> list[Row]:
    """The result of a query on a table of these columns; `settings` are those of a server's connection."""
    kinds = ((quoted(name, database), kind) for name, (kind, _) in columns.items())
    rows = list(zip(*(values for _, values in columns.values()), strict=True))
    temporary, place = "", "?"
    if database in SERVERS:
        temporary, place = "TEMPORARY", "%s"
        kinds = ((name, "VARCHAR(400)" if kind == "VARCHAR" else kind) for name, kind in kinds)
        rows = [tuple(None if value != value else value for value in row) for row in rows]  # it has no NaN
    connection = _connect(database, **settings)
    try:
        cursor = connection.cursor()
        name = quoted(table, database)
        cursor.execute(f"CREATE {temporary} TABLE {name} ({', '.join(map(' '.join, kinds))})")
        cursor.executemany(f"INSERT INTO {name} VALUES ({', '.join([place] * len(columns))})", rows)
        cursor.execute(query)
        return list(cursor.fetchall())
    finally:
        connection.close()


def _connect(database: str, **settings: Any) -> Any:
    if database in SERVERS:
        return connect(database, **settings)
    return duckdb.connect() if database == "duckdb" else sqlite3.connect(":memory:")


def score_in_sql(rules: RuleSet, database: str, columns: Columns, **settings: Any) -> list[Row]:
    """Votes and class of each row, as the database computes them."""
    numbered = {**columns, "row number": ("INTEGER", list(range(len(next(iter(columns.values()))[1]))))}
    query = rules.to_sql(dialect_of(database), keep=["row number"])
    return [row[1 : 2 + rules.n_banks] for row in sorted(run_sql(database, query, numbered, **settings))]


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
