"""The log of a scorecard: one entry per edit that was kept, with what it did to the scores.

Not here: edits (edit.py), their effect (effect.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any

from clausal.parameters import Instance, check_text, check_value
from clausal.untrusted import read_number, wrong

Effect = Mapping[str, str | float | None]
"""What an edit did, as named measures."""

BEFORE, AFTER = " before", " after"
"""The ends of the names of measures."""
LARGE = 1000.0
"""In size; measures from here on have no digits after the point."""
_MAX_TEXT = 10_000  # characters of a text in the log


@dataclass(frozen=True)
class LogEntry:
    """One edit of a scorecard, as its log keeps it.

    Attributes
    ----------
    when : the time in ISO 8601, such as `2026-11-18T22:15:00+00:00`
    who : who made the edit
    why : the reason that was given
    what : the edit in words
    effect : what the edit did, as named numbers or texts, such as the validated score before and after
    """

    when: str
    who: str
    why: str
    what: str
    effect: Effect = field(default_factory=dict)

    def __post_init__(self) -> None:
        vars(self)["effect"] = MappingProxyType(dict(self.effect))

    def __reduce__(self) -> tuple[Any, ...]:  # a read-only mapping is not pickled
        return LogEntry, (self.when, self.who, self.why, self.what, dict(self.effect))

    def __str__(self) -> str:
        measures = "".join(f"; {name}: {value}" for name, value in self.effect_texts().items())
        return f"{self.when} {self.who}: {self.what} ({self.why}){measures}"

    def effect_texts(self) -> dict[str, str]:
        """The effect as texts: before, then after, with three digits."""
        found = {}
        for name in self.effect:
            before = name.removesuffix(AFTER) + BEFORE if name.endswith(AFTER) else name
            for each in (before, name):
                if each in self.effect:
                    found[each] = _value_text(self.effect[each])
        return found


def _value_text(value: str | float | None) -> str:
    """A measure: three digits, of a large number those before the point, and - if it is not defined."""
    if not isinstance(value, float):
        return "-" if value is None else str(value)
    return f"{value:.3g}" if abs(value) < LARGE else f"{value:.0f}"


def checked_log(log: Iterable[LogEntry]) -> tuple[LogEntry, ...]:
    """The entries of a log, all of which can be shown."""
    entries = tuple(log)
    for index, entry in enumerate(entries):
        check_value("Scorecard", "log", entry, (Instance(LogEntry, "a list of LogEntry"),))
        _check_entry(entry, f"log[{index}]")
    return entries


def _check_entry(entry: LogEntry, where: str) -> None:
    """Raise a ValueError unless the texts of an entry can be shown and its numbers are finite."""
    for name in ("when", "who", "why", "what"):
        check_text(f"{where}.{name}", getattr(entry, name), _MAX_TEXT)
    try:
        datetime.fromisoformat(entry.when)
    except ValueError:
        raise wrong(f"{where}.when", "a time in ISO 8601", entry.when) from None
    for name, value in entry.effect.items():
        check_text(f"a name in {where}.effect", name, _MAX_TEXT)
        if isinstance(value, str):
            check_text(f"{where}.effect[{name!r}]", value, _MAX_TEXT)
        elif value is not None:
            read_number(value, f"{where}.effect[{name!r}]")
