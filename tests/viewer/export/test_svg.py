"""Large pictures as SVG: written elsewhere, and the same to the last byte."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from errorflow.base.errors import FileError
from errorflow.base.progress import Cancelled
from errorflow.graph.build import GraphBuilder
from errorflow.layout.engine import LayoutOptions, layout
from errorflow.report.colors import DARK
from errorflow.report.svg import Picture, svg
from errorflow_viewer.export import svg as export
from viewer.export.posters import graph_of, painted, poster_of
from viewer.models import branching_graph


def _plain() -> Picture:
    return poster_of(branching_graph()).picture


def _dark() -> Picture:
    return replace(_plain(), colors=DARK, scale=2.0)


def _with_stubs() -> Picture:
    builder = GraphBuilder("star")
    builder.input("x")
    for number in range(300):
        builder.node("Relu", ["x"], [f"y{number}"], name=f"relu{number}")
    graph = builder.build()
    drawing = layout(graph, LayoutOptions(view="down"))
    assert len(drawing.stubs)
    return Picture(drawing, graph, "star")


def _with_errors() -> Picture:
    picture = painted(poster_of(graph_of("Conv", "Relu")), 0.7).picture
    assert picture.paint is not None
    return replace(picture, paint=replace(picture.paint, note=lambda box: f"box {box} is <bad>"))


@pytest.mark.parametrize("make", [_plain, _dark, _with_stubs, _with_errors])
def test_a_process_of_its_own_writes_the_same(make: Callable[[], Picture], tmp_path: Path) -> None:
    picture = make()
    export.write_svg_apart(picture, tmp_path / "apart.svg")
    assert (tmp_path / "apart.svg").read_text("utf-8") == "".join(svg(picture))


def test_names_that_no_message_can_hold_are_written_with_a_sign(tmp_path: Path) -> None:
    """As of files and tensors that are not in UTF-8."""
    picture = _with_errors()
    assert picture.paint is not None
    picture = replace(picture, title="odd \udcff", paint=replace(picture.paint, note=lambda box: f"{box} \udc80"))
    export.write_svg_apart(picture, tmp_path / "odd.svg")
    text = (tmp_path / "odd.svg").read_text("utf-8")
    assert "<title>odd ?</title>" in text and "0 ?</title>" in text


def test_a_picture_of_many_boxes_is_written_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "MOST_HERE", 3)
    texts: list[str] = []
    export.write_svg(_plain(), tmp_path / "a.svg", _Steps(texts))
    assert (tmp_path / "a.svg").exists()
    assert "Writing the picture" in texts


def test_a_cancel_leaves_the_old_file(tmp_path: Path) -> None:
    old = tmp_path / "a.svg"
    old.write_text("old", "utf-8")
    with pytest.raises(Cancelled):
        export.write_svg_apart(_plain(), old, _Cancelling())
    assert old.read_text("utf-8") == "old"
    assert list(tmp_path.iterdir()) == [old]


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileError):
        export.write_svg_apart(_plain(), tmp_path / "none" / "a.svg")


class _Steps:
    def __init__(self, texts: list[str]) -> None:
        self._texts = texts

    def step(self, done: int, total: int, text: str) -> None:
        self._texts.append(text)


class _Cancelling:
    def step(self, done: int, total: int, text: str) -> None:
        raise Cancelled
