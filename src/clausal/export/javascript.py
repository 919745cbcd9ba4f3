"""A model as one ES module.

It holds the model's data, the script that also scores rows in the report (score.js), and what reads a case
(module.js).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from clausal.export.document import RuleDocument
from clausal.export.self_test import Expected

_HEAD = """\
/* A model of rules, written by clausal. `score({...})` takes one value per feature, null where missing, and
   returns the predicted class or number, the votes, the probability of each of `classes` (null if the model
   has none) and whether each rule holds. `selfTest()` checks known rows. */
"""


def to_javascript(document: RuleDocument, self_test: Sequence[Expected]) -> str:
    """The source of an ES module with `score`, `classes` and `selfTest`."""
    document.whole_units("JavaScript")
    rows = [[row.values, row.votes, row.decided, row.probabilities, row.fires] for row in self_test]
    listed = "".join(f"  {_json(row)},\n" for row in rows)
    data = f"const model = {_json(document.to_module())};\nconst rows = [\n{listed}];\n"
    return "\n".join(
        [_HEAD, data, _resource("score.js").removeprefix('"use strict";\n'), _resource("module.js")]
    )


def _json(value: Any) -> str:
    """Plain values as JSON, ASCII only and without `<`, so that the module may also stand in a page."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _resource(name: str) -> str:
    return files("clausal.export").joinpath(name).read_text(encoding="utf-8")
