"""What the user says about a model at the top of the page, and the classes of the rows.

All text is plain: the template escapes it. Not here: the measures beside it (metrics.py).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

KNOWN_KEYS = ("purpose", "owner", "data", "period")
"""What a reader wants to know first; the page says which of them are not stated."""

MAX_TITLE, MAX_KEY, MAX_VALUE, MAX_ENTRIES = 200, 60, 2000, 30

_MAX_CLASSES = 20  # in the table of classes


@dataclass(frozen=True)
class About:
    """What the user says about the model.

    Attributes
    ----------
    title : the heading of the page; None for the standard one
    entries : names and texts, the known ones first
    not_stated : the known names without a text
    """

    title: str | None
    entries: tuple[tuple[str, str], ...]
    not_stated: tuple[str, ...]


def read_about(title: Any, about: Any) -> About:
    """Check a title and a dict of texts; ValueError says what is wrong."""
    if title is not None:
        check_text("title", title, MAX_TITLE)
    if about is None:
        about = {}
    if not isinstance(about, Mapping):
        raise ValueError(f"about must be a dict of texts. Got {type(about).__name__}.")
    if len(about) > MAX_ENTRIES:
        raise ValueError(f"about must have at most {MAX_ENTRIES} entries. Got {len(about)}.")
    entries: dict[str, str] = {}
    for key, value in about.items():
        check_text("a key of about", key, MAX_KEY)
        check_text(f"about[{key!r}]", value, MAX_VALUE)
        name = key.strip().lower() if key.strip().lower() in KNOWN_KEYS else key.strip()
        if name in entries:
            raise ValueError(f"about must have each key once. Got {name!r} twice.")
        entries[name] = value.strip()
    known = [(name.capitalize(), entries.pop(name)) for name in KNOWN_KEYS if name in entries]
    missing = tuple(name for name in KNOWN_KEYS if name.capitalize() not in dict(known))
    return About(None if title is None else title.strip(), (*known, *entries.items()), missing)


def check_text(name: str, text: Any, max_length: int) -> None:
    """Raise ValueError unless this is a text to show: not blank, not too long, without odd characters."""
    if not isinstance(text, str):
        raise ValueError(f"{name} must be a str. Got {text!r:.80}.")
    if not text.strip():
        raise ValueError(f"{name} must not be blank. Got {text!r:.80}.")
    if len(text) > max_length:
        raise ValueError(f"{name} must have at most {max_length} characters. Got {len(text)}.")
    odd = next((mark for mark in text if mark not in "\n\t" and _is_odd(mark)), None)
    if odd is not None:
        raise ValueError(f"{name} must be plain text, without control characters. Got {odd!r}.")


def _is_odd(mark: str) -> bool:
    """Whether a character is a control character, half of a character, or one that turns text round."""
    return unicodedata.category(mark) in ("Cc", "Cs") or mark in "\u202a\u202b\u202d\u202e\u2066\u2067\u2068"


@dataclass(frozen=True)
class ClassShare:
    """A class, and its number and share of rows in each set of rows."""

    name: str
    parts: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Balance:
    """The classes of the rows.

    Attributes
    ----------
    names : of the sets of rows, with their sizes
    classes : one line per class
    n_left_out : the number of classes that are not listed
    """

    names: tuple[tuple[str, int], ...]
    classes: tuple[ClassShare, ...]
    n_left_out: int


def class_balance(class_names: Sequence[str], parts: Mapping[str, NDArray[np.integer]]) -> Balance:
    """The number of rows of each class, given as class indices, in each set of rows."""
    counts = {name: np.bincount(codes, minlength=len(class_names)) for name, codes in parts.items()}
    classes = tuple(
        ClassShare(name, tuple((int(count[k]), float(count[k] / count.sum())) for count in counts.values()))
        for k, name in enumerate(class_names[:_MAX_CLASSES])
    )
    sizes = tuple((name, len(codes)) for name, codes in parts.items())
    return Balance(sizes, classes, max(0, len(class_names) - _MAX_CLASSES))
