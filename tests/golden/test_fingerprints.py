"""Golden fingerprints: the bits of a short training run of each variant, pinned.

To renew them after a deliberate change of the stream or the law (which needs a CHANGELOG line):
    python -m tests.golden.test_fingerprints
The C++ tests (tests/native) read the same file, also on ARM.
"""

import pytest

from clausal.engine.native import NativeEngine
from clausal.engine.reference import ReferenceEngine
from tests.support.golden_machines import FILE, VARIANTS, fingerprint, pinned


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("engine", [NativeEngine, ReferenceEngine], ids=["native", "reference"])
def test_fingerprint(engine, variant):
    assert fingerprint(engine, VARIANTS[variant]) == pinned()[variant]


def test_fingerprints_differ():
    assert set(pinned()) == set(VARIANTS)
    assert len(set(pinned().values())) == len(VARIANTS)


if __name__ == "__main__":
    lines = [f"{name} {fingerprint(NativeEngine, options)}\n" for name, options in VARIANTS.items()]
    FILE.write_text("".join(lines))
