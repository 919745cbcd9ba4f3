"""Draw the scorecard of the README, docs/images/rules.svg, from the Heart Disease data.

python tools/readme_picture.py
"""

from html import escape
from pathlib import Path

import numpy as np

from clausal import RuleClassifier
from clausal.datasets import load_heart_disease

TARGET = Path(__file__).parents[1] / "docs" / "images" / "rules.svg"
LINE = 24
CHARACTER = 8.5
TITLE = "Heart disease: add the points of each rule that holds; 0 or more means presence"
COLOURS = {"+": "#b3261e", "-": "#1b6e3c"}
STYLE = "font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 14px"


def drawing(title: str, rows: list[tuple[str, str]]) -> str:
    width = round(max(60 + CHARACTER * len(title), 122 + CHARACTER * max(len(row[1]) for row in rows)))
    height = LINE * (len(rows) + 3)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img">',
        "<title>A scorecard</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="#fbfaf7" stroke="#d8d4cc"/>',
        f'<g style="{STYLE}" fill="#222">',
        f'<text x="24" y="{LINE + 8}" font-weight="bold">{escape(title)}</text>',
    ]
    for i, (points, conditions) in enumerate(rows, start=2):
        y, fill = i * LINE + 14, COLOURS.get(points[:1], "#222")
        lines.append(
            f'<text x="72" y="{y}" text-anchor="end" font-weight="bold" fill="{fill}">{points}</text>'
        )
        lines.append(f'<text x="92" y="{y}">{escape(conditions)}</text>')
    return "\n".join([*lines, "</g></svg>"]) + "\n"


def main() -> None:
    data = load_heart_disease(as_frame=True)
    labels = data.target.map(dict(enumerate(data.target_names)))
    clf = RuleClassifier(max_literals=12, random_state=0).fit(data.data, labels)
    rows = [(f"{rule.points:+d}", f"if {rule}") for rule in clf.rules_]
    constant = clf.rules_.constants[0]
    if constant:
        rows.append((f"{constant:+d}", "always"))
    shown = np.unique(np.linspace(0, len(clf.risk_table_.scores) - 1, 7).astype(int))
    table = zip(clf.risk_table_.scores[shown], clf.risk_table_.risks[shown], strict=True)
    risks = " · ".join(f"{score:+d}: {risk:.0%}" for score, risk in table)
    rows.append(("", ""))
    rows.append(("", f"risk of {clf.pos_label_} by total: {risks}"))
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(drawing(TITLE, rows), encoding="utf-8")


if __name__ == "__main__":
    main()
