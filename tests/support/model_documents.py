"""Model files for tests: small fitted models of many kinds, changed on purpose, with a checksum that fits."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import pickle
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd

from clausal import Booleanizer, TsetlinClassifier

NUMBERS = np.array([[0.5, 3.0], [1.5, 3.0], [2.5, 4.0], [3.5, 4.0], [4.5, 3.0], [5.5, 4.0]])
MIXED = pd.DataFrame(
    {
        "age": [54.0, 61.0, None, 47.0, 55.0, 70.0],
        "pain": ["mild", "none", "severe", "mild", None, "none"],
        "stage": pd.Categorical(["I", "II", "III", "I", "II", "III"], ["I", "II", "III", "IV"], ordered=True),
        "smoker": [True, False, True, True, False, False],
        "nothing": [None] * 6,
    }
)


def small_model() -> TsetlinClassifier:
    """Two clauses over one column: the smallest file there is."""
    clf = TsetlinClassifier(2, threshold=2, n_epochs=3, booleanizer=None, random_state=0)
    return clf.fit(np.array([[0], [1], [0], [1]]), np.array([0, 1, 0, 1]))


def model_of_numbers() -> TsetlinClassifier:
    """Three classes of text, real weights, class weights, categorical features by position."""
    labels = np.array(["low", "mid", "high", "low", "mid", "high"])
    clf = TsetlinClassifier(
        4,
        threshold=3,
        n_epochs=5,
        weighting="real",
        specificity=(1.5, 3.0),
        class_weight={"low": 2.0, "high": 0.5},
        categorical_features=[1],
        forbidden_features=[1],
        random_state=1,
    )
    return clf.fit(NUMBERS, labels)


def model_of_a_frame() -> TsetlinClassifier:
    """Every kind of feature, with missing values, and a booleanizer with parameters of its own."""
    booleanizer = Booleanizer(
        max_columns=3,
        categorical_features=["pain", "stage"],
        handle_unknown="missing",
        handle_missing="as_false",
    )
    clf = TsetlinClassifier(
        4,
        threshold=4,
        n_epochs=2,
        booleanizer=booleanizer,
        monotonic_cst={"age": 1, "stage": -1},
        forbidden_features=["smoker"],
        random_state=2,
    )
    labels = np.array([1, 0, 1, 0, 1, 0], dtype=np.int8)
    clf.fit(MIXED, labels, eval_set=(MIXED, labels))
    for _ in range(20):
        clf.partial_fit(MIXED, labels)
    return clf


def model_of_the_paper() -> TsetlinClassifier:
    """Coded categories, no weights, float labels, a mask of categorical features, no names."""
    clf = TsetlinClassifier(
        2,
        n_epochs=4,
        weighting="none",
        booleanizer="paper",
        class_weight={1.0: 3, 2.0: 1},
        categorical_features=[False, True],
        monotonic_cst=[1, 0],
        random_state=3,
    )
    X = MIXED[["age", "pain"]].astype(object).to_numpy()
    return clf.fit(X, np.array([1.0, 2.0, 1.0, 2.0, 1.0, 2.0]))


def read_content(path: Path) -> Any:
    """The content of a model file, without any check."""
    return json.loads(path.read_text())["content"]


def write_content(path: Path, content: object, **head: object) -> None:
    """Write a model file around any content, checksum included; `@raw:name@` stands for RAW[name]."""
    text = with_raw(json.dumps(content, sort_keys=True, separators=(",", ":")))
    digest = hashlib.sha256(text.encode("ascii")).hexdigest()
    start = json.dumps({"format": "clausal model", "version": 1, "sha256": digest, **head})
    write_bytes(path, (with_raw(start[:-1]) + ', "content": ' + text + "}\n").encode("ascii"))


def write_bytes(path: Path, data: bytes) -> None:
    """Write a new file: some systems flush one that is written over, which takes long thousands of times."""
    path.unlink(missing_ok=True)
    path.write_bytes(data)


RAW = {  # JSON that Python's writer would not write
    "list40": "[" * 40 + "]" * 40,
    "list900": "[" * 900 + "]" * 900,
    "list2000": "[" * 2000 + "]" * 2000,
    "dict300": '{"a":' * 300 + "1" + "}" * 300,
    "dict2000": '{"a":' * 2000 + "1" + "}" * 2000,
    "list100000": "[" * 100_000 + "]" * 100_000,
    "nan": "NaN",
    "infinity": "-Infinity",
    "1e999": "1e999",
    "digits": "1" + "0" * 5000,
    "twice": '{"a":1,"a":1}',
}
VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 3, 4, 7, 128, 129, 256, 1000, 65535, 65536, 65537),
    *(2**31 - 1, 2**31, -(2**31), 2**32, 2**53 + 1, 2**62, 2**63 - 1, 2**63, -(2**63), 2**64, 10**30),
    *(10**400, -(10**400), 0.0, -0.0, 0.5, 1.0, 1.5, 2.0, 3.5, 5e-324, 1e-300, 1e22, 1e308, -1e308),
    *("", "a", "auto", "0", "é", "\ud800", "\x00", "'\"{}", "\x1b[2J", "x" * 100_000, "missing", "true"),
    *("integer", "none", "real", "paper", "boolean", "reference", "cpu", "balanced", "focused", "from_dtype"),
    *("numeric", "nominal", "ranked", "empty", "bool", "str", "object", "float32", "int8", "uint64"),
    *([], {}, [[]], [1], [1, 2], [0, 1], [2.0, 1.0], ["a"], ["a", "b"], [None], [True], {"a": 1}, [["a", 1]]),
    *(f"@raw:{name}@" for name in RAW),
]


def with_raw(text: str) -> str:
    for name, token in RAW.items() if "@raw:" in text else ():
        text = text.replace(f'"@raw:{name}@"', token)
    return text


def mutated(content: Any, random: Random) -> Any:
    """A copy with one to three random changes anywhere in it."""
    content = pickle.loads(pickle.dumps(content))  # as deepcopy, but fast
    for _ in range(random.choice([1, 1, 1, 1, 2, 3])):
        holder, key = random.choice(places(content))
        change = random.choice(CHANGES)
        if holder is None:
            content = random.choice(VALUES) if random.random() < 0.1 else content
        else:
            change(holder, key, random)
    return content


def places(node: Any) -> list[tuple[Any, Any]]:
    """Every (holder, key) of a nested structure; (None, None) is its root."""
    found: list[tuple[Any, Any]] = [(None, None)]
    waiting = [node]
    while waiting:
        holder = waiting.pop()
        if isinstance(holder, (dict, list)):
            for key in list(holder) if isinstance(holder, dict) else range(len(holder)):
                found.append((holder, key))
                waiting.append(holder[key])
    return found


def _replace(holder: Any, key: Any, random: Random) -> None:
    holder[key] = copy.deepcopy(random.choice(VALUES))


def _replace_alike(holder: Any, key: Any, random: Random) -> None:
    """A value of the same type, so that the type alone does not give it away."""
    alike = [value for value in VALUES if type(value) is type(holder[key])]
    holder[key] = copy.deepcopy(random.choice(alike))


def _delete(holder: Any, key: Any, random: Random) -> None:
    del holder[key]


def _swap(holder: Any, key: Any, random: Random) -> None:
    other = random.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
    holder[key], holder[other] = holder[other], holder[key]


def _insert(holder: Any, key: Any, random: Random) -> None:
    """One more item: a copy of this one, or any value."""
    item = holder[key] if random.random() < 0.5 else random.choice(VALUES)
    if isinstance(holder, dict):
        holder[random.choice(["", "a", "kind", "values", "n_clauses"])] = copy.deepcopy(item)
    else:
        holder.insert(random.randint(0, len(holder)), copy.deepcopy(item))


def _rename(holder: Any, key: Any, random: Random) -> None:
    if isinstance(holder, dict):
        holder[random.choice([key + "_", key.upper(), "", "x" * 1000])] = holder.pop(key)
    else:
        holder.reverse()


def _nudge(holder: Any, key: Any, random: Random) -> None:
    """A neighbour of the value: another sign, size or type, or an array with a byte changed or lost."""
    value = holder[key]
    if isinstance(value, bool) or value is None:
        holder[key] = random.choice([not value, int(bool(value)), str(value)])
    elif isinstance(value, (int, float)):
        whole = value if abs(value) < 1e300 else 1
        near = [value + 1, value - 1, -value, value * 2, float(whole), str(value), [value], whole / 3]
        holder[key] = random.choice(near)
    elif isinstance(value, str):
        holder[key] = _other_text(value, random)
    else:
        holder[key] = random.choice([list(value), str(value)[:100], len(value), {"a": value}])


def _other_text(text: str, random: Random) -> str:
    try:
        raw = bytearray(base64.b64decode(text, validate=True))
    except ValueError:
        raw = bytearray()
    if not raw or random.random() < 0.2:
        return random.choice([text[:-1], text + text, text.upper(), text + "\ud800", text[1:]])
    if random.random() < 0.2:
        raw = raw[: random.randrange(len(raw))] if random.random() < 0.5 else raw + raw[:4]
    else:
        raw[random.randrange(len(raw))] = random.choice([0, 1, 127, 128, 255, random.randrange(256)])
    return base64.b64encode(raw).decode("ascii")


CHANGES = [
    *(_replace, _replace, _replace_alike, _replace_alike, _replace_alike),
    *(_delete, _swap, _insert, _rename, _nudge, _nudge, _nudge),
]
