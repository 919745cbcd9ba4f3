"""A page as a list of blocks, written as Markdown or as one HTML file with embedded charts.

Not here: the content of the page (results_page.py).
"""

from dataclasses import dataclass, field
from html import escape


@dataclass(frozen=True)
class Heading:
    """A heading of level 1, 2 or 3."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Text:
    """A paragraph of plain text."""

    text: str


@dataclass(frozen=True)
class Code:
    """Preformatted lines."""

    text: str


@dataclass(frozen=True)
class Table:
    """A header and rows with the same number of plain-text cells."""

    header: list[str]
    rows: list[list[str]]


@dataclass(frozen=True)
class Picture:
    """An SVG chart: a separate file for Markdown, embedded in HTML."""

    name: str  # of the file
    words: str
    svg: str


Block = Heading | Text | Code | Table | Picture

STYLE = """\
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13px; }
table { display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid #ddd; padding: .2rem .6rem; text-align: left; white-space: nowrap; }
pre { background: #f6f6f6; padding: .6rem; overflow-x: auto; }
"""


@dataclass
class Document:
    """Blocks in order."""

    title: str
    blocks: list[Block] = field(default_factory=list)

    def add(self, *blocks: Block) -> None:
        """Append blocks."""
        self.blocks.extend(blocks)

    @property
    def pictures(self) -> list[Picture]:
        """The charts of the page."""
        return [block for block in self.blocks if isinstance(block, Picture)]

    def markdown(self, folder: str) -> str:
        """The page as Markdown, with links to the charts in `folder`."""
        return "\n\n".join([f"# {self.title}", *(_markdown(block, folder) for block in self.blocks)]) + "\n"

    def html(self) -> str:
        """The page as one HTML file."""
        body = "\n".join(_html(block) for block in self.blocks)
        return (
            '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
            f"<title>{escape(self.title)}</title>\n"
            f"<style>\n{STYLE}</style></head>\n<body>\n<h1>{escape(self.title)}</h1>\n{body}\n</body>\n</html>\n"
        )


def _markdown(block: Block, folder: str) -> str:
    match block:
        case Heading(text, level):
            return f"{'#' * level} {text}"
        case Text(text):
            return text
        case Code(text):
            return f"```text\n{text}\n```"
        case Picture(name, words, _):
            return f"![{words}]({folder}/{name})"
        case Table(header, rows):
            lines = [header, ["---"] * len(header), *rows]
            return "\n".join(
                "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines
            )


def _html(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"<h{level}>{escape(text)}</h{level}>"
        case Text(text):
            return f"<p>{escape(text)}</p>"
        case Code(text):
            return f"<pre>{escape(text)}</pre>"
        case Picture(_, words, svg):
            return f"<figure>{svg}<figcaption>{escape(words)}</figcaption></figure>"
        case Table(header, rows):
            head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
            body = "\n".join("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>" for row in rows)
            return f"<table>\n<tr>{head}</tr>\n{body}\n</table>"
