"""The check of a loader's arguments: same rules and same sentence as an estimator's parameters.

Not here: the rules themselves (`clausal.parameters`) and checks of file content.
"""

from __future__ import annotations

from clausal.parameters import OneOf, Rule, check_value

FLAG: tuple[Rule, ...] = (OneOf(True, False),)


def check_arguments(function: str, **arguments: tuple[object, tuple[Rule, ...]]) -> None:
    """Check each `name=(value, rules)`; see `clausal.parameters.check_value`."""
    for name, (value, rules) in arguments.items():
        check_value(function, name, value, rules)
