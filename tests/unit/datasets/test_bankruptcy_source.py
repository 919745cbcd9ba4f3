"""Bankruptcy: the order of the sources, the cache, and downloads that fail; no test uses the network."""

from __future__ import annotations

import http.client
import urllib.error
import zipfile
from pathlib import Path

import pytest

from clausal.datasets import bankruptcy, load_bankruptcy
from clausal.datasets.bankruptcy import parse_bankruptcy

MEMBER = bankruptcy.MEMBER


def firsts(bunch):
    return bunch.data.tolist()


def expected(text):
    return [line.split(",")[:-1] for line in text.split()]


def test_path_to_a_file_or_folder(fake_text, tmp_path, serve):
    (tmp_path / "bankruptcy.csv").write_text(fake_text)
    assert firsts(load_bankruptcy(tmp_path)) == expected(fake_text)
    assert firsts(load_bankruptcy(str(tmp_path / "bankruptcy.csv"))) == expected(fake_text)


@pytest.mark.parametrize("name", ["absent.csv", "."])
def test_given_path_without_a_file_looks_nowhere_else(name, tmp_path, serve, folders, fake_text):
    (folders["data"] / "bankruptcy.csv").write_text(fake_text)
    missing = tmp_path / name
    with pytest.raises(FileNotFoundError, match=r"There is no file .*\.csv\."):
        load_bankruptcy(missing)


def test_home_in_a_path(fake_text, tmp_path, serve, monkeypatch):
    (tmp_path / "mine.csv").write_text(fake_text)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert firsts(load_bankruptcy("~/mine.csv")) == expected(fake_text)


def test_data_folder_comes_before_cache(fake_text, serve, folders):
    (folders["data"] / "bankruptcy.csv").write_text(fake_text)
    folders["cache"].mkdir(parents=True)
    (folders["cache"] / "bankruptcy.csv").write_text("never read")
    assert firsts(load_bankruptcy()) == expected(fake_text)


def test_damaged_file_in_data_folder_is_an_error(serve, folders):
    (folders["data"] / "bankruptcy.csv").write_text("damaged")
    with pytest.raises(ValueError, match=r"data.bankruptcy\.csv, line 1"):
        load_bankruptcy()


def test_cache_comes_before_download(fake_text, serve, folders):
    folders["cache"].mkdir(parents=True)
    (folders["cache"] / "bankruptcy.csv").write_text(fake_text)
    assert firsts(load_bankruptcy()) == expected(fake_text)


@pytest.mark.parametrize("folder", ["", "Qualitative_Bankruptcy/"])
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_download_is_cached(folder, method, fake_text, serve, folders, make_zip):
    asked = serve(make_zip({"info.txt": "words", folder + MEMBER: fake_text}, method))
    assert firsts(load_bankruptcy()) == expected(fake_text)
    assert asked == ["https://archive.ics.uci.edu/static/public/281/qualitative+bankruptcy.zip"]
    assert [file.name for file in folders["cache"].iterdir()] == ["bankruptcy.csv"]
    assert firsts(load_bankruptcy()) == expected(fake_text)
    assert len(asked) == 1


def test_real_rows_survive_download_and_cache(shared_data, serve, make_zip):
    text = (shared_data / "bankruptcy.csv").read_text().split("\n", 1)[1]
    serve(make_zip({MEMBER: text}))
    downloaded, cached = load_bankruptcy(), load_bankruptcy()
    assert firsts(downloaded) == firsts(cached) == firsts(load_bankruptcy(shared_data))


def test_damaged_cache_is_replaced(fake_text, serve, folders, make_zip):
    folders["cache"].mkdir(parents=True)
    cached = folders["cache"] / "bankruptcy.csv"
    cached.write_text(fake_text[:100])
    serve(make_zip({MEMBER: fake_text}))
    assert firsts(load_bankruptcy()) == expected(fake_text)
    assert len(parse_bankruptcy(cached.read_bytes(), "cache")) == 250


def test_cache_folder_defaults_to_the_home(fake_text, serve, tmp_path, monkeypatch, make_zip):
    monkeypatch.delenv("CLAUSAL_CACHE")
    monkeypatch.delenv("CLAUSAL_DATA")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    serve(make_zip({MEMBER: fake_text}))
    load_bankruptcy()
    assert (tmp_path / ".cache" / "clausal" / "bankruptcy.csv").is_file()


def test_user_without_a_home_gets_a_cache_in_the_temporary_folder(serve, tmp_path, monkeypatch):
    def no_home(self: Path) -> Path:
        raise RuntimeError("no home")

    monkeypatch.delenv("CLAUSAL_CACHE")
    monkeypatch.setattr(Path, "expanduser", no_home)
    monkeypatch.setattr(bankruptcy.tempfile, "gettempdir", lambda: str(tmp_path))
    assert bankruptcy._cache_folder() == tmp_path / "clausal"


def test_interrupted_write_leaves_nothing(fake_text, serve, folders, monkeypatch, make_zip):
    serve(make_zip({MEMBER: fake_text}))

    def interrupt(source: str, destination: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(bankruptcy.os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        load_bankruptcy()
    assert list(folders["cache"].iterdir()) == []


def test_cache_that_cannot_be_written_costs_a_warning(fake_text, serve, folders, make_zip):
    folders["cache"].parent.mkdir()
    folders["cache"].write_text("a file where the folder should be")
    serve(make_zip({MEMBER: fake_text}))
    with pytest.warns(UserWarning, match="could not be stored in") as caught:
        assert firsts(load_bankruptcy()) == expected(fake_text)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "failure",
    [
        urllib.error.URLError("Name or service not known"),
        urllib.error.HTTPError("https://x", 503, "Service Unavailable", http.client.HTTPMessage(), None),
        TimeoutError("timed out"),
        http.client.IncompleteRead(b"half"),
    ],
    ids=lambda failure: type(failure).__name__,
)
def test_offline_says_what_was_tried_and_what_to_do(failure, serve, folders):
    serve(failure)
    with pytest.raises(ConnectionError) as caught:
        load_bankruptcy()
    message = str(caught.value)
    assert caught.value.__cause__ is failure
    for words in (
        f"CLAUSAL_DATA: no file {folders['data'] / 'bankruptcy.csv'}",
        f"the cache: There is no file {folders['cache'] / 'bankruptcy.csv'}",
        f"download of {bankruptcy.URL}: {failure!r}",
        "Three ways to provide it:\n- load_bankruptcy(path)",
        "- set CLAUSAL_DATA",
        "- load it once with a network",
        "CLAUSAL_CACHE",
    ):
        assert words in message
    assert not folders["cache"].exists()


def test_offline_without_data_folder_says_so(serve, monkeypatch):
    monkeypatch.delenv("CLAUSAL_DATA")
    serve(urllib.error.URLError("offline"))
    with pytest.raises(ConnectionError, match="CLAUSAL_DATA: the variable is not set"):
        load_bankruptcy()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda pack, text: b"<html>moved</html>", "must be a complete zip file. Got 18 bytes"),
        (lambda pack, text: b"", "must be a complete zip file. Got 0 bytes"),
        (lambda pack, text: pack({MEMBER: text})[:-40], "must be a complete zip file"),
        (lambda pack, text: pack({"other.txt": text}), "must contain a file Qualitative_Bankruptcy.data.txt"),
        (lambda pack, text: pack({MEMBER: text[:-20]}), "Expected"),
        (lambda pack, text: pack({MEMBER: text.replace("P", "A", 1)}), "sorted rows of sha256"),
        (lambda pack, text: pack({MEMBER: "P" * 100_001}), "must have at most 100000 bytes"),
        (
            lambda pack, text: pack({MEMBER: text}, zipfile.ZIP_BZIP2),
            "must be stored or deflated. Got method 12",
        ),
        (lambda pack, text: b"0" * 5_000_001, "must have at most 5000000 bytes"),
    ],
    ids=["html", "empty", "truncated", "no member", "short", "changed", "bomb", "bzip2", "endless"],
)
def test_wrong_download(answer, words, fake_text, serve, folders, make_zip):
    serve(answer(make_zip, fake_text))
    with pytest.raises(OSError) as caught:
        load_bankruptcy()
    assert not isinstance(caught.value, ConnectionError)
    assert words in str(caught.value)
    assert "Three ways to provide it" in str(caught.value)
    assert not folders["cache"].exists()


def test_any_damage_to_the_archive_is_an_os_error_or_harmless(fake_text, serve, make_zip):
    whole = make_zip({MEMBER: fake_text})
    rows = parse_bankruptcy(fake_text.encode(), "x")
    n_refused = 0
    for position in range(len(whole)):
        flipped = bytes([*whole[:position], whole[position] ^ 0xFF, *whole[position + 1 :]])
        for damaged in (flipped, whole[:position]):
            try:
                assert bankruptcy._unpack(damaged) == rows
            except ValueError:
                n_refused += 1
    assert n_refused > len(whole)
