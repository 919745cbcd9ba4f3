"""What one feature of a data set is: a number, a boolean or a category, and how a cell of the file reads.

Not here: the rows themselves (`table`) and anything that needs pandas (`frame`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

MISSING = "?"


@dataclass(frozen=True)
class Feature:
    """One column of a data set; `categories` maps a cell of the file to the category's name, in order."""

    name: str
    kind: Literal["number", "whole", "boolean", "category"]
    categories: Mapping[str, str] = field(default_factory=dict)
    ordered: bool = False

    @property
    def has_text_cells(self) -> bool:
        """Whether the file holds the names of the categories rather than numeric codes."""
        return any(cell == name for cell, name in self.categories.items())


def number(name: str) -> Feature:
    """A feature with real values."""
    return Feature(name, "number")


def whole(name: str) -> Feature:
    """A feature whose values are all integers, whatever way the file writes them."""
    return Feature(name, "whole")


def boolean(name: str) -> Feature:
    """A feature that the file codes 0 (no) and 1 (yes)."""
    return Feature(name, "boolean")


def coded(name: str, categories: Mapping[str, str]) -> Feature:
    """A nominal feature whose cells are codes; the mapping gives each code its name."""
    return Feature(name, "category", dict(categories))


def named(name: str, categories: Iterable[str], *, ordered: bool = False) -> Feature:
    """A categorical feature whose cells are the names themselves."""
    return Feature(name, "category", {category: category for category in categories}, ordered)
