"""Where the bankruptcy file comes from: a path, the folder CLAUSAL_DATA, the cache, or UCI by download.

The file is not part of the package. Not here: what a valid file holds (`bankruptcy_rows`).
"""

from __future__ import annotations

import os
import tempfile
import warnings
import zipfile
import zlib
from http.client import HTTPException
from io import BytesIO
from pathlib import Path, PurePosixPath
from urllib.request import urlopen

from clausal.datasets.bankruptcy_rows import format_bankruptcy, parse_bankruptcy

FILE_NAME = "bankruptcy.csv"
URL = "https://archive.ics.uci.edu/static/public/281/qualitative+bankruptcy.zip"
MEMBER = "Qualitative_Bankruptcy.data.txt"
TIMEOUT_SECONDS = 30
MAX_FILE_BYTES = 100_000  # the file has under 4,000
MAX_ZIP_BYTES = 5_000_000


def find_bankruptcy(path: str | os.PathLike[str] | None) -> list[list[str]]:
    """The rows of the first source that has them; a path that is given is the only source."""
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
    except RuntimeError:  # this user has no home
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
            "- load_bankruptcy(path), with UCI's text file, a CSV file, or a folder that holds " + FILE_NAME,
            f"- set CLAUSAL_DATA to a folder that holds {FILE_NAME}",
            f"- load it once with a network: it is then kept in the cache, {_cache_folder()}"
            " (CLAUSAL_CACHE sets another folder)",
        ]
    )


def _download() -> bytes:
    with urlopen(URL, timeout=TIMEOUT_SECONDS) as response:
        content: bytes = response.read(MAX_ZIP_BYTES + 1)
    return _limited(content, MAX_ZIP_BYTES, URL)


def _unpack(archive: bytes) -> list[list[str]]:
    """The rows of the text file within UCI's zip file; a ValueError where the archive is damaged."""
    try:
        with zipfile.ZipFile(BytesIO(archive)) as zipped, zipped.open(_member(zipped)) as stream:
            content = stream.read(MAX_FILE_BYTES + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:  # RuntimeError: encrypted
        raise ValueError(f"{URL} must be a whole zip file. Got {len(archive)} bytes: {error}.") from error
    return parse_bankruptcy(_limited(content, MAX_FILE_BYTES, MEMBER), f"{URL}, {MEMBER}")


def _member(zipped: zipfile.ZipFile) -> zipfile.ZipInfo:
    """The text file within the archive, in whatever folder."""
    for info in zipped.infolist():
        if PurePosixPath(info.filename).name.lower() == MEMBER.lower():
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ValueError(f"{URL} must be stored or deflated. Got method {info.compress_type}.")
            return info
    raise ValueError(f"{URL} must hold a file {MEMBER}. Got {zipped.namelist()[:10]}.")


def _limited(content: bytes, limit: int, origin: str) -> bytes:
    if len(content) > limit:
        raise ValueError(f"{origin} must have at most {limit} bytes. Got more.")
    return content


def _store(content: bytes, file: Path) -> None:
    """Write the file whole or not at all; a cache that cannot be written costs a warning, not the data."""
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
        warnings.warn(f"The bankruptcy data could not be kept in {file}: {error}", stacklevel=5)
