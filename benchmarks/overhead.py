"""How much of a small fit is spent outside the compiled core: `make bench-overhead`.

A table of 250 rows and 18 columns, m = 100 clauses, the default number of epochs, one thread. The share is
the CPU time of `fit` outside the calls of the compiled core, divided by the CPU time of `fit`: the median
(and the quartiles) of the fastest tenth of many fits, which other work on the computer has disturbed least.
Reading the clock around each call counts as outside.
"""

from functools import partial, wraps
from time import process_time
from types import SimpleNamespace

import numpy as np

from clausal import TsetlinClassifier
from clausal.engine import native

N_ROWS, N_COLUMNS, N_CLAUSES = 250, 18, 100
N_FITS = 1000


class Clock:
    """Adds up the time of the calls that it is put around."""

    def __init__(self):
        self.seconds = 0.0

    def around(self, call):
        @wraps(call)
        def timed(*arguments, **named):
            start = process_time()
            try:
                return call(*arguments, **named)
            finally:
                self.seconds += process_time() - start

        return timed

    def around_class(self, cls):
        calls = {name: call for name, call in vars(cls).items() if callable(call) and name != "__new__"}
        return type(cls.__name__, (cls,), {name: self.around(call) for name, call in calls.items()})


def timed_core(core, clock):
    """The compiled core, its functions and the methods of its classes timed."""
    names = (name for name in dir(core) if not name.startswith("_"))
    members = {name: getattr(core, name) for name in names}
    return SimpleNamespace(
        **{
            name: clock.around_class(member) if isinstance(member, type) else clock.around(member)
            for name, member in members.items()
        }
    )


def tables():
    """Three tables by name: X, y and what the classifier is told of them."""
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2, (N_ROWS, N_COLUMNS), dtype=np.uint8)
    y = bits[:, 0] ^ bits[:, 1]
    noisy = y ^ (rng.random(N_ROWS) < 0.1)
    numbers = bits.astype(np.float64)
    return {
        "XOR, numbers": (numbers, y, {}),
        "XOR with 10 % noise, numbers": (numbers, noisy, {}),
        "XOR, booleanizer=None": (bits, y, {"booleanizer": None}),
    }


def fastest(fit, clock):
    """Seconds of the fastest fits, and the share of each outside the core: [fits, 2]."""
    fits = []
    for _ in range(N_FITS):
        clock.seconds = 0.0
        start = process_time()
        fit()
        seconds = process_time() - start
        fits.append((seconds, 1 - clock.seconds / seconds))
    return np.array(sorted(fits)[: N_FITS // 10])


def main():
    clock = Clock()
    native._core = timed_core(native._core, clock)
    for name, (X, y, parameters) in tables().items():
        fit = partial(TsetlinClassifier(N_CLAUSES, random_state=0, **parameters).fit, X, y)
        fit()
        seconds, outside = fastest(fit, clock).T
        low, median, high = np.percentile(outside, [25, 50, 75])
        print(
            f"{name:30} {median:6.1%} outside the core ({low:.1%} to {high:.1%}), "
            f"{1e3 * np.median(seconds):.2f} ms a fit"
        )


if __name__ == "__main__":
    main()
