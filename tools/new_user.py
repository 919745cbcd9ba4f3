"""What someone does who has just installed clausal, in an empty folder.

Usage, with the Python of that installation:

    python tools/new_user.py commands    # clausal demo, fit and predict; these need no other package
    python tools/new_user.py readme      # the example of README.md, which needs pandas
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

README = Path(__file__).resolve().parents[1] / "README.md"


def commands(folder: str) -> None:
    """Commands on a table in a CSV file."""
    program = shutil.which("clausal", path=str(Path(sys.executable).parent))
    for line in (
        "demo --quiet --table table.csv",
        "fit table.csv --target class --quiet --model model.json --report report.html",
        "predict model.json table.csv --output scored.csv",
        "explain model.json table.csv --row 1",
    ):
        print("$ clausal", line, flush=True)
        subprocess.run([str(program), *line.split()], cwd=folder, check=True)


def readme(folder: str) -> None:
    """The first example in Python."""
    found = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    if found is None:
        raise SystemExit(f"{README} has no example.")
    subprocess.run([sys.executable, "-c", found[1]], cwd=folder, check=True)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as empty:
            {"commands": commands, "readme": readme}[name](empty)
