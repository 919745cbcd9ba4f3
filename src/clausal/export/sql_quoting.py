"""Names and texts in the quotes of a SQL dialect: what sqlglot writes is read back here before it is used.

A rule set may come from a stranger, and a name or text that leaves its quotes is a query of the stranger's.
How a database reads what is quoted is written down here once more, independently of sqlglot, for the dialects
in `QUOTING`. In any other dialect, quotes, backslashes and control characters are refused. Not here: the
query (sql.py), which imports sqlglot.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from typing import NamedTuple

from clausal.untrusted import short_repr


class Quoting(NamedTuple):
    """How a database reads what stands in quotes.

    Attributes
    ----------
    name : the two quotes around a name; the second is doubled within it
    name_escapes : whether a backslash in a name escapes the next character
    text_escapes : whether a backslash in a text does; texts are in single quotes
    doubled : whether a doubled single quote in a text is a single quote; otherwise it starts another text
    exact_names : whether names in quotes that differ only in case are two columns, by default
    by_setting : whether a setting of the database decides what a backslash is; it is written in hexadecimal
    """

    name: str
    name_escapes: bool = False
    text_escapes: bool = False
    doubled: bool = True
    by_setting: bool = False
    exact_names: bool = False


_STANDARD = Quoting('""')
_EXACT = Quoting('""', exact_names=True)
_BACKSLASH = Quoting('""', text_escapes=True)
_SPARK = Quoting("``", text_escapes=True, doubled=False)
_MICROSOFT = Quoting("[]")
QUOTING = {
    **dict.fromkeys(("duckdb", "sqlite", "trino", "presto", "teradata"), _STANDARD),
    **dict.fromkeys(("postgres", "oracle"), _EXACT),
    "snowflake": _BACKSLASH._replace(exact_names=True),
    "redshift": _BACKSLASH,
    **dict.fromkeys(("spark", "spark2", "databricks", "hive"), _SPARK),
    **dict.fromkeys(("tsql", "fabric"), _MICROSOFT),
    "mysql": Quoting("``", text_escapes=True, by_setting=True),  # NO_BACKSLASH_ESCAPES
    "bigquery": Quoting("``", name_escapes=True, text_escapes=True, doubled=False),
    "clickhouse": Quoting('""', name_escapes=True, text_escapes=True, exact_names=True),
}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", **{character: character for character in "\\'\"`"}}
_SPECIAL = frozenset("'\"`[]\\")


def check_names(names: Iterable[str], dialect: str, write: Callable[[str], str]) -> None:
    """Refuse names that `write` does not quote as the database reads them, and control characters."""
    for name in names:
        if not name or _has_category(name, ("Cc", "Cs")) or not _is_quoted_name(write(name), name, dialect):
            raise _refused("Names in SQL", "not empty, without control characters", name, dialect)


def check_case(names: Iterable[str], dialect: str) -> None:
    """Refuse columns whose names differ only in case where a database takes them for one.

    So it is in a dialect that is not known here.
    """
    rules, found = QUOTING.get(dialect), dict[str, str]()
    if rules is not None and rules.exact_names:
        return
    for name in names:
        other = found.setdefault(name.casefold(), name)
        if other != name:
            raise ValueError(
                f"Names of features in SQL must differ in more than the case of letters, which {dialect!r} "
                f"does not tell apart. Got {short_repr(other)} and {short_repr(name)}."
            )


def check_texts(texts: Iterable[str], dialect: str, write: Callable[[str], str]) -> None:
    """Refuse texts that `write` does not quote as the database reads them, and NUL."""
    for text in texts:
        if "\0" in text or _has_category(text, ("Cs",)) or not _is_quoted_text(write(text), text, dialect):
            raise _refused("Categories and class labels in SQL", "without NUL", text, dialect)


def needs_hex(text: str) -> bool:
    """Whether MySQL reads a text in quotes by its settings, so that it must be written in hexadecimal."""
    return "\\" in text or _has_category(text, ("Cc",))


def _refused(what: str, rule: str, value: str, dialect: str) -> ValueError:
    special = "" if dialect in QUOTING else ", without quotes, brackets and backslashes"
    return ValueError(
        f"{what} must be texts that can be quoted in {dialect!r}, {rule}{special}. Got {short_repr(value)}."
    )


def _has_category(text: str, categories: tuple[str, ...]) -> bool:
    return any(unicodedata.category(character) in categories for character in text)


def _is_quoted_name(written: str, name: str, dialect: str) -> bool:
    rules = QUOTING.get(dialect)
    if rules is None:
        return not _SPECIAL & set(name)
    if dialect == "bigquery" and "." in name:  # a path, even in quotes
        return False
    doubled = not (rules.name_escapes and rules.name == "``")  # BigQuery escapes its quote
    return _read(written, *rules.name, escapes=rules.name_escapes, doubled=doubled) == name


def _is_quoted_text(written: str, text: str, dialect: str) -> bool:
    rules = QUOTING.get(dialect)
    if rules is None:
        return not (_SPECIAL & set(text) or _has_category(text, ("Cc",)))
    if rules.by_setting:
        written = written.removeprefix("CAST(").removesuffix(" AS CHAR CHARACTER SET utf8mb4)")
        if needs_hex(text):
            return written == f"x'{text.encode().hex()}'"
        if needs_hex(written):
            return False
    if rules.text_escapes and any(_has_category(c, ("Cc",)) and c not in "\n\t\r" for c in text):
        return False  # databases differ in what \a or \v is
    if rules is _MICROSOFT:
        if "\\\n" in text or "\\\r" in text:  # a line that goes on
            return False
        written = written.removeprefix("N")
    return _read(written, "'", "'", escapes=rules.text_escapes, doubled=rules.doubled) == text


def _read(written: str, first: str, last: str, *, escapes: bool, doubled: bool) -> str | None:
    """What a database reads; None if the quotes end early, do not end, or hold an unknown escape."""
    if len(written) < 2 or written[0] != first or written[-1] != last:
        return None
    inner, index, read = written[1:-1], 0, []
    while index < len(inner):
        character = inner[index]
        following = inner[index + 1] if index + 1 < len(inner) else ""
        if character == last:
            if not doubled or following != last:
                return None
            index += 1
        elif character == "\\" and escapes:
            if following not in _ESCAPES or not following:
                return None
            character = _ESCAPES[following]
            index += 1
        read.append(character)
        index += 1
    return "".join(read)
