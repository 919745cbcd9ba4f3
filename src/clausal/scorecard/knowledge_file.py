"""What an expert knows, in a small TOML file: parameters of a RuleClassifier, the scale and the cut-off.

The keys are the names of the parameters. Everything is checked when it is read, except for what only a table
can tell. Not here: what the parameters mean (rule_classifier.py, encoding/booleanizer.py).
"""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from clausal.encoding.booleanizer import Booleanizer
from clausal.encoding.knowledge import NAMES as OF_FEATURES
from clausal.encoding.knowledge import plain_knowledge
from clausal.parameters import OneOf, Whole, check_value
from clausal.scorecard.scale import check_scale
from clausal.untrusted import short_repr

OF_MACHINES = ("monotonic_cst", "forbidden_features", "pos_label")
"""Parameters that a TsetlinClassifier has, too, besides its Booleanizer."""
OF_SCORECARDS = ("interaction_cst", "fixed_rules", "points_bounds", "max_features")
"""Parameters that only a RuleClassifier has."""
_FINISH = ("scale", "cut_off")
KEYS = (*OF_FEATURES, *OF_MACHINES, *OF_SCORECARDS, *_FINISH)
_SCALE = ("base_score", "base_odds", "points_to_double", "positive")
_SIGNS: dict[Any, int] = {"+": 1, "-": -1, 1: 1, -1: -1, 0: 0}
_CUT_OFFS = (OneOf(None), Whole(-(10**9), 10**9))


@dataclass(frozen=True)
class Knowledge:
    """What an expert knows of a task.

    Attributes
    ----------
    parameters : dict
        The parameters of a RuleClassifier.
    scale : dict or None
        The arguments of `Scorecard.scaled`; None leaves the points as they are.
    cut_off : int or None
        The total from which on the positive class is predicted, on that scale; None leaves the one chosen.
    """

    parameters: Mapping[str, Any]
    scale: Mapping[str, Any] | None = None
    cut_off: int | None = None

    @property
    def machine_parameters(self) -> dict[str, Any]:
        """The parameters of a TsetlinClassifier; raises ValueError if there are others."""
        others = [name for name in OF_SCORECARDS if name in self.parameters]
        others += [name for name in _FINISH if getattr(self, name) is not None]
        if others:
            raise ValueError(f"Knowledge for a machine must not have {others[0]!r}, which is for scorecards.")
        return dict(self.parameters)

    def finished(self, clf: Any) -> Any:
        """A fitted RuleClassifier on the scale and with the cut-off, as a Scorecard; itself without both."""
        from clausal.scorecard.changes import with_cut_off

        if self.scale is None and self.cut_off is None:
            return clf
        card = clf.to_scorecard()
        card = card if self.scale is None else card.scaled(**self.scale)
        return card if self.cut_off is None else with_cut_off(card, self.cut_off)


def load_knowledge(path: str | os.PathLike[str]) -> Knowledge:
    r"""Read what an expert knows from a TOML file, for `RuleClassifier(**knowledge.parameters)`.

    Parameters
    ----------
    path : str or path-like
        The file. Its keys are `cut_points`, `special_values` and `groups` of a Booleanizer, whose
        `max_columns` is "auto"; `monotonic_cst` (also "+" and "-"), `forbidden_features`, `interaction_cst`,
        `fixed_rules`, `points_bounds` (also inf for no bound), `max_features` and `pos_label` of a
        RuleClassifier; `scale` and `cut_off`. docs/formats.md has an example.

    Returns
    -------
    Knowledge
        With `parameters`, `scale` and `cut_off`, and `finished(clf)`, which applies the last two.

    Raises
    ------
    ValueError : the file is no TOML, has an unknown key, or a value that no table can make valid

    Examples
    --------
    >>> from pathlib import Path
    >>> path = Path("card.toml")
    >>> _ = path.write_text('forbidden_features = ["sex"]\n[cut_points]\nage = [25, 40, 60]\n')
    >>> from clausal import RuleClassifier, load_knowledge
    >>> clf = RuleClassifier(**load_knowledge(path).parameters)
    >>> clf.booleanizer.cut_points
    {'age': [25, 40, 60]}
    >>> path.unlink()
    """
    data = read_toml(path)
    try:
        return make_knowledge(data)
    except ValueError as error:
        raise ValueError(f"In {os.fspath(path)}: {error}") from None


def read_toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The content of a file, whose keys are known."""
    with open(path, "rb") as file:
        try:
            data = tomllib.load(file)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{os.fspath(path)} must be a TOML file. Got an error: {error}") from None
    _check_keys(data, KEYS, os.fspath(path))
    return data


def _check_keys(data: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in data:
        if key not in known:
            close = get_close_matches(key, known, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise ValueError(f"{where} must have keys from {', '.join(known)}. Got {short_repr(key)}.{hint}")


def make_knowledge(data: Mapping[str, Any]) -> Knowledge:
    """Knowledge from plain values by key, checked."""
    from clausal.scorecard.parameters import check_rule_classifier
    from clausal.scorecard.rule_classifier import RuleClassifier

    parameters = {name: data[name] for name in (*OF_MACHINES, *OF_SCORECARDS) if name in data}
    of_features = {name: data[name] for name in OF_FEATURES if data.get(name)}
    if of_features:
        booleanizer = Booleanizer(max_columns="auto", **of_features)
        for name, value in of_features.items():
            if not isinstance(value, Mapping):
                raise ValueError(f"{name!r} must be a table of features. Got {short_repr(value)}.")
        plain_knowledge(of_features)
        parameters["booleanizer"] = booleanizer
    if "monotonic_cst" in parameters:
        parameters["monotonic_cst"] = _signs(parameters["monotonic_cst"])
    if "points_bounds" in parameters:
        parameters["points_bounds"] = _bounds(parameters["points_bounds"])
    check_rule_classifier(RuleClassifier(**parameters), stored=False)
    check_value("the knowledge", "cut_off", data.get("cut_off"), _CUT_OFFS)
    return Knowledge(parameters, _scale(data.get("scale")), data.get("cut_off"))


def _signs(given: Any) -> dict[str, int]:
    """Signs of features, of which + and - may be written so."""
    if not isinstance(given, Mapping):
        raise ValueError(f"'monotonic_cst' must be a table of features. Got {short_repr(given)}.")
    for name, sign in given.items():
        if isinstance(sign, bool) or not isinstance(sign, (str, int)) or sign not in _SIGNS:
            raise ValueError(
                f"'monotonic_cst' must hold '+' (or 1), '-' (or -1) or 0. Got {short_repr(sign)} for "
                f"{name!r}."
            )
    return {name: _SIGNS[sign] for name, sign in given.items()}


def _bounds(given: Any) -> Any:
    """Bounds of points; infinity, which TOML has, is none, which it has not."""
    if not isinstance(given, Mapping):
        return given
    return {
        name: [None if isinstance(end, float) and math.isinf(end) else end for end in pair]
        if isinstance(pair, (list, tuple))
        else pair
        for name, pair in given.items()
    }


def _scale(given: Any) -> dict[str, Any] | None:
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise ValueError(f"'scale' must be a table. Got {short_repr(given)}.")
    _check_keys(given, _SCALE, "'scale'")
    check_scale(**given)
    return dict(given)
