"""How a page is written: one HTML file with its style and scripts, which loads nothing and works offline.

All pages share a base template, the style and the script for tables. Not here: the content of a page (page.py
and others).
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Mapping
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from markupsafe import Markup

from clausal.html_report.form import FILTERS


def write_page(
    path: str | os.PathLike[str], template: str, content: Mapping[str, Any], script: str = ""
) -> None:
    """Write a page from a template of this package, with a script of its own before that for tables."""
    Path(path).write_text(render_page(template, content, script), encoding="utf-8", newline="\n")


def render_page(template: str, content: Mapping[str, Any], script: str = "") -> str:
    """The page as HTML. All text is escaped, except markup from charts.py and the style and scripts."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("clausal.html_report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "allow_nan": False}
    environment.filters.update(FILTERS)
    style, script = resource("style.css"), script + resource("tables.js")
    page = environment.get_template(template).render(
        style=Markup(style),
        script=Markup(script),
        style_hash=policy_hash(style),
        script_hash=policy_hash(script),
        version=version("clausal"),
        **content,
    )
    return page.lstrip()


def resource(name: str, package: str = "clausal.html_report") -> str:
    """A text file of a package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


def policy_hash(text: str) -> str:
    """The hash by which the content security policy allows the style and the script of the page."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
