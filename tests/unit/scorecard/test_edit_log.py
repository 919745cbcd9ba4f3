"""An entry of the log shows its measures in an order and with digits that can be read."""

from clausal import LogEntry


def test_measures_are_before_then_after_with_three_digits():
    effect = {
        "f1 after": 0.12196199734865223,
        "f1 before": 0.5,
        "log-loss after": 0.0004321,
        "log-loss before": None,
        "mean squared error after": 12345.678,
        "rows": 2000,
        "measured on": "the given rows",
    }
    entry = LogEntry("2026-01-02", "Ada", "why", "what", effect)
    assert str(entry).endswith(
        "what (why); f1 before: 0.5; f1 after: 0.122; log-loss before: -; log-loss after: 0.000432; "
        "mean squared error after: 12346; rows: 2000; measured on: the given rows"
    )
    assert dict(entry.effect) == effect
