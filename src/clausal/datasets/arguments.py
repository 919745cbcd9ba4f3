"""The check of a loader's arguments: same rules and same sentence as an estimator's parameters.

Not here: the rules themselves (`clausal.parameters`) and checks of file content.
"""

from __future__ import annotations

from clausal.parameters import OneOf, Rule

FLAG: tuple[Rule, ...] = (OneOf(True, False),)


def check_arguments(function: str, **arguments: tuple[object, tuple[Rule, ...]]) -> None:
    """Raise a ValueError naming argument, rule and value for the first `name=(value, rules)` that fails."""
    for name, (value, rules) in arguments.items():
        if not any(rule.accepts(value) for rule in rules):
            wanted = " or ".join(str(rule) for rule in rules)
            raise ValueError(f"The {name!r} parameter of {function} must be {wanted}. Got {value!r}.")
