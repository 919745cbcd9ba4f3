"""What single cells of text mean."""

import pytest

from clausal.tables.columns import MissingTexts, parse_boolean


def test_the_usual_texts_mean_missing_in_any_case():
    missing = MissingTexts()
    assert all(text in missing for text in ("", "?", "NA", "na", "N/A", "NaN", "NULL"))
    assert all(text not in missing for text in ("none", "-", "unknown", "0"))


def test_texts_that_mean_missing_can_be_replaced_but_empty_always_does():
    missing = MissingTexts(["Unknown", "-999"])
    assert "unknown" in missing
    assert "-999" in missing
    assert "" in missing
    assert "?" not in missing


@pytest.mark.parametrize(("text", "value"), [("TRUE", True), ("false", False), ("1", True), ("0", False)])
def test_booleans_are_spelled_or_bits(text: str, value: bool):
    assert parse_boolean(text) is value


@pytest.mark.parametrize("text", ["yes", "t", "2", ""])
def test_other_words_are_no_booleans(text: str):
    assert parse_boolean(text) is None
