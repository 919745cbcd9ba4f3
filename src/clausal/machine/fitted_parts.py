"""Fitted attributes that belong together: `fit` sets all of them, and no one replaces a single one.

With other rules, the calibration of a scorecard would be wrong; with another encoding, the clauses of a
machine would read other columns. Not here: what the attributes are (classifier.py and
scorecard/rule_classifier.py).
"""

from __future__ import annotations

from typing import Any, ClassVar


class FittedParts:
    """A base class that refuses to replace a fitted attribute by hand.

    `fit`, `load`, pickle and `copy` write to `__dict__` or set an attribute that is not there yet.
    """

    _PARTS: ClassVar[tuple[str, ...]] = ()
    _INSTEAD: ClassVar[str] = ""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._PARTS and name in self.__dict__:
            raise AttributeError(
                f"{name} of {type(self).__name__} must not be replaced: {', '.join(self._PARTS)} belong "
                f"together. {self._INSTEAD} Got a {type(value).__name__}."
            )
        super().__setattr__(name, value)
