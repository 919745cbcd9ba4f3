"""Hostile names, categories and labels in SQL: taken literally in every dialect, or refused; never a query.

A statement is read back twice, by sqlglot and by the patterns below, which know only how a database quotes.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
import sqlglot
from sqlglot.dialects.dialect import Dialects
from sqlglot.expressions import Literal

from clausal import Booleanizer
from clausal.encoding.column_choice import plain_params
from clausal.export.sql_quoting import QUOTING, check_names, check_texts
from clausal.rules.rule_set import RuleSet
from tests.support.sql_scoring import (
    DATABASES,
    OTHER_MODE,
    SERVERS,
    Columns,
    dialect_of,
    score_in_python,
    score_in_sql,
)
from tests.support.sql_values import text_of, values_in

WITHOUT_QUERIES = {"prql", "dax"}  # sqlglot does not read back what it writes
ALL = sorted({dialect.value for dialect in Dialects if dialect.value} - WITHOUT_QUERIES)
HOSTILE = [
    *("\\", "a\\", "\\\\", "\\n", "\\'", '\\"', "\\`", "\\]", "\\\\'", "'", "''", '"', '""', "`", "``", "]"),
    *("]]", "[", "' OR 1=1 --", '" OR 1=1 --', "` OR 1=1 --", "] OR 1=1 --", "'; DROP TABLE data; --"),
    *("\\'; SELECT 1; --", '\\" FROM data UNION SELECT 1 --', "\\` FROM data UNION SELECT 1 --"),
    *("x' || (SELECT 1) || '", "/*", "*/", "--", "a\nb", "a\rb", "a\tb", "a\\\nb", "a\0b", "\0"),
    *("a\x1b[2J", "a\x07", "a\x7f", "a\x85b", "a\u2028b", "\ud800", "${x}", "{{x}}", "%s", "?", ":x", "@x"),
    *("$$", "E'", "N'", "#", "é'", "ʼ", "＇", "＂", "﹨", "日本'", " ", "a b", "select", "x" * 300, "x.y"),
    "\u202e'",
]
HARMLESS = ["plain", "it's", "a b", "é", "100 %"]


def rules_with(name: str = "n", category: str = "c", label: str = "l") -> RuleSet:
    """A rule on each of three categories of one feature, as a stranger's file may hold them."""
    categories = sorted([category, "other", "third"])
    nominal = {"kind": "nominal", "categories": categories, "own": [0, 1, 2], "nullable": False}
    params = plain_params(Booleanizer().get_params())
    return RuleSet.from_dict(
        {
            "booleanizer": {"params": params, "feature_names": [name], "features": [nominal]},
            "classes": {"type": "object", "values": [label, "second"]},
            "constants": [-3],  # so that rows of both classes occur
            "rules": [{"points": 2**index, "bank": 0, "literals": [index]} for index in range(3)],
        }
    )


def quoted_tokens(dialect: str) -> re.Pattern[str]:
    """What a database takes for a name or a text in quotes, by its own manual."""
    plain, escaped = r"'(?:[^']|'')*'", r"'(?:[^'\\]|\\.|'')*'"
    names = {'"': r'"(?:[^"]|"")*"', "`": r"`(?:[^`]|``)*`", "[": r"\[(?:[^\]]|\]\])*\]"}
    by_dialect = {
        **dict.fromkeys(("snowflake", "redshift"), (names['"'], escaped)),
        **dict.fromkeys(("spark", "spark2", "databricks", "hive"), (names["`"], r"'(?:[^'\\]|\\.)*'")),
        **dict.fromkeys(("tsql", "fabric"), (names["["], f"N?{plain}")),
        "mysql": (names["`"], escaped),
        "bigquery": (r"`(?:[^`\\\n]|\\.)*`", r"'(?:[^'\\\n]|\\.)*'"),
        "clickhouse": (r'"(?:[^"\\]|\\.|"")*"', escaped),
    }
    name, text = by_dialect.get(dialect, (names['"'], plain))
    return re.compile(f"(?P<name>{name})|(?P<text>{text})", re.DOTALL)


def skeleton(query: str, dialect: str) -> str:
    """The query without what is in quotes; texts that a dialect marks as Unicode are like others."""
    bare = quoted_tokens(dialect).sub(lambda match: f"<{match.lastgroup}>", query)
    return re.sub(r"CAST\(x?<text> AS CHAR CHARACTER SET utf8mb4\)|N<text>", "<text>", bare)


def tree(query: str, dialect: str) -> list[str]:
    """The kinds of the nodes of the one statement that sqlglot reads."""
    (statement,) = sqlglot.parse(query, dialect=dialect)
    plain = statement.transform(lambda node: Literal.string(text) if (text := text_of(node)) else node)
    return [type(node).__name__ for node in plain.walk()]


def can_be_a_column(name: str, database: str) -> bool:
    """Whether a table may have a column of this name: MySQL refuses long ones and a space at the end."""
    return database not in SERVERS or (len(name) <= 64 and not name.endswith(" "))


def written(dialect: str, role: str, value: str) -> str | None:
    """The query, or None where the value is refused with a reason."""
    try:
        return rules_with(**{role: value}).to_sql(dialect)
    except ValueError as error:
        reason = str(error)
    assert re.search(r"must be texts that can be quoted in .* Got .*\.$", reason, re.DOTALL), reason
    assert len(reason) < 400
    return None


@pytest.mark.parametrize("role", ["name", "category", "label"])
@pytest.mark.parametrize("dialect", ALL)
def test_a_hostile_value_is_taken_literally_or_refused(dialect: str, role: str) -> None:
    benign = written(dialect, role, "zz")
    assert benign is not None
    n_written = 0
    for value in HOSTILE:
        query = written(dialect, role, value)
        if query is None:
            continue
        n_written += 1
        assert value in values_in(query, dialect)
        assert tree(query, dialect) == tree(benign, dialect)
        if dialect in QUOTING:
            assert skeleton(query, dialect) == skeleton(benign, dialect), value
        else:
            assert not set("'\"`[]\\\n\0") & set(value)
    assert n_written > len(HOSTILE) // 4
    assert n_written < len(HOSTILE)


@pytest.mark.parametrize("dialect", QUOTING)
def test_what_a_dialect_can_quote_is_not_refused(dialect: str) -> None:
    for value in [*HARMLESS, "\\", "it's", "a\\'b", '"', "`"]:
        assert written(dialect, "category", value) is not None, value
        assert written(dialect, "label", value) is not None, value
    for value in (*HARMLESS, "a]b", 'a"b', "a`b"):
        assert written(dialect, "name", value) is not None, value


@pytest.mark.parametrize(
    ("database", "settings"),
    [*((name, {}) for name in DATABASES), *((name, {"sql_mode": OTHER_MODE}) for name in SERVERS)],
    ids=str,
)
@pytest.mark.parametrize("role", ["name", "category", "label"])
def test_databases_score_hostile_values_as_python_does(
    database: str, role: str, settings: dict[str, Any]
) -> None:
    n_run = 0
    for value in HOSTILE:
        if written(dialect_of(database), role, value) is None:
            continue
        if role == "name" and not can_be_a_column(value, database):
            continue
        n_run += 1
        rules = rules_with(**{role: value})
        columns: Columns = {
            value if role == "name" else "n": (
                "VARCHAR",
                [value if role == "category" else "c", "other", "third", "unseen"],
            )
        }
        assert score_in_sql(rules, database, columns, **settings) == score_in_python(rules, columns), value
    assert n_run > 40


@pytest.mark.parametrize(
    ("dialect", "value", "wrong"),
    [
        ("clickhouse", 'a\\" FROM x --', '"a\\"" FROM x --"'),  # sqlglot before 30.22
        ("clickhouse", "a\\", '"a\\"'),
        ("clickhouse", "\\n", '"\\n"'),
        ("duckdb", 'a"b', '"a"b"'),
        ("bigquery", "a`b", "`a``b`"),  # sqlglot before 30.29
        ("bigquery", "a\\", "`a\\`"),
        ("mysql", "a`b", "`a`b`"),
        ("tsql", "a]b", "[a]b]"),
        ("postgres", "ab", "ab"),
        ("postgres", "ab", '"ab'),
        ("postgres", "ab", '"'),
    ],
)
def test_what_a_writer_of_sql_does_not_quote_is_noticed(dialect: str, value: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=f"Names in SQL must be texts that can be quoted in '{dialect}'"):
        check_names([value], dialect, lambda name: wrong)


@pytest.mark.parametrize(
    ("dialect", "value", "wrong"),
    [
        ("postgres", "a'b", "'a\\'b'"),
        ("clickhouse", "a\\", "'a\\'"),
        ("spark", "a'b", "'a''b'"),
        ("mysql", "a'b", "'a\\'b'"),  # ends the text where backslashes are not escapes
        ("mysql", "a\\b", "'a\\\\b'"),  # another text there
        ("mysql", "a\\b", "'a\\b'"),
        ("mysql", "a\\b", "x'61'"),
        ("mysql", "é'b", "CAST('é'b' AS CHAR CHARACTER SET utf8mb4)"),
        ("snowflake", "a\\qb", "'a\\qb'"),
        ("tsql", "a\\\nb", "'a\\\nb'"),
    ],
)
def test_the_same_of_texts(dialect: str, value: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=f"labels in SQL must be texts that can be quoted in '{dialect}'"):
        check_texts([value], dialect, lambda text: wrong)


@pytest.mark.parametrize("option", ["vote", "prediction", "table"])
def test_names_of_the_caller_are_checked_too(option: str) -> None:
    options: dict[str, Any] = {option: "a\0b"}
    with pytest.raises(ValueError, match="Names in SQL must be"):
        rules_with().to_sql("clickhouse", **options)
    with pytest.raises(ValueError, match="Names in SQL must be"):
        rules_with().to_sql("duckdb", keep=["a\nb"])


def rules_on(*names: str) -> RuleSet:
    """A rule on each of some numbers."""
    number = {"kind": "numeric", "cuts": [1.0], "nullable": False}
    params = plain_params(Booleanizer().get_params())
    return RuleSet.from_dict(
        {
            "booleanizer": {"params": params, "feature_names": names, "features": [number] * len(names)},
            "classes": {"type": "object", "values": ["a", "b"]},
            "constants": [-3],
            "rules": [{"points": index + 1, "bank": 0, "literals": [index]} for index in range(len(names))],
        }
    )


@pytest.mark.parametrize("dialect", ALL)
def test_names_that_a_database_does_not_tell_apart_are_refused(dialect: str) -> None:
    rules = rules_on("Age", "income", "age")
    if dialect in ("postgres", "oracle", "snowflake", "clickhouse"):
        assert rules.to_sql(dialect)
    else:
        with pytest.raises(ValueError, match=f"'{dialect}' does not tell apart. Got 'Age' and 'age'"):
            rules.to_sql(dialect)
    assert rules.with_rules(list(rules)[:2]).to_sql(dialect)  # one of the two is in no rule


@pytest.mark.parametrize("database", ["duckdb", "sqlite"])
def test_databases_tell_names_apart_only_if_they_do_not_differ_in_case(database: str) -> None:
    """What the table of dialects says of those that are always here."""
    connection: Any = __import__({"duckdb": "duckdb", "sqlite": "sqlite3"}[database]).connect(":memory:")
    (found,) = connection.execute('SELECT "AGE" FROM (SELECT 1 AS "age") "t"').fetchall()
    assert found == (1,)
