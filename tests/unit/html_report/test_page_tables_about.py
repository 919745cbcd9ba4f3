"""What the user says is checked and ordered; classes are counted."""

import numpy as np
import pytest

from clausal.html_report.page_tables import class_balance, read_about


def test_known_names_come_first_in_their_order_whatever_their_case():
    about = read_about(" Loans ", {"note": "n", "Period": "2024", "purpose": " p\nq "})
    assert about.title == "Loans"
    assert about.entries == (("Purpose", "p\nq"), ("Period", "2024"), ("note", "n"))
    assert about.not_stated == ("owner", "data")


def test_nothing_said_is_nothing_stated():
    about = read_about(None, None)
    assert (about.title, about.entries) == (None, ())
    assert about.not_stated == ("purpose", "owner", "data", "period")


@pytest.mark.parametrize(
    ("about", "words"),
    [
        ("owner", "about must be a dict of texts. Got str."),
        ({"owner": 3}, r"about\['owner'\] must be a str. Got 3."),
        ({3: "x"}, "a key of about must be a str. Got 3."),
        ({" ": "x"}, "a key of about must not be blank."),
        ({"owner": " "}, r"about\['owner'\] must not be blank."),
        ({"owner": "x" * 2001}, r"about\['owner'\] must have at most 2000 characters. Got 2001."),
        ({"k" * 61: "x"}, "a key of about must have at most 60 characters. Got 61."),
        ({"owner": "a", "Owner ": "b"}, "about must have each key once. Got 'owner' twice."),
        ({f"k{k}": "x" for k in range(31)}, "about must have at most 30 entries. Got 31."),
        ({"owner": "a\x00"}, "must be plain text, without control characters. Got '.x00'."),
        ({"owner": "a\ud800"}, "must be plain text"),
        ({"owner": "a\u202eb"}, "must be plain text"),
    ],
)
def test_what_cannot_be_shown_is_refused(about, words):
    with pytest.raises(ValueError, match=words):
        read_about(None, about)


@pytest.mark.parametrize("title", ["", "x" * 201, 5, "a\x07"])
def test_a_title_is_a_short_text(title):
    with pytest.raises(ValueError, match="title must"):
        read_about(title, None)


def test_classes_are_counted_in_each_set_of_rows():
    balance = class_balance(("no", "yes"), {"Training": np.array([0, 1, 1, 1]), "Test": np.array([0])})
    assert balance.names == (("Training", 4), ("Test", 1))
    assert [(line.name, line.parts) for line in balance.classes] == [
        ("no", ((1, 0.25), (1, 1.0))),
        ("yes", ((3, 0.75), (0, 0.0))),
    ]
    assert balance.n_left_out == 0


def test_very_many_classes_are_cut_and_counted():
    balance = class_balance([str(k) for k in range(50)], {"Test": np.arange(50)})
    assert len(balance.classes) + balance.n_left_out == 50
    assert balance.n_left_out > 0
