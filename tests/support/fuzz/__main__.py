"""`make fuzz`: random cases of every target for some seconds each, and how many were accepted and refused.

Each target runs in a process of its own, so that a crash is seen. A case is made from its number alone:
`python -m tests.support.fuzz --target csv --seed 0 --case 123` runs one again.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import subprocess
import sys
import time
import traceback
import warnings
from random import Random

from tests.support.fuzz.targets import FOLDER, TARGETS

MOST_SECONDS = 20  # of one case


def run_case(name: str, seed: int, number: int) -> bool:
    """Whether the case was accepted; raises what is a finding."""
    target = TARGETS[name]
    case = target.make(Random(f"{name} {seed} {number}"))
    try:
        target.read(case)
    except target.refused:
        return False
    return True


def run_target(name: str, seed: int, seconds: float) -> int:
    """Run cases until the time is over; prints the counts. 1 if one was a finding."""
    end, counts, number = time.monotonic() + seconds, {True: 0, False: 0}, 0
    current = FOLDER / "current"
    while time.monotonic() < end:
        current.write_text(str(number))
        faulthandler.dump_traceback_later(MOST_SECONDS, exit=True)
        try:
            counts[run_case(name, seed, number)] += 1
        except Exception:
            traceback.print_exc()
            print(
                f"{name}: a finding; again: "
                f"python -m tests.support.fuzz --target '{name}' --seed {seed} --case {number}"
            )
            return 1
        number += 1
    faulthandler.cancel_dump_traceback_later()
    print(f"{name}: {number} cases, {counts[True]} accepted, {counts[False]} refused, no finding", flush=True)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="for all targets together")
    parser.add_argument("--seed", type=int, default=None, help="of the cases; the time if not given")
    parser.add_argument("--target", choices=list(TARGETS))
    parser.add_argument("--case", type=int)
    options = parser.parse_args()
    seed = int(time.time()) if options.seed is None else options.seed
    warnings.simplefilter("ignore")
    os.fsync = lambda handle: None  # type: ignore[assignment]  # the disk is not what is tested
    if options.case is not None:
        print("accepted" if run_case(options.target, seed, options.case) else "refused")
        return 0
    if options.target is not None:
        return run_target(options.target, seed, options.seconds)
    print(f"seed {seed}", flush=True)
    share = options.seconds / len(TARGETS)
    command = [
        sys.executable,
        "-X",
        "faulthandler",
        "-m",
        "tests.support.fuzz",
        "--seed",
        str(seed),
        "--seconds",
        str(share),
    ]
    codes = {name: subprocess.run([*command, "--target", name], check=False).returncode for name in TARGETS}
    crashed = {name: code for name, code in codes.items() if code not in (0, 1)}
    if crashed:
        print(f"crashed, by exit code: {crashed}")
    return int(any(codes.values()))


if __name__ == "__main__":
    sys.exit(main())
