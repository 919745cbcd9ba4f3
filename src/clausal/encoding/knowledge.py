"""What an expert knows of features before any row is read: cut points, special values, groups of categories.

Here: the parameters `cut_points`, `special_values` and `groups` of a Booleanizer, each checked, as plain
values, from model files, and what they say of each feature of a table. Not here: what is learned with them
(fit_feature.py), the columns (features.py, category_features.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from clausal.encoding.columns import Category, selected_indices
from clausal.encoding.values import EXACT_INTEGERS, plain_category
from clausal.untrusted import read_integer, read_list, read_number, read_text, short_repr, wrong

Numbers: TypeAlias = tuple[float, ...]
Groups: TypeAlias = tuple[tuple[str, tuple[Category, ...]], ...]
Key: TypeAlias = str | int
ByFeature: TypeAlias = tuple[tuple[Key, Any], ...]

NAMES = ("cut_points", "special_values", "groups")
"""The parameters, each a dict by name or position of the feature, or None."""

_OWNER = "Booleanizer"
_MOST_NUMBERS = 65_535  # cut points or special values of a feature


@dataclass(frozen=True)
class FeatureKnowledge:
    """What is known of one feature.

    Attributes
    ----------
    cuts : its cut points, ascending; None if they are learned
    special : numbers that are categories of their own, ascending
    groups : names of groups and their members, each sorted
    """

    cuts: Numbers | None = None
    special: Numbers = ()
    groups: Groups = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known."""
        return self == NOTHING

    def refusal(self, name: str, found: str) -> ValueError:
        """The error that says which parameter does not fit the values of a feature."""
        parameter = "groups" if self.groups else "special_values" if self.cuts is None else "cut_points"
        wanted = "text or numbers, as its categories are" if self.groups else "numbers that are no categories"
        return ValueError(
            f"{_said(parameter)} must be about features that hold {wanted}. Got {name!r}, which {found}."
        )


NOTHING = FeatureKnowledge()


def _said(parameter: str) -> str:
    return f"The {parameter!r} parameter of {_OWNER}"


def plain_knowledge(params: Mapping[str, Any]) -> dict[str, ByFeature | None]:
    """The parameters as tuples of (feature, what is known of it), checked; None where nothing is known."""
    found = {name: _plain(name, params.get(name)) for name in NAMES}
    special = dict(found["special_values"] or ())
    for key, cuts in found["cut_points"] or ():
        both = sorted(set(cuts) & set(special.get(key, ())))
        if both:
            raise ValueError(
                f"{_said('special_values')} must hold numbers that are no cut points, since a special value "
                f"is on no side of one. Got {plain_category(both[0])} for {key!r}, which is both."
            )
    numeric = {key for name in ("cut_points", "special_values") for key, _ in found[name] or ()}
    for key, _ in found["groups"] or ():
        if key in numeric:
            raise ValueError(
                f"{_said('groups')} must be about categories, not about features with cut points or special "
                f"values. Got {key!r}."
            )
    return found


def _plain(parameter: str, given: Any) -> ByFeature | None:
    """One parameter; a dict by feature, or pairs as in a model file."""
    if given is None:
        return None
    items = list(given.items() if isinstance(given, Mapping) else given)
    if not items:
        return None
    read = _read_groups if parameter == "groups" else _read_numbers
    found = []
    for item in items:
        key, value = item
        key = key.item() if isinstance(key, np.generic) else key
        if not isinstance(key, (str, int)) or isinstance(key, bool):
            raise ValueError(
                f"{_said(parameter)} must have names or positions of features as keys. Got {short_repr(key)}."
            )
        found.append((key, read(parameter, key, value)))
    return tuple(found)


def _listed(given: Any) -> list[Any] | None:
    """The items of a list, tuple or array as plain values; None for anything else."""
    if hasattr(given, "__array__") and not isinstance(given, np.generic):
        return list(np.asarray(given).tolist()) if np.ndim(given) == 1 else None
    if not isinstance(given, (list, tuple)):
        return None
    return [item.item() if isinstance(item, np.generic) else item for item in given]


def _read_numbers(parameter: str, key: Key, given: Any) -> Numbers:
    """Cut points, which must be sorted, or special values, which may be in any order."""
    items = _listed(given)
    what = "cut points" if parameter == "cut_points" else "special values"
    if not items or len(items) > _MOST_NUMBERS:
        raise ValueError(
            f"{_said(parameter)} must have a list of 1 to {_MOST_NUMBERS:,} {what} for each feature. "
            f"Got {short_repr(given) if items is None else f'{len(items)} of them'} for {key!r}."
        )
    for item in items:
        if not _is_finite(item):
            raise ValueError(
                f"{_said(parameter)} must hold finite numbers. Got {short_repr(item)} for {key!r}."
            )
        if isinstance(item, int) and abs(item) >= EXACT_INTEGERS:
            raise ValueError(
                f"{_said(parameter)} must hold whole numbers smaller than 2**53 in size, as numbers are "
                f"compared as float64. Got {short_repr(item)} for {key!r}."
            )
    numbers = [float(item) + 0.0 for item in items]
    if len(set(numbers)) < len(numbers):
        twice = next(number for number in numbers if numbers.count(number) > 1)
        raise ValueError(
            f"{_said(parameter)} must hold different numbers. Got {plain_category(twice)} twice for {key!r}."
        )
    if parameter == "cut_points" and numbers != sorted(numbers):
        low = next(k for k in range(1, len(numbers)) if numbers[k] < numbers[k - 1])
        raise ValueError(
            f"{_said(parameter)} must be sorted, the smallest first. Got {plain_category(numbers[low])} "
            f"after {plain_category(numbers[low - 1])} for {key!r}."
        )
    return tuple(sorted(numbers))


def _is_finite(item: Any) -> bool:
    """Whether this is a finite number, and no boolean."""
    if isinstance(item, int):
        return not isinstance(item, bool)
    return isinstance(item, Real) and math.isfinite(item)


def _read_groups(parameter: str, key: Key, given: Any) -> Groups:
    """Names of groups and their members."""
    pairs = list(given.items()) if isinstance(given, Mapping) else _listed(given)
    if not pairs or not all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in pairs):
        raise ValueError(
            f"{_said(parameter)} must have a dict of named groups, each a list of categories, for each "
            f"feature. Got {short_repr(given)} for {key!r}."
        )
    found: list[tuple[str, tuple[Category, ...]]] = []
    group_of: dict[Category, str] = {}
    for name, given_members in pairs:
        members = _listed(given_members)
        if not isinstance(name, str) or not name:
            raise ValueError(
                f"{_said(parameter)} must have names of groups that are text, not empty. "
                f"Got {short_repr(name)} for {key!r}."
            )
        if not members:
            raise ValueError(
                f"{_said(parameter)} must have a list of one or more categories for each group. "
                f"Got {short_repr(given_members)} for the group {name!r} of {key!r}."
            )
        if name in (known for known, _ in found):
            raise ValueError(
                f"{_said(parameter)} must have different groups. Got {name!r} twice for {key!r}."
            )
        plain = [_read_category(parameter, key, item) for item in members]
        for member in plain:
            other = group_of.setdefault(member, name)
            if other != name or plain.count(member) > 1:
                both = f"both {other!r} and {name!r}" if other != name else f"{name!r} twice"
                raise ValueError(
                    f"{_said(parameter)} must have each category in one group, once. "
                    f"Got {member!r} in {both} for {key!r}."
                )
        found.append((name, tuple(plain)))
    if len({isinstance(member, str) for member in group_of}) > 1:
        texts = [next(m for m in group_of if isinstance(m, str) is kind) for kind in (True, False)]
        raise ValueError(
            f"{_said(parameter)} must have categories that are all text or all numbers. "
            f"Got {texts[0]!r} and {texts[1]!r} for {key!r}."
        )
    return tuple((name, tuple(sorted(members))) for name, members in found)


def _read_category(parameter: str, key: Key, item: Any) -> Category:
    too_large = isinstance(item, int) and abs(item) >= EXACT_INTEGERS
    if not isinstance(item, str) and (too_large or not _is_finite(item)):
        raise ValueError(
            f"{_said(parameter)} must hold categories that are text or finite numbers, smaller than 2**53 in "
            f"size if whole. Got {short_repr(item)} for {key!r}."
        )
    return plain_category(item)


# --- of the features of a table ---


def knowledge_of_features(
    known: Mapping[str, ByFeature | None], names: Sequence[str] | None, n_features: int
) -> tuple[FeatureKnowledge, ...]:
    """What is known of each feature; raises ValueError for a feature that the table lacks."""
    if not any(known.values()):
        return (NOTHING,) * n_features
    found: list[dict[str, Any]] = [{} for _ in range(n_features)]
    fields = dict(zip(NAMES, ("cuts", "special", "groups"), strict=True))
    for parameter, field in fields.items():
        entries = known.get(parameter) or ()
        said = _said(parameter)
        positions = selected_indices([key for key, _ in entries], names, n_features, said)
        for position, (_, value) in zip(positions, entries, strict=True):
            found[position][field] = value
    return tuple(FeatureKnowledge(**each) for each in found)


# --- model files ---


def knowledge_to_lists(known: Mapping[str, ByFeature | None]) -> dict[str, Any]:
    """The parameters that say something, as JSON-compatible lists."""
    listed: dict[str, Any] = {}
    for name in NAMES:
        entries = known.get(name)
        if entries is not None:
            listed[name] = [
                [key, [[group, list(members)] for group, members in value] if name == "groups" else [*value]]
                for key, value in entries
            ]
    return listed


def as_dict(name: str, entries: ByFeature | None) -> dict[Key, Any] | None:
    """A parameter as a user gives it."""
    if entries is None:
        return None
    return {
        key: {group: list(members) for group, members in value}
        if name == "groups"
        else [plain_category(number) for number in value]
        for key, value in entries
    }


def read_knowledge(data: Mapping[str, Any], where: str) -> dict[str, ByFeature | None]:
    """The inverse of `knowledge_to_lists`; raises ValueError for anything else."""
    found: dict[str, Any] = {}
    for name in NAMES:
        if data.get(name) is None:
            continue
        found[name] = [
            (_read_key(pair[0], f"{where}.{name}"), _read_value(name, pair[1], f"{where}.{name}"))
            for pair in _pairs(data[name], f"{where}.{name}")
        ]
        keys = [key for key, _ in found[name]]
        if len(set(keys)) < len(keys) or not keys:
            raise wrong(f"{where}.{name}", "a list of different features, at least one", data[name])
    return plain_knowledge(found)


def _pairs(data: object, where: str) -> Iterable[list[object]]:
    for item in read_list(data, where):
        pair = read_list(item, where)
        if len(pair) != 2:
            raise wrong(where, "a list of pairs", item)
        yield pair


def _read_key(data: object, where: str) -> Key:
    return read_integer(data, where, 0, 2**53) if isinstance(data, int) else read_text(data, where)


def _read_value(name: str, data: object, where: str) -> Any:
    if name != "groups":
        return [read_number(item, where) for item in read_list(data, where)]
    return [
        (
            read_text(group, where),
            [item if isinstance(item, str) else read_number(item, where) for item in read_list(own, where)],
        )
        for group, own in _pairs(data, where)
    ]
