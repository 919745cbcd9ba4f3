"""Every link inside a folder of HTML pages leads to a file and an id. Usage: tools/check_links.py FOLDER

Prints each dead link with its page. Links to other sites are not followed, because the check works offline;
but a page may load nothing from another site, so that it works offline, too.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADS = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


class Page(HTMLParser):
    """The links, ids and loaded files of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.foreign: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element refers to."""
        given = {name: value or "" for name, value in attrs}
        self.ids |= {given[name] for name in ("id", "name") if given.get(name)}
        for name in ("href", "src"):
            if name in given:
                self.links.append(given[name])
        if tag in LOADS and given.get("rel") != "canonical":
            target = given.get(LOADS[tag], "")
            if urlsplit(target).netloc:
                self.foreign.append(target)


def problems(root: Path) -> list[str]:
    """A line for each dead link and each file that is loaded from another site."""
    paths = (path.resolve() for path in sorted(root.rglob("*.html")) if "_static" not in path.parts)
    pages = {path: Page(path) for path in paths}
    found = [f"{path}: loads {target}" for path, page in pages.items() for target in page.foreign]
    for path, page in pages.items():
        for link in dict.fromkeys(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target = target / "index.html"
            anchor = unquote(parts.fragment)
            if not target.exists():
                found.append(f"{path}: no file for {link}")
            elif anchor and target in pages and anchor not in pages[target].ids:
                found.append(f"{path}: no anchor for {link}")
    return found


def main() -> None:
    """Check the folder that is given."""
    root = Path(sys.argv[1])
    if not any(root.rglob("*.html")):
        raise SystemExit(f"{root} has no pages.")
    found = problems(root)
    print("\n".join([*found, f"links: {len(found)} problems"]))
    raise SystemExit(bool(found))


if __name__ == "__main__":
    main()
