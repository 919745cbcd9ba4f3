"""A written report, read for tests: its elements, its scripts and its text."""

from html.parser import HTMLParser

import clausal
from tests.support.report_models import mixed_labels, mixed_model, mixed_table


class Page(HTMLParser):
    """Elements with their attributes, the text of scripts by id, and all other text."""

    def __init__(self, path):
        super().__init__()
        self.elements, self.scripts, self.text = [], {}, ""
        self._open = None
        self.source = path.read_text(encoding="utf-8")
        self.feed(self.source)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._open = dict(attrs).get("id") if tag == "script" else tag

    def handle_endtag(self, tag):
        self._open = None

    def handle_data(self, data):
        if self.elements and self.elements[-1][0] == "script" and self._open != "style":
            self.scripts[self._open] = self.scripts.get(self._open, "") + data
        else:
            self.text += data

    def named(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]


def write_page(path, clf=None, labels=("no", "yes"), **options):
    """Report on a small test table, by default of a machine of two classes."""
    clf = mixed_model(labels) if clf is None else clf
    X = mixed_table(60, seed=3)
    clausal.report(clf, X, mixed_labels(X, labels), path, **options)
    return Page(path)
