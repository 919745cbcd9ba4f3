"""How the columns of an encoding are chosen: the parameters of a Booleanizer, checked and as plain values.

Not here: what is known of single features (knowledge.py), the scikit-learn transformer (booleanizer.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Any

from clausal.encoding.columns import plain_selection
from clausal.encoding.knowledge import (
    NAMES,
    ByFeature,
    as_dict,
    knowledge_to_lists,
    plain_knowledge,
    read_knowledge,
)
from clausal.encoding.values import Policy
from clausal.parameters import Constraint, Instance, Listing, OneOf, Whole, check_value
from clausal.untrusted import read_record, read_scalar, wrong

OWNER = "Booleanizer"
MAX_COLUMNS = 16  # of max_columns="auto", where no classifier chooses

PARAMETERS: Mapping[str, tuple[Constraint, ...]] = {
    "mode": (OneOf("auto", "paper", "boolean"),),
    "max_columns": (OneOf("auto"), Whole(1, 65_535)),
    "categorical_features": (
        OneOf("from_dtype", None),
        Listing("a list of names, of positions or of booleans"),
    ),
    "handle_unknown": (OneOf("no_rule", "error", "no_match", "missing"),),
    "handle_missing": (OneOf("no_rule", "error", "as_false"),),
    **dict.fromkeys(NAMES, (OneOf(None), Instance(Mapping, "a dict by feature"))),
}
"""Constraints on the parameters of the Booleanizer, which are also stored with an encoding."""


@dataclass(frozen=True)
class ColumnChoice:
    """How the columns were chosen: the parameters of the Booleanizer with the same names."""

    mode: str = "auto"
    max_columns: int = MAX_COLUMNS
    categorical_features: str | tuple[str | int, ...] | None = "from_dtype"
    cut_points: ByFeature | None = None
    special_values: ByFeature | None = None
    groups: ByFeature | None = None

    @property
    def knowledge(self) -> dict[str, ByFeature | None]:
        """What the user knows of features."""
        return {name: getattr(self, name) for name in NAMES}


AUTO = ColumnChoice()


def read_encoding_params(data: object) -> dict[str, Any]:
    """The parameters of a Booleanizer from a file; raises ValueError for anything else."""
    where = "booleanizer.params"
    added = {**dict.fromkeys(NAMES), **data} if isinstance(data, dict) else data
    params = read_record(added, where, PARAMETERS)
    known = read_knowledge(params, where)
    params = params | {name: as_dict(name, known.get(name)) for name in NAMES}
    for name, constraints in PARAMETERS.items():
        value = params[name]
        for item in (value if isinstance(value, list) else (value,)) if name not in NAMES else ():
            if not isinstance(item, (str, int, NoneType)):
                raise wrong(f"{where}.{name}", "a string, an integer, None or a list of them", item)
            if item is value or isinstance(item, int):  # a listed name may be long
                read_scalar(item, f"{where}.{name}")
        check_value(OWNER, name, value, constraints)
    return dict(params)


def plain_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a Booleanizer as JSON-compatible values; see `read_encoding_params`."""
    listed = plain_selection(params["categorical_features"])
    others = {name: value for name, value in params.items() if name not in NAMES}
    known = knowledge_to_lists(plain_knowledge(params))
    most = params["max_columns"] if isinstance(params["max_columns"], str) else int(params["max_columns"])
    return {**others, "max_columns": most, "categorical_features": listed, **known}


def split_params(params: Mapping[str, Any], max_columns: int = MAX_COLUMNS) -> tuple[Policy, ColumnChoice]:
    """The parameters of a Booleanizer as a policy and a choice of columns; `max_columns` is "auto"."""
    listed = plain_selection(params["categorical_features"])
    known = plain_knowledge(params)
    mode = str(params["mode"])
    for name in NAMES:
        if known[name] is not None and mode != "auto":
            raise ValueError(
                f"The {name!r} parameter of {OWNER} must be None unless mode is 'auto'. Got mode={mode!r}."
            )
    return (
        Policy(str(params["handle_unknown"]), str(params["handle_missing"])),
        ColumnChoice(
            mode=mode,
            max_columns=max_columns if params["max_columns"] == "auto" else int(params["max_columns"]),
            categorical_features=tuple(listed) if isinstance(listed, list) else listed,
            **known,
        ),
    )
