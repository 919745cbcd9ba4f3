"""For all tests: Hypothesis draws the same examples on every CI run, new ones elsewhere; Ctrl-C is heard."""

import os
import signal

from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("developer", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "developer")

# A job in a shell's background ignores Ctrl-C, and so would the tests that send it, forever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
