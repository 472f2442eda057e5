"""Text of consoles and logs."""

import math
from pathlib import Path

import pytest

from errorflow.base.errors import FormatError
from errorflow.base.files import Source
from errorflow.base.progress import SILENT
from errorflow.compare.results import text as module
from errorflow.compare.results.text import decoded, limited, lines, mentions, number, shape, share
from errorflow.graph.model import Problem


def source(folder: Path, data: bytes) -> Source:
    path = folder / "console.txt"
    path.write_bytes(data)
    return Source(path)


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.5", 0.5), (" 1 ", 1.0), ("1e-3", 0.001), ("-inf", -math.inf), ("", None), ("--", None), ("1_0", None)],
)
def test_a_cell_is_a_number_or_none(text: str, value: float | None) -> None:
    assert number(text) == value


def test_nan_is_a_number() -> None:
    found = number("nan")

    assert found is not None
    assert math.isnan(found)


@pytest.mark.parametrize(("text", "value"), [("12.5%", 0.125), ("2.03", 2.03), ("%", None), (" 5 % ", 0.05)])
def test_percents_are_shares(text: str, value: float | None) -> None:
    assert share(text) == value


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("(1, 32)", (1, 32)),
        ("[1,5,8,8]", (1, 5, 8, 8)),
        ("()", ()),
        ("(1,)", (1,)),
        ("[4x20]", (4, 20)),
        ("", None),
        ("NaN", None),
        ("(a, 1)", None),
        ("(1, 2]", None),
        (f"({'9' * 40})", None),
    ],
)
def test_shapes_are_read_in_any_brackets(text: str, sizes: tuple[int, ...] | None) -> None:
    assert shape(text) == sizes


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_consoles_write_one_of_three_encodings(encoding: str) -> None:
    assert decoded("│ à │".encode(encoding)) == "│ à │"


def test_what_is_no_text_is_marked() -> None:
    assert decoded(b"a\xff b") == "a� b"


def test_colours_are_taken_out(tmp_path: Path) -> None:
    with source(tmp_path, b"a \x1b[1;31m q_zero\x1b[0m |\x1b[K  \r\nb\n") as opened:
        assert lines(opened, SILENT) == ["a  q_zero |", "b"]


def test_a_mark_across_two_pieces_is_found(tmp_path: Path) -> None:
    piece = 1024 * 1024
    with source(tmp_path, b"x" * (2 * piece - 3) + b"needle" + b"y" * 100) as opened:
        assert mentions(opened, "needle")
        assert mentions(opened, "needle", "xxx")
        assert not mentions(opened, "needle", "thread")


def test_nothing_is_searched_in_what_is_no_text(tmp_path: Path) -> None:
    with source(tmp_path, b"needle\0") as opened:
        assert not mentions(opened, "needle")


def test_too_many_lines_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_LINES", 10)

    with source(tmp_path, b"\n" * 11) as opened, pytest.raises(FormatError, match="more than 10 lines"):
        lines(opened, SILENT)


def test_long_lines_are_cut(tmp_path: Path) -> None:
    with source(tmp_path, b"x" * 200_000) as opened:
        assert [len(line) for line in lines(opened, SILENT)] == [module.MAX_LINE]


def test_of_many_problems_some_are_listed_and_the_others_counted() -> None:
    found = limited(Problem(str(count)) for count in range(1020))

    assert len(found) == module.MAX_PROBLEMS + 1
    assert found[-1].text == "1,000 more of this kind."


def test_few_problems_are_all_listed() -> None:
    assert limited([Problem("a")]) == (Problem("a"),)
