"""What `import clausal` brings in: next to nothing until a name is used, and then nothing a user may lack."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import clausal
from tests.support.command_line import hiding

HEAVY = ("pandas", "polars", "pyarrow", "matplotlib", "sqlglot", "typer", "rich", "jinja2", "optuna")


def loaded(code):
    """The modules in memory after running `code` in a fresh interpreter."""
    script = f"{code}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(run.stdout.splitlines()[-1]))


def test_the_package_itself_imports_no_other():
    assert loaded("import clausal").isdisjoint({*HEAVY, "numpy", "scipy", "sklearn", "joblib", "narwhals"})


def test_a_classifier_is_fitted_without_what_only_other_tasks_need():
    code = "from clausal import TsetlinClassifier\nTsetlinClassifier(n_epochs=1).fit([[0], [1]], [0, 1])"
    of_sklearn = loaded("import sklearn")  # which brings in pandas, where there is one
    assert (loaded(code) - of_sklearn).isdisjoint({*HEAVY, "sklearn.model_selection"})


def test_the_help_of_the_program_needs_no_other_package_than_its_own():
    shown = "from typer.testing import CliRunner\nfrom clausal.cli import app\n"
    shown += "assert 'Train a scorecard' in CliRunner().invoke(app, ['--help']).stdout"
    assert loaded(shown).isdisjoint({"numpy", "scipy", "sklearn", "narwhals", "pandas", "polars", "pyarrow"})


def test_every_public_name_is_there():
    assert set(clausal.__all__) <= set(dir(clausal))
    assert set(clausal.__all__) == set(clausal._MODULES)
    for name in clausal.__all__:
        assert getattr(clausal, name).__name__ == name


def test_the_data_sets_need_no_import_of_their_own():
    assert "clausal.datasets" in loaded("import clausal\nclausal.datasets.load_heart_disease")


def test_an_unknown_name_is_refused():
    with pytest.raises(AttributeError, match="module 'clausal' has no attribute 'Classifier'"):
        _ = clausal.Classifier


WITHOUT_EXTRAS = """
import clausal
rules = clausal.TsetlinClassifier(4, n_epochs=2).fit([[0], [1]] * 5, [0, 1] * 5).rules_
def table_of(library):
    return type("DataFrame", (), {"__module__": library})()
for use in (
    lambda: clausal.RuleDisplay.from_rules(rules),
    lambda: rules.to_sql(),
    lambda: rules.export("onnx"),
    lambda: rules.export("excel"),
    lambda: clausal.service.make_app,
    lambda: rules.to_frame(),
    lambda: clausal.datasets.load_heart_disease(as_frame=True),
    lambda: rules.votes("table.parquet"),
    lambda: clausal.cluster.fit(clausal.TsetlinClassifier(), table_of("dask.dataframe"), "y"),
    lambda: clausal.cluster.fit(clausal.TsetlinClassifier(), table_of("ray.data"), "y"),
    lambda: clausal.cluster.fit(clausal.TsetlinClassifier(), table_of("pyspark.sql"), "y"),
):
    try:
        use()
    except ImportError as error:
        print(error)
"""


def test_the_error_without_a_package_names_the_command_that_installs_it():
    packages = ("matplotlib", "sqlglot", "onnx", "openpyxl", "fastapi", "starlette", "pandas", "polars")
    hidden = hiding(*packages, "pyarrow", "distributed", "ray", "pyspark")
    run = subprocess.run(
        [sys.executable, "-c", hidden + WITHOUT_EXTRAS], capture_output=True, text=True, check=True
    )
    said = re.findall(r"needs .*, which is not installed. Install it with: pip install (.*)", run.stdout)
    extras = ("plots", "sql", "onnx", "excel", "serve", "dask", "ray", "spark")
    assert sorted(said) == sorted(
        [*(f'"clausal[{extra}]"' for extra in extras), "pandas", "pandas", "pyarrow"]
    )
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    assert {*extras} <= {*project["project"]["optional-dependencies"]}


@pytest.mark.parametrize(
    "first",
    [
        "import clausal.html_report",
        "import clausal.evaluation.metrics",
        "from clausal import report",
        "import clausal.cli",
    ],
)
def test_report_is_the_function_whatever_is_imported_first(first):
    loaded(f"{first}\nimport clausal\nassert clausal.report.__name__ == 'report', clausal.report")
