"""The HTTP service as users rely on it: it says what the model says, and refuses anything else clearly."""

from __future__ import annotations

import json
import logging
import re
import signal
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from clausal import RuleClassifier
from clausal.datasets import load_heart_disease
from tests.support.command_line import PROGRAM, done, fails
from tests.support.scorecards import machine
from tests.support.services import get, post

pytest.importorskip("fastapi", reason="LEFT OUT: no fastapi")
from starlette.applications import Starlette
from starlette.routing import Mount

from clausal.service import make_app
from tests.support.service_models import MODELS, ROW, app_of, app_of_three, model, rows_of, table


def some_rows() -> pd.DataFrame:
    """Rows of the table, some of them with missing and unknown values."""
    X = table()[0].iloc[:60].astype(object).copy()
    X.loc[X.index[::7], "thal"] = None
    X.loc[X.index[::5], "chest_pain"] = "never seen é \U0001f600"
    X.loc[X.index[::6], "major_vessels"] = np.nan
    return X


@pytest.mark.filterwarnings("ignore::clausal.encoding.values.UnseenValueWarning")
@pytest.mark.parametrize("name", MODELS)
def test_answers_are_those_of_the_model(name: str) -> None:
    clf, X = model(name), some_rows()
    content = post(app_of(name), "/predict", {"rows": rows_of(X)}).content
    assert content["classes"] == clf.classes_.tolist()
    found = pd.DataFrame(content["predictions"])
    assert found["label"].tolist() == clf.predict(X).tolist()
    np.testing.assert_array_equal(found["probabilities"].tolist(), clf.predict_proba(X))
    np.testing.assert_array_equal(np.squeeze(found["votes"].tolist()), clf.votes(X))


@pytest.mark.filterwarnings("ignore::clausal.encoding.values.UnseenValueWarning")
@pytest.mark.parametrize("name", MODELS)
def test_explanations_are_those_of_the_model(name: str) -> None:
    clf, X = model(name), some_rows()[:20]
    content = post(app_of(name), "/explain", {"rows": rows_of(X)}).content
    shares = clf.predict_proba(X).tolist()
    lost = [row.to_dict()["lost"] for row in clf.reasons(X)]
    expected = [
        each.to_dict() | {"probabilities": own, "points_lost": points}
        for each, own, points in zip(clf.explain(X), shares, lost, strict=True)
    ]
    assert any(lost)
    assert content["explanations"] == json.loads(json.dumps(expected))
    options = {"fixed": ["thal", "age"], "target": clf.classes_[0].item()}
    content = post(app_of(name), "/explain", {"rows": rows_of(X), **options}).content
    expected = [each.to_dict()["counterfactual"] for each in clf.explain(X, **options)]
    assert [each["counterfactual"] for each in content["explanations"]] == expected


def test_a_rule_set_has_no_probabilities() -> None:
    clf, X = model("scorecard"), table()[0]
    app = make_app(clf.rules_)
    content = post(app, "/predict", {"rows": rows_of(X)}).content
    assert [row["label"] for row in content["predictions"]] == clf.predict(X).tolist()
    assert {row["probabilities"] for row in content["predictions"]} == {None}
    assert post(app, "/explain", {"rows": rows_of(X[:1])}).content["explanations"][0]["probabilities"] is None


def test_the_service_keeps_the_model_that_it_was_given() -> None:
    X, y = table()
    clf = machine().fit(X, y)
    app, before = make_app(clf), clf.votes(X[:20]).tolist()
    clf.fit(X[::-1], y)
    content = post(app, "/predict", {"rows": rows_of(X[:20])}).content
    assert [row["votes"][0] for row in content["predictions"]] == before


# --- what is not said ---


def test_values_are_neither_logged_nor_warned_of(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    for row in ({**ROW, "thal": "secret"}, {**ROW, "thal": None}, {**ROW, "major_vessels": "secret"}):
        for path in ("/predict", "/explain"):
            post(app_of_three(), path, {"rows": [row]})  # a warning would be an error here
    logged = [record.getMessage() for record in caplog.records if record.name != "asyncio"]
    assert logged == []
    assert capfd.readouterr() == ("", "")


# --- the description ---


def test_openapi_names_features_types_and_categories() -> None:
    document = get(app_of_three(), "/openapi.json").content
    assert set(document["paths"]) == {"/predict", "/explain", "/health"}
    row = document["components"]["schemas"]["Row"]
    assert set(row["properties"]) == set(table()[0])
    assert row["required"] == [*ROW]
    assert row["properties"]["major_vessels"]["type"] == ["number", "null"]
    assert row["properties"]["thal"]["examples"] == ["fixed defect", "normal", "reversible defect"]
    assert post(app_of_three(), "/predict", {"rows": [row["example"]]}).status == 200
    references = {part.split('"')[0] for part in json.dumps(document).split("#/components/schemas/")[1:]}
    assert references <= set(document["components"]["schemas"])


def test_categories_are_listed_as_allowed_where_others_are_refused() -> None:
    X, y = table()
    clf = machine(random_state=0).fit(X, y).set_policy(handle_unknown="error", handle_missing="error")
    row = get(make_app(clf), "/openapi.json").content["components"]["schemas"]["Row"]
    assert row["properties"]["thal"]["enum"] == sorted(X["thal"].dropna().unique())
    assert row["properties"]["oldpeak"]["type"] == "number"


def test_the_page_loads_nothing_and_escapes_names() -> None:
    hostile = "</script><script>alert(1)</script>"
    X = pd.DataFrame({hostile: ["<b>x", "y"] * 20, "half a pair": [0.0, 1.0] * 20})
    clf = machine(n_clauses=20, n_epochs=20).fit(X, [0, 1] * 20)
    clf.__dict__["encoding_"] = replace(clf.encoding_, names=(hostile, "\ud800"))
    app = make_app(clf)
    page, openapi = get(app, "/docs"), get(app, "/openapi.json")
    text = page.body.decode()
    assert page.headers["content-security-policy"].startswith("default-src 'none'")
    assert text.count("<script") == 1
    assert "<b>" not in text
    assert "http:" not in text
    assert "https:" not in text
    assert openapi.status == 200
    assert hostile in openapi.content["components"]["schemas"]["Row"]["properties"]


def test_the_examples_of_the_page_are_true() -> None:
    page = (Path(__file__).parents[2] / "docs" / "service.md").read_text(encoding="utf-8")
    (body,) = re.findall(r"--data '(.*?)'", page)
    shown, refused = (json.loads(block) for block in re.findall(r"```json\n(.*?)```", page, re.DOTALL))
    X, y = load_heart_disease(return_X_y=True, as_frame=True)
    names: dict[str, Any] = {"clf": RuleClassifier(max_literals=8, random_state=0).fit(X, y)}
    (program,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(program, names)
    answer = post(names["app"], "/predict", body.encode()).content
    answer["predictions"][0]["probabilities"] = np.round(
        answer["predictions"][0]["probabilities"], 3
    ).tolist()
    assert answer == shown
    rows = [json.loads(body)["rows"][0], {"chest_pain": "asymptomatic", "major_vessels": 1}]
    assert post(names["app"], "/predict", {"rows": rows}).content == refused


# --- running it ---


def test_threads_get_the_same_answers() -> None:
    app, rows = make_app(model("three classes")), rows_of(some_rows())
    bodies = [{"rows": rows[start : start + 3]} for start in range(50)]
    alone = [post(app, "/predict", body).body for body in bodies]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda body: post(app, "/predict", body).body, bodies)) == alone


def test_it_can_be_mounted() -> None:
    parent = Starlette(routes=[Mount("/risk", app_of_three())])
    assert post(parent, "/risk/predict", {"rows": [ROW]}).status == 200
    assert get(parent, "/risk/docs").status == 200


def test_the_command_serves_on_the_loopback(tmp_path: Path) -> None:
    pytest.importorskip("uvicorn", reason="LEFT OUT: no uvicorn")
    clf, path = model("scorecard"), tmp_path / "model.json"
    clf.save(path)
    server = subprocess.Popen(
        [*PROGRAM, "serve", str(path), "--port", "0"], stderr=subprocess.PIPE, text=True, bufsize=1
    )
    try:
        assert server.stderr is not None
        address = server.stderr.readline().split(" is served at ")[1].split(",")[0]
        assert address.startswith("http://127.0.0.1:")
        body = json.dumps({"rows": rows_of(table()[0][:3])}).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{address}/predict", body), timeout=60) as answer:
            found = json.load(answer)["predictions"]
        assert [row["label"] for row in found] == clf.predict(table()[0][:3]).tolist()
        port = address.rpartition(":")[2]
        assert f"Address already in use: 127.0.0.1:{port}" in fails("serve", path, "--port", port)
    finally:
        server.send_signal(signal.SIGINT)
        _, printed = server.communicate(timeout=60)
    assert server.returncode == 130
    assert "asymptomatic" not in printed


def test_the_command_reads_rules_and_says_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uvicorn = pytest.importorskip("uvicorn", reason="LEFT OUT: no uvicorn")
    clf, path, served = model("scorecard"), tmp_path / "rules.json", []
    path.write_text(clf.export("json"))
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: served.append(self.config.app))
    warned = done("serve", path, "--port", "0", "--host", "0.0.0.0").stderr
    assert "Warning: Other machines can reach the service" in warned
    content = post(served[0], "/predict", {"rows": rows_of(table()[0])}).content
    assert [row["label"] for row in content["predictions"]] == clf.predict(table()[0]).tolist()
    path.write_text(clf.export("json").replace('"version":1', '"version":9'))
    assert "The rule set has version 9" in fails("serve", path)
    path.write_text("{}")
    assert "is not a clausal model file" in fails("serve", path)


def test_what_is_not_installed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.json"
    model("scorecard").save(path)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert fails("serve", path).endswith(
        'needs uvicorn, which is not installed. Install it with: pip install "clausal[serve]"'
    )
    for name in [name for name in sys.modules if name.startswith("clausal.service")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "fastapi", None)
    assert 'pip install "clausal[serve]"' in fails("serve", path)
