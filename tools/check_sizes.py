"""Hold the hard caps on size: 400 lines a file, 60 lines and 7 parameters a function, no catch-all names.

Estimator constructors, `report` and `monitor` may have as many parameters as users need. Prints every breach
and fails on any.
"""

import ast
import subprocess
import sys
from pathlib import Path

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60
MAX_PARAMETERS = 7
ENDINGS = {".py", ".cpp", ".hpp", ".inl", ".cu", ".cuh"}
FOR_USERS = {"__init__", "report", "monitor"}
CATCH_ALL = {"utils", "helpers", "common", "misc"}


def breaches(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    found = []
    if path.stem in CATCH_ALL:
        found.append(f"{path}: a file must not be called {path.stem}")
    if (lines := text.count("\n")) > MAX_FILE_LINES:
        found.append(f"{path}: at most {MAX_FILE_LINES} lines; has {lines}")
    if path.suffix == ".py":
        found += [breach for node in ast.walk(ast.parse(text)) for breach in function_breaches(path, node)]
    return found


def function_breaches(path: Path, node: ast.AST) -> list[str]:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return []
    place, found = f"{path}:{node.lineno} {node.name}", []
    lines = node.end_lineno - node.lineno + 1
    parameters = len(node.args.posonlyargs + node.args.args + node.args.kwonlyargs)
    if lines > MAX_FUNCTION_LINES:
        found.append(f"{place}: at most {MAX_FUNCTION_LINES} lines; has {lines}")
    is_test = "tests" in path.parts
    if parameters > MAX_PARAMETERS and node.name not in FOR_USERS and not is_test:
        found.append(f"{place}: at most {MAX_PARAMETERS} parameters; has {parameters}")
    return found


def main() -> int:
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True, check=True
    )
    files = [
        Path(line)
        for line in listed.stdout.splitlines()
        if Path(line).suffix in ENDINGS and Path(line).exists()
    ]
    found = [breach for path in files for breach in breaches(path)]
    print("\n".join(found) if found else f"sizes: {len(files)} files within the caps")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
