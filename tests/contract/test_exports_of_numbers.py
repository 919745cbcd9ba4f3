"""Models that predict numbers, in other languages: the same numbers, votes and rules on every row.

The rows are those of the self-tests, on both sides of every condition, under every policy.
"""

from __future__ import annotations

import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clausal import RuleSet
from clausal.export import TARGETS, export_model
from clausal.export.self_test import self_test
from clausal.outcome import NumericOutcome
from tests.support.every_condition import POLICIES, TABLE, every_condition

OUTCOMES = (
    NumericOutcome(0.37, 12.5),
    NumericOutcome(1e-3, -7.0, low=-7.2),
    NumericOutcome(3.0, 0.1, -900, 900.5),
)
pytestmark = pytest.mark.filterwarnings("ignore::clausal.encoding.values.UnseenValueWarning")


def numeric(outcome: NumericOutcome, unknown: str = "no_rule", missing: str = "no_rule") -> RuleSet:
    rules = every_condition(2, unknown, missing).rules_
    return RuleSet(rules, rules.encoding, outcome, rules.constants)


MODELS = [numeric(OUTCOMES[k % 3], *policy) for k, policy in enumerate(POLICIES)]


@pytest.mark.parametrize("rules", MODELS)
def test_python(rules: RuleSet) -> None:
    module: dict[str, Any] = {"__name__": "exported"}
    exec(export_model(rules, "python"), module)
    assert module["self_test"]() == len(self_test(rules))
    accepted = next(row for row in self_test(rules) if row.votes is not None)
    names = [rules.encoding.feature_names[index] for index in sorted(rules.used_features)]
    got = module["score"](dict(zip(names, accepted.values, strict=True)))
    assert set(got) == {"number", "votes", "fires"}
    assert (got["number"], got["votes"]) == (accepted.decided, list(accepted.votes or ()))


@pytest.mark.skipif(shutil.which("node") is None, reason="LEFT OUT: no Node.js")
def test_javascript(tmp_path: Path) -> None:
    imports = []
    for k, rules in enumerate(MODELS):
        (tmp_path / f"m{k}.mjs").write_text(export_model(rules, "javascript"), encoding="utf-8")
        imports.append(f"console.log((await import('./m{k}.mjs')).selfTest());")
    (tmp_path / "all.mjs").write_text("\n".join(imports), encoding="utf-8")
    done = subprocess.run(["node", "all.mjs"], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.split() == [str(len(self_test(rules))) for rules in MODELS], done.stderr


@pytest.mark.skipif(shutil.which("gcc") is None, reason="LEFT OUT: no gcc")
@pytest.mark.parametrize("rules", MODELS[::4])
def test_c(rules: RuleSet, tmp_path: Path) -> None:
    (tmp_path / "m.h").write_text(export_model(rules, "c", name="m"), encoding="utf-8")
    main = '#define M_SELF_TEST\n#include "m.h"\nint main(void) { return m_self_test() != 0; }\n'
    (tmp_path / "m.c").write_text(main, encoding="utf-8")
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    subprocess.run(["gcc", *strict, "m.c", "-o", "m", "-lm"], cwd=tmp_path, check=True)
    assert subprocess.run([str(tmp_path / "m")]).returncode == 0


def accepted_rows(rules: RuleSet) -> np.ndarray:
    """The rows of the table that the model does not refuse."""
    rows = []
    for row in range(len(TABLE)):
        try:
            rules.predict(TABLE.iloc[[row]])
            rows.append(row)
        except ValueError:
            continue
    return np.array(rows, int)


@pytest.mark.parametrize("rules", MODELS[::3])
def test_expressions(rules: RuleSet) -> None:
    rows = accepted_rows(rules)
    from clausal.export.document import rule_document
    from clausal.export.expressions import with_predictions

    got = with_predictions(rule_document(rules), TABLE)
    np.testing.assert_allclose(got["prediction"].to_numpy(float)[rows], rules.predict(TABLE.iloc[rows]))
    assert got["vote"].tolist()[rows[0]] == rules.votes(TABLE.iloc[rows[:1]])[0]


@pytest.mark.parametrize("rules", MODELS[::3])
def test_sql(rules: RuleSet) -> None:
    duckdb = pytest.importorskip("duckdb", reason="LEFT OUT: no DuckDB")
    rows = accepted_rows(rules)
    connection = duckdb.connect()
    connection.register("data", TABLE.assign(order=TABLE["order"].astype(str), row=range(len(TABLE))))
    query = f"SELECT row, vote, prediction FROM ({rules.to_sql(keep=['row'])}) ORDER BY row"
    found = connection.sql(query).fetchall()
    np.testing.assert_allclose([found[row][2] for row in rows], rules.predict(TABLE.iloc[rows]), rtol=1e-12)
    assert [found[row][1] for row in rows] == rules.votes(TABLE.iloc[rows]).tolist()
    assert "CASE WHEN" in rules.to_sql() or not math.isfinite(rules.outcome.numbers["low"])


@pytest.mark.parametrize("target", TARGETS)
def test_other_targets_say_that_they_are_for_classes(target: str) -> None:
    if TARGETS[target].of_numbers:
        assert export_model(MODELS[0], target)
        return
    with pytest.raises(ValueError, match=rf"export\(to='{target}'\) must be asked of a model that predicts"):
        export_model(MODELS[0], target)
