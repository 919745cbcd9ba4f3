"""Who may import the compiled core; import-linter, which holds the other layers, cannot see it."""

from pathlib import Path

import clausal

SOURCE = Path(clausal.__file__).parent


def test_only_engine_native_imports_the_core():
    importers = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if "import _core" in path.read_text(encoding="utf-8")
        or "clausal._core" in path.read_text(encoding="utf-8")
    }
    assert importers == {str(Path("engine") / "native.py")}
