"""Bodies of requests, read within limits, and bodies of answers: JSON in both directions.

A refusal says what is wrong, the constraint and the value. Not here: what is done with rows (scoring.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import Request, Response

from clausal.files.model_file import parse_json
from clausal.service.scoring import RefusedRow
from clausal.untrusted import short_repr

JSON_TYPE = "application/json"


class Refusal(Exception):  # noqa: N818  # it is an answer
    """A request that is answered with an error of the client."""

    def __init__(self, status: int, detail: str, rows: Sequence[RefusedRow] = ()) -> None:
        super().__init__(detail)
        self.status, self.detail, self.rows = status, detail, rows

    def answer(self) -> Response:
        """The answer to the client."""
        content: dict[str, Any] = {"detail": self.detail}
        if self.rows:
            content["rows"] = [row._asdict() for row in self.rows]
        return Response(to_json(content), self.status, media_type=JSON_TYPE)


def to_json(content: Any) -> bytes:
    """JSON in ASCII, which any text of a body or a model fits into, half a surrogate pair too."""
    return json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode("ascii")


async def read_body(request: Request, limit: int) -> bytes:
    """The body, which is not read further than the limit."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > limit:
            raise Refusal(413, f"The body must have at most {limit:,} bytes. Got more.")
    return bytes(body)


def parse_body(body: bytes) -> Any:
    """What the JSON of a body says."""
    try:
        return parse_json(body.decode("utf-8"))
    except RecursionError:
        reason = "it is nested too deeply"
    except UnicodeDecodeError:
        reason = "it is not UTF-8"
    except ValueError as error:
        reason = str(error)
    raise Refusal(
        400, f"The body must be JSON of finite numbers, with each key once. Got an error: {reason}."
    )


def rows_of(content: Any, options: Sequence[str], limit: int) -> list[Any]:
    """The rows of a body, beside which only these options may be given."""
    if not isinstance(content, dict):
        raise Refusal(422, f"The body must be an object with the rows in 'rows'. Got {short_repr(content)}.")
    known = ("rows", *options)
    for name in content:
        if name not in known:
            listed = ", ".join(map(repr, known))
            raise Refusal(422, f"The body must have no other keys than {listed}. Got {short_repr(name)}.")
    rows = content.get("rows", [])
    if not isinstance(rows, list) or not rows:
        got = "none" if rows == [] else short_repr(rows)
        raise Refusal(422, f"'rows' must be a list of at least one row. Got {got}.")
    if len(rows) > limit:
        raise Refusal(413, f"'rows' must have at most {limit:,} rows here. Got {len(rows):,}.")
    return rows


def explain_options(
    content: Mapping[str, Any], names: Sequence[str], classes: Mapping[Any, Any]
) -> dict[str, Any]:
    """What a body says of counterfactuals, as `Explainable.explain` takes it.

    Parameters
    ----------
    content : the body
    names : the features of the model
    classes : the class labels as JSON has them, and as the model does
    """
    wanted, fixed = content.get("counterfactuals", True), content.get("fixed", [])
    if not isinstance(wanted, bool):
        raise Refusal(422, f"'counterfactuals' must be true or false. Got {short_repr(wanted)}.")
    if not isinstance(fixed, list):
        raise Refusal(422, f"'fixed' must be a list of features of the model. Got {short_repr(fixed)}.")
    for name in fixed:
        if not isinstance(name, str) or name not in names:
            raise Refusal(422, f"'fixed' must be a list of features of the model. Got {short_repr(name)}.")
    target = content.get("target")
    same = [label for plain, label in classes.items() if plain == target and type(plain) is type(target)]
    if target is not None and not same:
        listed = ", ".join(map(short_repr, [*classes][:10]))
        raise Refusal(422, f"'target' must be one of the classes {listed}. Got {short_repr(target)}.")
    positions = [names.index(name) for name in fixed]
    return {"counterfactuals": wanted, "fixed": positions, "target": same[0] if same else None}
