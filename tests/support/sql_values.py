"""The names and texts of a SQL query as sqlglot reads it, however a dialect writes them."""

from __future__ import annotations

from typing import Any

import sqlglot
from sqlglot.expressions import Cast, DataType, HexString, Identifier, Literal, National


def text_of(node: Any) -> str | None:
    """The text that a node stands for: quoted, or marked as Unicode, which MySQL may have in hexadecimal."""
    if isinstance(node, Cast) and node.to.this == DataType.Type.CHARACTER_SET:
        return text_of(node.this)
    if isinstance(node, HexString):
        return bytes.fromhex(node.name).decode()
    quoted = isinstance(node, National) or (isinstance(node, Literal) and node.is_string)
    return node.name if quoted else None


def values_in(query: str, dialect: str) -> set[str]:
    """Every name and every text of the query."""
    statement = sqlglot.parse_one(query, dialect=dialect)
    names = {node.name for node in statement.find_all(Identifier)}
    return names | {text for node in statement.walk() if (text := text_of(node)) is not None}
