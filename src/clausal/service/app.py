"""`make_app`: a FastAPI application with the paths /predict, /explain, /health, /docs and /openapi.json.

Nothing is logged here, and no row is kept. Not here: bodies and their limits (bodies.py), scoring
(scoring.py), the description of a model (schema.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi
from sklearn.utils.validation import check_is_fitted
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from clausal.encoding.patches import require_table
from clausal.parameters import Whole, check_value
from clausal.rules.rule_set import RuleSet
from clausal.service.bodies import (
    JSON_TYPE,
    Refusal,
    explain_options,
    parse_body,
    read_body,
    rows_of,
    to_json,
)
from clausal.service.docs_page import docs_page
from clausal.service.schema import model_schemas
from clausal.service.scoring import RefusedRowsError, RowScorer

MAX_BODY_BYTES = 4 * 2**20
MAX_ROWS = 10_000
MAX_EXPLAINED_ROWS = 100


@dataclass(frozen=True)
class Limits:
    """What a request may hold at most; see the parameters of `make_app`."""

    max_body_bytes: int
    max_rows: int
    max_explained_rows: int

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            check_value("make_app", name, value, (Whole(1),))


def make_app(
    model: Any,
    *,
    max_body_bytes: int = MAX_BODY_BYTES,
    max_rows: int = MAX_ROWS,
    max_explained_rows: int = MAX_EXPLAINED_ROWS,
) -> FastAPI:
    """A web application that answers with the predictions and explanations of a model.

    Any ASGI server can run it, another application can mount it, and Starlette's test client can call it. It
    keeps the rules that the model has now. `clausal serve` runs it; docs/service.md describes it.

    Parameters
    ----------
    model : fitted TsetlinClassifier, RuleClassifier or Scorecard, or RuleSet
        A RuleSet has no probabilities.
    max_body_bytes : int, default=4194304
        The largest body of a request. A longer one is not read further.
    max_rows : int, default=10000
        The most rows of a request to /predict.
    max_explained_rows : int, default=100
        The most rows of a request to /explain.

    Returns
    -------
    fastapi.FastAPI
    """
    limits = Limits(max_body_bytes, max_rows, max_explained_rows)
    service = _Service(type(model).__name__, _row_scorer(model), limits)
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    for path, call in (("/predict", service.predict), ("/explain", service.explain)):
        app.add_api_route(path, call, methods=["POST"], response_model=None, **_described(path))
    app.add_api_route("/health", service.health, response_model=None)
    app.add_api_route("/openapi.json", service.openapi, include_in_schema=False, response_model=None)
    app.add_api_route("/docs", service.docs, include_in_schema=False, response_model=None)
    document = get_openapi(title="clausal", version=version("clausal"), routes=app.routes)
    document.setdefault("components", {})["schemas"] = service.schemas
    app.openapi = lambda: document  # type: ignore[method-assign]
    service.document = to_json(document)
    return app


def _row_scorer(model: Any) -> RowScorer:
    if isinstance(model, RuleSet):
        model.outcome.require_classes("A service")
        require_table(model.encoding, "a service")
        return RowScorer(model, None)
    if not hasattr(model, "_probability"):
        raise TypeError(
            "The 'model' parameter of make_app must be a TsetlinClassifier, RuleClassifier, Scorecard or "
            f"RuleSet. Got {type(model).__name__}."
        )
    check_is_fitted(model)
    model.rules_.outcome.require_classes("A service")
    require_table(model.rules_.encoding, "a service")
    return RowScorer(model.rules_, model._probability())


class _Service:
    """The functions behind the paths; the first line of each is its summary in OpenAPI."""

    document: bytes  # OpenAPI

    def __init__(self, name: str, scorer: RowScorer, limits: Limits) -> None:
        self._scorer, self._limits = scorer, limits
        self.schemas = model_schemas(scorer.rules)
        health = {
            "status": "ok",
            "clausal": version("clausal"),
            "model": name,
            "n_rules": len(scorer.rules),
            "classes": scorer.classes,
        }
        self._health = to_json(health)
        example = {"rows": [self.schemas["Row"]["example"]]}
        answers = {"predict": self._predicted(example), "explain": self._explained(example)}
        self._page, self._policy = docs_page(name, scorer.rules, self.schemas["Row"], example, answers)

    async def predict(self, request: Request) -> Response:
        """Votes, probabilities and the predicted class of each row."""
        return await self._answered(request, self._predicted)

    async def explain(self, request: Request) -> Response:
        """The explanation of each prediction: rules that hold, reasons, near misses, a counterfactual."""
        return await self._answered(request, self._explained)

    async def health(self) -> Response:
        """That the service is up, and which model it has."""
        return Response(self._health, media_type=JSON_TYPE)

    async def openapi(self) -> Response:
        """The description of the service and its model in OpenAPI 3.1."""
        return Response(self.document, media_type=JSON_TYPE)

    async def docs(self) -> Response:
        """The page of the service, which loads nothing from elsewhere."""
        return Response(self._page, media_type="text/html", headers={"Content-Security-Policy": self._policy})

    async def _answered(self, request: Request, call: Callable[[Any], dict[str, Any]]) -> Response:
        try:
            body = await read_body(request, self._limits.max_body_bytes)
            answer = await run_in_threadpool(lambda: to_json(call(parse_body(body))))
            return Response(answer, media_type=JSON_TYPE)
        except Refusal as refusal:
            return refusal.answer()
        except ClientDisconnect:
            return Refusal(400, "The body must be sent whole. The client has gone.").answer()

    def _predicted(self, content: Any) -> dict[str, Any]:
        rows = rows_of(content, (), self._limits.max_rows)
        return self._scored("predictions", rows, self._scorer.predict)

    def _explained(self, content: Any) -> dict[str, Any]:
        rows = rows_of(content, ("counterfactuals", "fixed", "target"), self._limits.max_explained_rows)
        scorer = self._scorer
        classes = dict(zip(scorer.classes, scorer.rules.outcome.labels.tolist(), strict=True))
        options = explain_options(content, scorer.names, classes)
        return self._scored("explanations", rows, lambda rows: scorer.explain(rows, **options))

    def _scored(self, name: str, rows: list[Any], call: Callable[[list[Any]], list[Any]]) -> dict[str, Any]:
        try:
            return {"classes": self._scorer.classes, name: call(rows)}
        except RefusedRowsError as error:
            first = error.refused[0]
            raise Refusal(422, f"Row {first.row}: {first.message}", error.refused) from None


_SCHEMAS = {"/predict": ("PredictRequest", "Predictions"), "/explain": ("ExplainRequest", "Explanations")}
_REFUSALS = {
    400: "The body is not JSON.",
    413: "The body or the list of rows is too long.",
    422: "The body or a row is not as it must be; no row is scored.",
}


def _described(path: str) -> dict[str, Any]:
    """The body and the answers of a path, for OpenAPI."""
    asked, answered = _SCHEMAS[path]

    def content(name: str) -> dict[str, Any]:
        return {JSON_TYPE: {"schema": {"$ref": f"#/components/schemas/{name}"}}}

    refusals = {
        status: {"description": text, "content": content("Refusal")} for status, text in _REFUSALS.items()
    }
    return {
        "openapi_extra": {"requestBody": {"required": True, "content": content(asked)}},
        "responses": {200: {"description": "One answer per row.", "content": content(answered)}, **refusals},
    }
