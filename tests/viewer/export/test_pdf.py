import re
import subprocess
import zlib
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from errorflow.base.errors import FileError
from errorflow.base.progress import Cancelled
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph
from errorflow_viewer.export.pdf import LONGEST, POINTS, write_pdf, write_pdf_apart
from errorflow_viewer.export.poster import Poster
from errorflow_viewer.kit.look import DARK, LIGHT, Theme
from needed import needing
from viewer.export.posters import cyclic_graph, graph_of, odd_graph, poster_of, renamed, seen_boxes

CHAIN = ("Conv", "Relu", "MaxPool", "Softmax", "QuantizeLinear", "Reshape", "Unheard")
poppler = needing("pdftoppm")


def _page(path: Path) -> tuple[float, float]:
    """The size of the one page, in points."""
    [box] = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", path.read_bytes())
    width, height = map(float, box)
    return width, height


def _contents(path: Path) -> bytes:
    """All streams that can be unpacked."""
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", path.read_bytes(), re.DOTALL)
    return b"\n".join(_unpacked(stream) for stream in streams)


def _unpacked(stream: bytes) -> bytes:
    try:
        return zlib.decompress(stream)
    except zlib.error:
        return b""


def _pixels(poster: Poster, path: Path) -> QImage:
    """The page as another program paints it, a px per px."""
    subprocess.run(["pdftoppm", "-png", "-r", "96", "-singlefile", path, path.with_suffix("")], check=True)
    return QImage(str(path.with_suffix(".png")))


class TestPage:
    @pytest.mark.parametrize("scale", [1.0, 0.5, 3.0])
    def test_there_is_one_of_the_size_of_the_picture(self, tmp_path: Path, scale: float) -> None:
        poster = poster_of(graph_of(*CHAIN))
        write_pdf(poster, scale, tmp_path / "graph.pdf")

        assert _page(tmp_path / "graph.pdf") == pytest.approx(
            (poster.width * scale * POINTS, poster.height * scale * POINTS), abs=1
        )

    def test_no_page_is_longer_than_readers_take(self, tmp_path: Path) -> None:
        poster = poster_of(graph_of(*CHAIN * 100))
        write_pdf(poster, 4.0, tmp_path / "graph.pdf")

        width, height = _page(tmp_path / "graph.pdf")
        assert height == LONGEST
        assert width == pytest.approx(LONGEST * poster.width / poster.height, abs=1)

    def test_all_is_lines_and_letters(self, tmp_path: Path) -> None:
        write_pdf(poster_of(graph_of(*CHAIN)), 1.0, tmp_path / "graph.pdf")

        assert b"/Subtype /Image" not in (tmp_path / "graph.pdf").read_bytes()
        assert _contents(tmp_path / "graph.pdf").count(b"BT") >= len(CHAIN)

    @pytest.mark.parametrize(
        "graph", [odd_graph(), cyclic_graph(), GraphBuilder().build()], ids=["odd", "cyclic", "empty"]
    )
    def test_any_graph_has_one(self, tmp_path: Path, graph: Graph) -> None:
        write_pdf(poster_of(graph), 1.0, tmp_path / "graph.pdf")

        assert (tmp_path / "graph.pdf").read_bytes().startswith(b"%PDF-")
        assert min(_page(tmp_path / "graph.pdf")) > 10


@poppler
class TestAsOthersSeeIt:
    @pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
    def test_every_box_is_there(self, tmp_path: Path, theme: Theme) -> None:
        poster = poster_of(graph_of(*CHAIN), theme)
        write_pdf(poster, 1.0, tmp_path / "graph.pdf")

        image = _pixels(poster, tmp_path / "graph.pdf")
        assert seen_boxes(poster, image, image.width() / poster.width, tolerance=3) == len(poster.picture.drawing)

    def test_text_can_be_searched(self, tmp_path: Path) -> None:
        poster = renamed(poster_of(graph_of(*CHAIN)), "A title")
        write_pdf(poster, 1.0, tmp_path / "graph.pdf")

        done = subprocess.run(["pdftotext", tmp_path / "graph.pdf", "-"], check=True, capture_output=True, text=True)
        assert {"A title", *CHAIN, "Add", "x", "y"} <= set(done.stdout.splitlines())


class _Cancel:
    def step(self, done: int, total: int, text: str) -> None:
        raise Cancelled


class TestApart:
    def test_the_page_is_the_same(self, tmp_path: Path) -> None:
        poster = renamed(poster_of(graph_of(*CHAIN), DARK), "A title")
        write_pdf(poster, 1.0, tmp_path / "here.pdf")
        write_pdf_apart(poster.picture, DARK, tmp_path / "apart.pdf")

        assert _page(tmp_path / "apart.pdf") == _page(tmp_path / "here.pdf")
        assert _contents(tmp_path / "apart.pdf").count(b"BT") == _contents(tmp_path / "here.pdf").count(b"BT")

    def test_a_cancel_leaves_what_was_there(self, tmp_path: Path) -> None:
        (tmp_path / "graph.pdf").write_bytes(b"old")
        with pytest.raises(Cancelled):
            write_pdf_apart(poster_of(graph_of("Conv")).picture, LIGHT, tmp_path / "graph.pdf", _Cancel())

        assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("graph.pdf", b"old")]

    def test_a_missing_folder_is_a_sentence(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match="could not be written"):
            write_pdf_apart(poster_of(graph_of("Conv")).picture, LIGHT, tmp_path / "gone" / "graph.pdf")


def test_a_missing_folder_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="could not be written"):
        write_pdf(poster_of(graph_of("Conv")), 1.0, tmp_path / "gone" / "graph.pdf")
