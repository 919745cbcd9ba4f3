"""matplotlib is an extra: nothing is imported before a picture is drawn, and its absence is said clearly."""

import subprocess
import sys

import pytest
from matplotlib import pyplot as plt

from clausal.plots.canvas import COLORS, add_legend, color, hatch, make_axes, shortened


def test_import_clausal_does_not_import_matplotlib():
    code = "import sys, clausal; clausal.RuleDisplay; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_matplotlib_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r'pip install "clausal\[plots\]"'):
        make_axes(None, 4, 3)


def test_given_axes_are_drawn_on_and_none_make_a_figure():
    _, ax = plt.subplots()
    assert make_axes(ax, 4, 3) is ax
    assert make_axes(None, 4, 3).figure.get_size_inches().tolist() == [4, 3]


def test_no_two_classes_of_many_look_alike():
    looks = {(color(place), hatch(place)) for place in range(40)}
    assert len(looks) == 40
    assert hatch(0) == ""


def test_the_first_two_colours_differ_in_grey():
    def lightness(code):
        red, green, blue = (int(code[i : i + 2], 16) for i in (1, 3, 5))
        return 0.299 * red + 0.587 * green + 0.114 * blue

    assert abs(lightness(COLORS[0]) - lightness(COLORS[1])) > 60


def test_long_texts_are_wrapped_and_cut_where_it_shows():
    text = " and ".join(f"feature_{i} > {i}" for i in range(9))
    short = shortened(text, 30, 2)
    assert [len(line) <= 30 for line in short.split("\n")] == [True, True]
    assert short.endswith(" …")
    assert text.startswith(short.replace("\n", " ").removesuffix(" …"))
    assert shortened("age > 54", 30, 2) == "age > 54"


def test_legend_names_are_taken_as_they_are():
    ax = make_axes(None, 4, 3)
    handles = ax.plot([0, 1]) + ax.plot([1, 0])
    legend = add_legend(ax, handles, ["_hidden", "$\\nonsense$"])
    assert [text.get_text() for text in legend.get_texts()] == ["_hidden", "$\\nonsense$"]
    ax.figure.canvas.draw()  # would raise on a formula that is none
