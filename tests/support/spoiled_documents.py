"""Ways to damage the document of a model, which is made of dictionaries, lists and plain values.

`WAYS` has the systematic ways, each applied to every value of a document; `mutated` makes random changes. Not
here: the documents (model_documents.py) and what must happen to them (model_kinds.py).
"""

from __future__ import annotations

import base64
import copy
import json
import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any

KeyPath = tuple[str | int, ...]

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
AGAIN = "@again@"  # a key with this ending is written without it, as a second key of the same name
NUMBERS: list[Any] = [
    *(0, 1, -1, 2, 3, 4, 7, 128, 129, 256, 1000, 65535, 65536, 65537),
    *(2**31 - 1, 2**31, -(2**31), 2**32, 2**53 + 1, 2**62, 2**63 - 1, 2**63, -(2**63), 2**64, 10**30),
    *(10**400, -(10**400), 0.0, -0.0, 0.5, 1.0, 1.5, 2.0, 3.5, 5e-324, 1e-300, 1e22, 1e308, -1e308),
]
TEXTS: list[Any] = [
    *("", "a", "auto", "0", "é", "\ud800", "\x00", "'\"{}", "\x1b[2J", "x" * 100_000, "missing", "true"),
    *("integer", "none", "real", "paper", "boolean", "reference", "cpu", "balanced", "focused", "from_dtype"),
    *("numeric", "nominal", "ranked", "empty", "bool", "str", "object", "float32", "int8", "uint64"),
]
VALUES: list[Any] = [
    *(None, True, False, *NUMBERS, *TEXTS),
    *([], {}, [[]], [1], [1, 2], [0, 1], [2.0, 1.0], ["a"], ["a", "b"], [None], [True], {"a": 1}, [["a", 1]]),
    *(f"@raw:{name}@" for name in RAW),
]


def written(content: object, canonical: bool = True) -> str:
    """JSON text; `@raw:name@` stands for RAW[name], and a key that ends in AGAIN for the same key again."""
    layout: dict[str, Any] = {"sort_keys": True, "separators": (",", ":")} if canonical else {}
    text = json.dumps(content, **layout)
    for name, token in RAW.items() if "@raw:" in text else ():
        text = text.replace(f'"@raw:{name}@"', token)
    return text.replace(AGAIN, "")


# --- paths of keys ---


def key_paths(content: Any) -> Iterator[KeyPath]:
    """The path of keys and positions to every value; the first, (), is the content itself."""
    waiting: list[tuple[KeyPath, Any]] = [((), content)]
    while waiting:
        path, value = waiting.pop()
        yield path
        waiting.extend(((*path, key), value[key]) for key in keys_of(value))


def keys_of(value: Any) -> list[Any]:
    """The keys of a dictionary, the positions of a list, nothing of any other value."""
    if isinstance(value, dict):
        return list(value)
    return list(range(len(value))) if isinstance(value, list) else []


def value_at(content: Any, path: KeyPath) -> Any:
    for key in path:
        content = content[key]
    return content


def replaced(content: Any, path: KeyPath | str, value: Any) -> Any:
    """A copy with another value at a path, which may be a text such as "rules.0.points"."""
    content = copied(content)
    if isinstance(path, str):
        path = tuple(int(key) if key.isdigit() else key for key in path.split("."))
    if not path:
        return value
    holder = value_at(content, path[:-1])
    assert path[-1] in keys_of(holder), path
    holder[path[-1]] = value
    return content


def copied(content: Any) -> Any:
    return pickle.loads(pickle.dumps(content))  # like deepcopy, but faster


# --- systematic ways: other values for a value ---


@dataclass(frozen=True)
class Way:
    """One way to spoil a value: `others(name, value)` gives what to write instead of it.

    `refused`: no document spoiled so is a model.
    `says`: what every refusal says.
    """

    others: Callable[[str, Any], Iterable[Any]]
    refused: bool = False
    says: str = ""


FREE_RECORDS = ("history", "monotonic_cst", "about", "effect", "constraints")  # any keys, or any of some
OPTIONAL = (
    "stability",
    "alternatives",
    "errors",
    "n_alternatives",
    "shared",
    "sharing",
    "cut_off",
    "overrides",
)
"""Missing in files of earlier versions."""


OPTIONAL_OF_OWNED = (
    "constraints",
    "class_weight",
    "scale",
    "cut_off_by_hand",
)  # needed in other dictionaries


def _needed(value: dict[str, Any]) -> list[str]:
    owned = OPTIONAL_OF_OWNED if value.get("estimator") == "Scorecard" else ()
    return sorted(value.keys() - {*OPTIONAL, *owned})


def _missing_keys(name: str, value: Any) -> Iterator[Any]:
    if isinstance(value, dict) and name not in FREE_RECORDS:
        for key in _needed(value):
            yield {other: item for other, item in value.items() if other != key}


def _extra_keys(name: str, value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield {**value, "unexpected": [[]]}


def _renamed_keys(name: str, value: Any) -> Iterator[Any]:
    if isinstance(value, dict) and name not in FREE_RECORDS:
        for key in _needed(value):
            yield {(other.upper() if other == key else other): item for other, item in value.items()}


def _repeated_keys(name: str, value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key in list(value)[:1]:
            yield {**value, key + AGAIN: value[key]}


def _always(*values: Any) -> Callable[[str, Any], Iterable[Any]]:
    return lambda name, value: values


def _other_types(name: str, value: Any) -> Iterator[Any]:
    for other in (None, True, 3, 2.5, "text", [], {}, [[]]):
        if type(other) is not type(value) or isinstance(value, (dict, list)):
            yield other
    if isinstance(value, (dict, list)):
        yield str(value)[:100]


def _other_numbers(name: str, value: Any) -> Iterator[Any]:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        near = (value + 1, value - 1, -value, value * 2, value / 3, float(value), int(value))
        far = (0, -1, 2**31, -(2**31) - 1, 2**53 + 1, 2**63, 10**30, 5e-324, 1e308)
        different = {repr(other): other for other in near + far}
        different.pop(repr(value), None)
        yield from different.values()


def _other_texts(name: str, value: Any) -> Iterator[Any]:
    if isinstance(value, str):
        yield from (value[:-1], value[1:], value + value, value.upper(), value + "\ud800", "\x00", "")
        yield from ("x" * 2000, "auto", "none", "real", "object", "numeric", "ranked", "empty")


def _other_arrays(name: str, value: Any) -> Iterator[Any]:
    """Base64 of other bytes: fewer, more, all the same, or one of them changed."""
    raw = _raw_bytes(value)
    if not raw:
        return
    others = [b"", raw[:-1], raw[:-4], raw + b"\0", raw + raw, bytes(len(raw)), b"\xff" * len(raw)]
    middle = len(raw) // 2
    others += [raw[:middle] + bytes([raw[middle] ^ bit]) + raw[middle + 1 :] for bit in (1, 64, 128)]
    for other in others:
        yield base64.b64encode(other).decode("ascii")
    yield "!" + value[1:]


def _other_lists(name: str, value: Any) -> Iterator[Any]:
    """Too short, too long, in another order."""
    if isinstance(value, list) and value:
        yield from ([], value[1:], value[:-1], [*value, value[-1]], value + value, value[::-1])
        yield [*value, None]


def _exchanged(name: str, value: Any) -> Iterator[Any]:
    """Exchange two adjacent values in a dictionary or a list."""
    for first, second in pairwise(keys_of(value)):
        other = copy.copy(value)
        other[first], other[second] = value[second], value[first]
        yield other


KEYS = "must be a dictionary (with the keys .* Got no '|whose 'kind' is one of)"
WAYS = {
    "a key is missing": Way(_missing_keys, refused=True, says=KEYS),
    "a key too many": Way(_extra_keys, refused=True, says="'unexpected'"),
    "a key of another name": Way(_renamed_keys, refused=True, says=KEYS),
    "a key twice": Way(_repeated_keys, refused=True, says="a key is repeated"),
    "a dictionary of nobody's": Way(
        _always({"unexpected": [[]]}),
        refused=True,
        says=r"Got (a dict|a list|'dict'|'NoneType'|no '|extra '|\[\[|\{'unexpected')",
    ),
    "no number of JSON": Way(
        _always("@raw:nan@", "@raw:1e999@"), refused=True, says="not a number|not finite"
    ),
    "an integer of 5001 digits": Way(_always("@raw:digits@"), refused=True, says="5001 digits"),
    "an integer beyond float64": Way(
        _always(10**309, -9 * 10**308),
        refused=True,
    ),
    "deep nesting": Way(_always("@raw:list40@", "@raw:dict2000@"), refused=True, says="nested too deeply"),
    "another type": Way(_other_types),
    "another number": Way(_other_numbers),
    "another text": Way(_other_texts),
    "another array": Way(_other_arrays),
    "another list": Way(_other_lists),
    "two values exchanged": Way(_exchanged),
}


def spoiled(content: Any, way: Way) -> Iterator[tuple[KeyPath, Any]]:
    """The documents that a way makes, each with the path that differs from `content`.

    In a list of numbers, only the first and the last are changed, because all are read in the same way.
    """
    for path in key_paths(content):
        if not path or _is_end_or_no_number(value_at(content, path[:-1]), path[-1]):
            name = path[-1] if path and isinstance(path[-1], str) else ""
            for other in way.others(name, value_at(content, path)):
                yield path, replaced(content, path, other)


def _is_end_or_no_number(holder: Any, key: Any) -> bool:
    return (
        isinstance(holder, dict) or key in (0, len(holder) - 1) or not isinstance(holder[key], (int, float))
    )


def _raw_bytes(text: Any) -> bytes:
    """The bytes of base64 text; empty if it is not base64."""
    try:
        return base64.b64decode(text, validate=True) if isinstance(text, str) else b""
    except ValueError:
        return b""


# --- random changes ---


def mutated(content: Any, random: Random) -> Any:
    """A copy with one to three random changes anywhere in it."""
    content = copied(content)
    for _ in range(random.choice([1, 1, 1, 1, 2, 3])):
        path = random.choice(list(key_paths(content)))
        change = random.choice(CHANGES)
        if not path:
            content = random.choice(VALUES) if random.random() < 0.1 else content
        else:
            change(value_at(content, path[:-1]), path[-1], random)
    return content


def _replace(holder: Any, key: Any, random: Random) -> None:
    holder[key] = copy.deepcopy(random.choice(VALUES))


def _replace_alike(holder: Any, key: Any, random: Random) -> None:
    """A value of the same type, so that a check of the type is not enough."""
    alike = [value for value in VALUES if type(value) is type(holder[key])]
    holder[key] = copy.deepcopy(random.choice(alike))


def _delete(holder: Any, key: Any, random: Random) -> None:
    del holder[key]


def _swap(holder: Any, key: Any, random: Random) -> None:
    other = random.choice(keys_of(holder))
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
    """A similar value: another sign, size or type, or an array with a byte changed or removed."""
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
    raw = bytearray(_raw_bytes(text))
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
