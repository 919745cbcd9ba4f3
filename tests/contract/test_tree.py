"""The shape of the tree: where tests stand, files that comments mention, what test modules import.

Files are read as text. Not here: who may import whom in src (import-linter, test_layers.py).
"""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "clausal"
TESTS = ROOT / "tests"


def modules(folder: Path) -> set[str]:
    """The names of the modules in a package, its own packages included; of clausal, those at the top."""
    paths = folder.glob("*.py") if folder == SOURCE else folder.rglob("*.py")
    return {path.stem.lstrip("_") for path in paths if path.stem != "__init__"}


def module_of(test: Path, folder: Path) -> str:
    """The longest name of a module that a test file's name starts with; nothing if there is none."""
    name = test.stem.removeprefix("test_")
    found = [module for module in modules(folder) if f"{name}_".startswith(f"{module}_")]
    return max(found, key=len, default="")


def test_every_unit_test_is_named_after_a_module():
    astray = []
    for test in sorted((TESTS / "unit").rglob("test_*.py")):
        folder = test.relative_to(TESTS / "unit").parent
        if not module_of(test, SOURCE / folder):
            astray.append(str(test.relative_to(TESTS)))
    assert astray == []


@pytest.mark.parametrize(
    ("test", "module"),
    [
        ("test_simplify_joins.py", "simplify"),
        ("test_rule_set.py", "rule_set"),
        ("test_rule.py", "rule"),
        ("test_rules.py", ""),
    ],
)
def test_the_longest_name_counts(tmp_path: Path, test: str, module: str):
    for name in ("rule", "rule_set", "simplify"):
        (tmp_path / f"{name}.py").touch()
    assert module_of(Path(test), tmp_path) == module


def prose(path: Path) -> Iterator[str]:
    """The docstrings and comments of a module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield ast.get_docstring(node) or ""
    with path.open("rb") as lines:
        tokens = tokenize.tokenize(lines.readline)
        yield from (token.string for token in tokens if token.type == tokenize.COMMENT)


def mentioned_files(path: Path) -> set[str]:
    return {name for text in prose(path) for name in re.findall(r"[\w./-]*\w\.py\b", text)}


def test_every_file_that_the_source_mentions_exists():
    gone = {
        (str(path.relative_to(SOURCE)), name)
        for path in SOURCE.rglob("*.py")
        for name in mentioned_files(path)
        if not any((folder / name).is_file() for folder in (path.parent, SOURCE, ROOT))
    }
    assert gone == set()


def test_mentions_are_seen_in_docstrings_and_comments_alone(tmp_path: Path):
    path = tmp_path / "module.py"
    path.write_text('"""Not here: a.py, b/c.py."""\nx = "d.py"  # as e.py does\n')
    assert mentioned_files(path) == {"a.py", "b/c.py", "e.py"}


def imported(path: Path, root: Path = ROOT) -> Iterator[str]:
    """The modules that a module imports, by their full names, and the names that it imports from them."""
    package = path.relative_to(root).with_suffix("").parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level] if node.level else ()
            module = ".".join([*start, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def test_no_test_edits_the_import_path():
    edits = re.compile(r"sys\.path\b|from sys import .*\bpath\b|\bsyspath_prepend\b")
    others = [path for path in sorted(TESTS.rglob("*.py")) if path != Path(__file__)]
    assert [path for path in others if edits.search(path.read_text(encoding="utf-8"))] == []


def test_test_modules_import_no_other_test_module():
    """What two of them need is in tests/support."""
    found = [
        (str(path.relative_to(TESTS)), name)
        for path in sorted(TESTS.rglob("*.py"))
        for name in imported(path)
        if re.search(r"(^|\.)(test_\w+|conftest)(\.|$)", name)
        or (name.startswith("tests.") and not name.startswith("tests.support"))
    ]
    assert found == []


def test_imports_are_seen_in_every_form(tmp_path: Path):
    (tmp_path / "tests" / "unit").mkdir(parents=True)
    path = tmp_path / "tests" / "unit" / "test_x.py"
    path.write_text("import tests.a\nfrom tests.b import c\nfrom . import d\nfrom ..e import f\n")
    assert set(imported(path, tmp_path)) >= {
        "tests.a",
        "tests.b",
        "tests.b.c",
        "tests.unit.d",
        "tests.e",
        "tests.e.f",
    }
