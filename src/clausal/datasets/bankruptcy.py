"""The qualitative bankruptcy data: which firm went bankrupt, from six ratings by experts.

The file is not part of the package. Here: its sources (a path, the folder CLAUSAL_DATA, the cache, or a
download from UCI), and the check that its rows are correct.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Sequence
from http.client import HTTPException
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.request import urlopen

from clausal.datasets.data_set import FLAG, DataSet, check_arguments, make_result, named
from clausal.parameters import Instance, OneOf

COLUMNS = (
    *("industrial_risk", "management_risk", "financial_flexibility"),
    *("credibility", "competitiveness", "operating_risk", "class"),
)
LETTERS = ("A", "N", "P")
CLASS_COUNTS = {"NB": 143, "B": 107}

# Of the sorted lines: the same for every copy, whatever its header, line endings or order of rows.
SORTED_ROWS_SHA256 = "54ae4b67fd8bd2208549ec1071a2efeeffa6bc315a2802334dc50659da2ee642"


def parse_bankruptcy(content: bytes, origin: str) -> list[list[str]]:
    """The 250 rows of seven cells, in the order of the file; ValueError if the content is wrong."""
    try:
        lines = content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise _wrong(origin, "UTF-8 text", str(error)) from error
    numbered = [
        (number, [cell.strip() for cell in line.split(",")])
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]
    if numbered and numbered[0][1][-1].lower() == "class":
        del numbered[0]
    for number, row in numbered:
        _check_row(row, f"{origin}, line {number}")
    rows = [row for _, row in numbered]
    _check_rows(rows, origin)
    return rows


def format_bankruptcy(rows: Sequence[Sequence[str]]) -> bytes:
    """The rows as a CSV file with a header, which `parse_bankruptcy` reads back."""
    return "".join(",".join(row) + "\n" for row in (COLUMNS, *rows)).encode()


def _check_row(row: Sequence[str], origin: str) -> None:
    if len(row) != len(COLUMNS):
        raise _wrong(origin, f"{len(COLUMNS)} cells separated by commas", f"{len(row)} cells")
    for name, cell in zip(COLUMNS, row, strict=True):
        allowed = tuple(CLASS_COUNTS) if name == "class" else LETTERS
        if cell not in allowed:
            raise _wrong(origin, f"{name} to be {' or '.join(allowed)}", repr(cell[:40]))


def _check_rows(rows: Sequence[Sequence[str]], origin: str) -> None:
    n_samples = sum(CLASS_COUNTS.values())
    if len(rows) != n_samples:
        raise _wrong(origin, f"{n_samples} rows", str(len(rows)))
    counts = Counter(row[-1] for row in rows)
    if counts != CLASS_COUNTS:
        raise _wrong(origin, _count_text(CLASS_COUNTS), _count_text(counts))
    digest = hashlib.sha256("\n".join(sorted(",".join(row) for row in rows)).encode()).hexdigest()
    if digest != SORTED_ROWS_SHA256:
        raise _wrong(origin, f"sorted rows of sha256 {SORTED_ROWS_SHA256}", digest)


def _count_text(counts: dict[str, int]) -> str:
    return " and ".join(f"{counts[name]} rows of class {name}" for name in CLASS_COUNTS)


def _wrong(origin: str, constraint: str, value: str) -> ValueError:
    return ValueError(
        f"{origin}: not the Qualitative Bankruptcy data of UCI. Expected {constraint}. Got {value}."
    )


FILE_NAME = "bankruptcy.csv"
URL = "https://archive.ics.uci.edu/static/public/281/qualitative+bankruptcy.zip"
MEMBER = "Qualitative_Bankruptcy.data.txt"
TIMEOUT_SECONDS = 30
MAX_FILE_BYTES = 100_000  # the file has less than 4,000
MAX_ZIP_BYTES = 5_000_000


def find_bankruptcy(path: str | os.PathLike[str] | None) -> list[list[str]]:
    """The rows from the first source that has them; if a path is given, it is the only source."""
    if path is not None:
        given = Path(path).expanduser()
        return _read(given / FILE_NAME if given.is_dir() else given)
    tried: list[str] = []
    folder = os.environ.get("CLAUSAL_DATA")
    if folder:
        provided = Path(folder).expanduser() / FILE_NAME
        if provided.is_file():
            return _read(provided)
        tried.append(f"the folder in CLAUSAL_DATA: no file {provided}")
    else:
        tried.append("the folder in CLAUSAL_DATA: the variable is not set")
    cached = _cache_folder() / FILE_NAME
    try:
        return _read(cached)
    except (OSError, ValueError) as error:
        tried.append(f"the cache: {error}")
    rows = _download_or_explain(tried)
    _store(format_bankruptcy(rows), cached)
    return rows


def _read(file: Path) -> list[list[str]]:
    try:
        with file.open("rb") as stream:
            content = stream.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError as error:
        raise FileNotFoundError(f"There is no file {file}.") from error
    return parse_bankruptcy(_limited(content, MAX_FILE_BYTES, str(file)), str(file))


def _cache_folder() -> Path:
    folder = os.environ.get("CLAUSAL_CACHE") or "~/.cache/clausal"
    try:
        return Path(folder).expanduser()
    except RuntimeError:  # the user has no home folder
        return Path(tempfile.gettempdir()) / "clausal"


def _download_or_explain(tried: list[str]) -> list[list[str]]:
    try:
        return _unpack(_download())
    except (OSError, HTTPException) as error:
        raise ConnectionError(_explanation([*tried, f"download of {URL}: {error!r}"])) from error
    except ValueError as error:
        raise OSError(_explanation([*tried, f"download: {error}"])) from error


def _explanation(tried: list[str]) -> str:
    return "\n".join(
        [
            f"The bankruptcy data ({FILE_NAME}) is not part of the package and was not found. Tried:",
            *(f"- {attempt}" for attempt in tried),
            "Three ways to provide it:",
            "- load_bankruptcy(path), with the text file of UCI, a CSV file, or a folder with " + FILE_NAME,
            f"- set CLAUSAL_DATA to a folder with {FILE_NAME}",
            f"- load it once with a network connection; it is then stored in the cache, {_cache_folder()}"
            " (CLAUSAL_CACHE sets another folder)",
        ]
    )


def _download() -> bytes:
    with urlopen(URL, timeout=TIMEOUT_SECONDS) as response:
        content: bytes = response.read(MAX_ZIP_BYTES + 1)
    return _limited(content, MAX_ZIP_BYTES, URL)


def _unpack(archive: bytes) -> list[list[str]]:
    """The rows of the text file in the zip file of UCI; ValueError if the archive is damaged."""
    try:
        with zipfile.ZipFile(BytesIO(archive)) as zipped, zipped.open(_member(zipped)) as stream:
            content = stream.read(MAX_FILE_BYTES + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:  # RuntimeError: encrypted
        raise ValueError(f"{URL} must be a complete zip file. Got {len(archive)} bytes: {error}.") from error
    return parse_bankruptcy(_limited(content, MAX_FILE_BYTES, MEMBER), f"{URL}, {MEMBER}")


def _member(zipped: zipfile.ZipFile) -> zipfile.ZipInfo:
    """The text file in the archive, in any folder."""
    for info in zipped.infolist():
        if PurePosixPath(info.filename).name.lower() == MEMBER.lower():
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ValueError(f"{URL} must be stored or deflated. Got method {info.compress_type}.")
            return info
    raise ValueError(f"{URL} must contain a file {MEMBER}. Got {zipped.namelist()[:10]}.")


def _limited(content: bytes, limit: int, origin: str) -> bytes:
    if len(content) > limit:
        raise ValueError(f"{origin} must have at most {limit} bytes. Got more.")
    return content


def _store(content: bytes, file: Path) -> None:
    """Write the file completely or not at all; if the cache cannot be written, warn."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=file.parent, prefix=FILE_NAME)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(content)
            os.replace(temporary, file)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        warnings.warn(f"The bankruptcy data could not be stored in {file}: {error}", stacklevel=5)


PATH = (Instance((str, os.PathLike), "a path (str or path-like)"), OneOf(None))
FEATURES = tuple(named(name, LETTERS) for name in COLUMNS[:-1])

DESCRIPTION = """\
Qualitative bankruptcy

Source: UCI Machine Learning Repository, data set 281, Qualitative Bankruptcy; read from a file or downloaded.
License: CC BY 4.0, https://creativecommons.org/licenses/by/4.0/.
Credit: A. Martin, J. Uthayakumar and M. Nadarajan.
Changes: column names added, classes recoded to 0 and 1.
Rows: 250, none with a missing value, 103 of them distinct: 143 of class 1, 107 of class 0.
Target: 1 = the firm did not go bankrupt (NB), 0 = it did (B).
Every feature is a rating by experts: P = positive, A = average, N = negative.
"""


def load_bankruptcy(
    path: str | os.PathLike[str] | None = None, *, return_X_y: bool = False, as_frame: bool = False
) -> Any:
    """Load the qualitative bankruptcy data: 250 firms, 6 features, 1 = did not go bankrupt.

    The file is read from `path` if given. Otherwise it is read from the folder CLAUSAL_DATA (an environment
    variable), then from the cache (~/.cache/clausal or CLAUSAL_CACHE), and at last downloaded from UCI into
    the cache. The content is checked.

    Parameters
    ----------
    path : str, path-like or None, default=None
        A file (the text file of UCI, or a CSV file with a header), or a folder with bankruptcy.csv.
    return_X_y : bool, default=False
        Return the pair (data, target) instead of a Bunch.
    as_frame : bool, default=False
        Return data as a pandas DataFrame of nominal categories A, N and P, target as a Series. Otherwise,
        data is an object array with the letters of the file. Rows are in the order of the file.

    Returns
    -------
    sklearn.utils.Bunch or tuple
        A Bunch with data, target (int64), feature_names, target_names, category_names, frame (None unless
        `as_frame`) and DESCR; or (data, target).

    Raises
    ------
    OSError
        The file was not found: a FileNotFoundError for `path`, a ConnectionError for a failed download.
    ValueError
        A file was found, but its content is not this data set.

    Examples
    --------
    >>> load_bankruptcy("Qualitative_Bankruptcy.data.txt").data.shape  # doctest: +SKIP
    (250, 6)
    """
    check_arguments(
        "load_bankruptcy", path=(path, PATH), return_X_y=(return_X_y, FLAG), as_frame=(as_frame, FLAG)
    )
    return make_result(_bankruptcy_data(path), return_X_y=return_X_y, as_frame=as_frame)


def _bankruptcy_data(path: str | os.PathLike[str] | None) -> DataSet:
    rows = find_bankruptcy(path)
    return DataSet(
        features=FEATURES,
        rows=[row[:-1] for row in rows],
        target=[row[-1] == "NB" for row in rows],
        target_names=("bankrupt", "non-bankrupt"),
        description=DESCRIPTION,
    )
