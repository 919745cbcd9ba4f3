"""The examples of the documentation run: each Python block of README and docs, each docstring with >>>."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import CountVectorizer

import clausal
from tests.support.command_line import done

ROOT = Path(__file__).parents[2]
ELSEWHERE = {  # tests that run the blocks of a page and check more
    "docs/deployment.md": "tests/contract/test_deployment_page.py",
    "docs/formats.md": "tests/unit/files/test_model_file.py",
    "docs/scorecards.md": "tests/contract/test_scorecards_page.py",
    "docs/service.md": "tests/contract/test_service.py",
    "docs/command-line.md": "tests/contract/command_line/test_demo_and_help.py",
}


def blocks(page: str, language: str = "python") -> list[str]:
    """The blocks of a page in a language."""
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)


def loans(n_rows: int = 160) -> tuple[pd.DataFrame, pd.Series[Any]]:
    """A small table for examples that read `X` and `y`."""
    draw = np.random.default_rng(0)
    duration, age = draw.integers(4, 60, n_rows), draw.integers(20, 70, n_rows)
    status = draw.choice(["no checking account", "low", "high"], n_rows)
    bad = (duration > 30) ^ (status == "low") ^ (draw.random(n_rows) < 0.1)
    X = pd.DataFrame({"duration": duration, "age": age, "status": status})
    return X, pd.Series(np.where(bad, "bad", "good"), name="outcome")


def user_guide() -> dict[str, Any]:
    """The names that the examples of the user guide use, and the Parquet files."""
    pytest.importorskip("pyarrow", reason="LEFT OUT: no pyarrow")
    X, y = loans()
    Path("data").mkdir()
    X.assign(defaulted=y, exposure=1.0).to_parquet("data/a.parquet")
    X.to_parquet("new.parquet")
    write_knowledge()
    parts = {"X": X, "y": y, "X_train": X[:120], "y_train": y[:120], "X_test": X[120:], "y_test": y[120:]}
    of_package = {name: getattr(clausal, name) for name in clausal.__all__}
    texts = [
        f"{status}, for a {'car' if y[row] == 'bad' else 'kitchen'}" for row, status in enumerate(X.status)
    ]
    of_text = {"CountVectorizer": CountVectorizer, "texts": texts}
    parts |= {"pd": pd, "polars": pytest.importorskip("polars"), "customers": [*range(40)]}
    return {**of_package, **parts, **of_text}


def write_knowledge() -> None:
    Path("card.toml").write_text("[cut_points]\nage = [30, 50]\n[scale]\nbase_score = 600\n")


def monitoring() -> dict[str, Any]:
    X, y = loans()
    model, old = (clausal.RuleClassifier(max_literals=n, random_state=0).fit(X, y) for n in (3, 2))
    now = {"X_this_month": X[80:], "y_this_month": y[80:], "X_test": X[:80], "y_test": y[:80]}
    return {"model": model, "old": old, "new": model, "sex": ["f", "m"] * 40, **now}


def clusters() -> dict[str, Any]:
    """Lists of data frames in place of tables of three libraries."""
    X, y = loans()
    loan = X.assign(defaulted=y, exposure=1.0)
    parts = [loan[:100], loan[100:]]
    frames = {"dask_frame": parts, "ray_dataset": parts, "spark_frame": parts, "client": None}
    return {**frames, "table": loan.assign(customer=range(160))}


def table() -> dict[str, Any]:
    write_knowledge()
    X, y = loans(90)
    return {"X": X, "y": y == "bad"}


def dates() -> dict[str, Any]:
    return {"pd": pd, "table": pd.DataFrame({"applied_on": ["2024-03-01", "2024-03-02"], "age": [30, 40]})}


PAGES: dict[str, Callable[[], dict[str, Any]]] = {
    "README.md": dict,
    "docs/index.md": dict,
    "docs/clusters.md": clusters,
    "docs/equivalents.md": dict,
    "docs/images-and-sequences.md": dict,
    "docs/user-guide.md": user_guide,
    "docs/monitoring.md": monitoring,
    "docs/tuning.md": table,
    "docs/faq.md": dates,
}
QUICK = {  # what would take a minute, and ten seconds
    "time_budget=60": "n_candidates=2, cv=2",
    "n_epochs=30, booleanizer=patches": "n_epochs=2, booleanizer=patches",
}


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_examples_of_a_page_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = PAGES[page]()
    examples = blocks(page)
    assert examples
    for example in examples:
        for slow, quick in QUICK.items():
            example = example.replace(slow, quick)
        exec(compile(example, page, "exec"), names)


def test_every_page_with_examples_is_tested() -> None:
    pages = [path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))]
    with_examples = {page for page in pages if not page.startswith("docs/g") and blocks(page)}
    assert with_examples <= {*PAGES, *ELSEWHERE}
    assert all((ROOT / test).exists() for test in ELSEWHERE.values())


def test_the_site_lists_every_example_and_every_public_name() -> None:
    conf, api = ((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("conf.py", "api.rst"))
    examples = re.findall(
        r'^    "(\w+)",$', conf.partition("EXAMPLES = (")[2].partition(")")[0], re.MULTILINE
    )
    assert sorted(examples) == sorted(path.stem for path in (ROOT / "examples").glob("*.py"))
    assert sorted(re.findall(r"^   (\w+)$", api, re.MULTILINE)) == sorted(clausal.__all__)


def test_the_front_page_shows_what_its_example_prints(capsys: pytest.CaptureFixture[str]) -> None:
    exec(blocks("docs/index.md")[0], {})
    assert capsys.readouterr().out == blocks("docs/index.md", "text")[0]


def test_the_commands_of_the_front_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    X, y = loans()
    for name in ("loans.csv", "this-month.csv"):
        X.assign(outcome=y).to_csv(name, index=False)
    Path("card.toml").write_text(blocks("docs/index.md", "toml")[0], encoding="utf-8")
    shell = "".join(blocks("docs/index.md", "sh")).replace("\\\n", " ")
    lines = shell.splitlines()
    commands = [shlex.split(line)[1:] for line in lines if line.startswith("clausal ") and "demo" not in line]
    assert [command[0] for command in commands] == ["fit", "edit", "rules", "export", "monitor"]
    for command in commands:
        done(*command)
    assert "A. Analyst" in Path("signed.json").read_text(encoding="utf-8")


def test_the_commands_of_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = re.findall(r"^    clausal (.*)$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    commands = [shlex.split(line, comments=True) for line in lines]
    assert [command[0] for command in commands] == ["demo", "fit"]
    done(*commands[0], "--table", "table.csv", "--max-literals", "3")
    done(*commands[1], "--max-literals", "3")


def modules_with_examples() -> list[str]:
    walked = pkgutil.walk_packages(clausal.__path__, "clausal.")
    files = {module.name: Path(*module.name.split(".")[1:]) for module in walked}
    folder = ROOT / "src" / "clausal"
    sources = {name: folder / path / "__init__.py" for name, path in files.items()}
    sources |= {name: file for name, path in files.items() if (file := folder / f"{path}.py").exists()}
    return [name for name, file in sources.items() if file.exists() and ">>> " in file.read_text("utf-8")]


@pytest.mark.parametrize("name", modules_with_examples())
def test_the_examples_of_docstrings_print_what_they_say(name: str) -> None:
    """Skipped are the bankruptcy data, which are downloaded, and `report`, which writes into the folder."""
    assert doctest.testmod(importlib.import_module(name)).failed == 0
