"""What `import clausal` brings in: next to nothing until a name is used, and then nothing a user may lack."""

import json
import subprocess
import sys

import pytest

import clausal

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
