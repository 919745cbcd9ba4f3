"""Build the sdist and wheels, and use them as someone who has just installed them: `make test-wheel`.

Each wheel is built from the sdist in isolation, repaired by auditwheel, and installed in an empty environment
of every Python it is for, with no compiler in PATH; new_user.py then uses it. With the newest Python the
sdist itself is installed, too, which needs a compiler. An error ends it.

Usage: tools/try_wheels.py [Python ...]    # by default each from 3.11 on that is in PATH or under ~/.pyenv
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILT, REPAIRED = ROOT / "build" / "wheels", ROOT / "dist"
NEW_USER = ROOT / "tools" / "new_user.py"
ABI3 = (3, 12)  # the first Python that the wheel for all later ones is for

Version = tuple[int, int]


def main() -> None:
    """Build, install and use every wheel, then the sdist."""
    pythons = dict(found_pythons(sys.argv[1:]))
    if not pythons:
        raise SystemExit("test-wheel needs a Python of 3.11 or newer.")
    for folder in (BUILT, REPAIRED):
        shutil.rmtree(folder, ignore_errors=True)
    run(sys.executable, "-m", "build", "--sdist", "--outdir", REPAIRED, ROOT)
    (sdist,) = REPAIRED.glob("*.tar.gz")
    wheels: dict[bool, Path] = {}
    for version, python in sorted(pythons.items()):
        shared = version >= ABI3
        if shared not in wheels:
            wheels[shared] = built_wheel(python, sdist)
        use(python, wheels[shared], only_wheels=True)
    use(pythons[max(pythons)], sdist, only_wheels=False)


def found_pythons(given: list[str]) -> Iterator[tuple[Version, Path]]:
    """The version and path of each Python that is new enough."""
    in_path = (shutil.which(f"python3.{minor}") for minor in range(11, 20))
    of_pyenv = sorted(Path.home().glob(".pyenv/versions/3.*/bin/python3"))
    for python in given or [sys.executable, *of_pyenv, *in_path]:
        ask = [str(python), "-c", "import sys; print(*sys.version_info[:2])"]
        answer = subprocess.run(ask, capture_output=True, text=True) if python else None
        if answer is not None and answer.returncode == 0:
            major, minor = map(int, answer.stdout.split())
            if (major, minor) >= (3, 11):
                yield (major, minor), Path(str(python))


def built_wheel(python: Path, sdist: Path) -> Path:
    """A wheel that is built from the sdist in isolation and repaired."""
    before = set(REPAIRED.glob("*.whl"))
    folder = BUILT / python.resolve().name
    with environment(python) as own:
        run(own, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, sdist)
    (wheel,) = folder.glob("*.whl")
    run(sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", REPAIRED, wheel)
    (repaired,) = set(REPAIRED.glob("*.whl")) - before
    return repaired


def use(python: Path, package: Path, only_wheels: bool) -> None:
    """Install a wheel or sdist in an empty environment; run the demo, a fit and the example of the README."""
    with environment(python) as own:
        bare = {**os.environ, "PATH": str(own.parent)}  # so that there is no compiler
        for name in ("CC", "CXX", "PYTHONPATH"):
            bare.pop(name, None)
        assert shutil.which("cc", path=bare["PATH"]) is None
        only = ["--only-binary", ":all:"] if only_wheels else []
        run(own, "-m", "pip", "install", "--quiet", *only, package, env=bare if only_wheels else None)
        run(own, NEW_USER, "commands", env=bare)
        run(own, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", "pandas", env=bare)
        run(own, NEW_USER, "readme", env=bare)
        print(f"{package.name} works with {version_of(own)}", flush=True)


@contextmanager
def environment(python: Path) -> Iterator[Path]:
    """The Python of an empty virtual environment, which is removed afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        run(python, "-m", "venv", folder)
        yield Path(folder, "bin", "python")


def version_of(python: Path) -> str:
    """The version as Python prints it."""
    return subprocess.run([python, "--version"], capture_output=True, text=True, check=True).stdout.strip()


def run(*command: object, env: dict[str, str] | None = None) -> None:
    """Run a command; if it fails, end with its exit code."""
    texts = [str(part) for part in command]
    print("$", *texts, flush=True)
    code = subprocess.run(texts, env=env).returncode
    if code:
        raise SystemExit(f"{texts[0]} failed with exit code {code}.")


if __name__ == "__main__":
    main()
