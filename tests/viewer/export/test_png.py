import re
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor, QImage, QPainter

from errorflow.base.errors import FileError
from errorflow.base.progress import Cancelled
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph
from errorflow.report.legend import LEGEND_HEIGHT
from errorflow_viewer.canvas.colors import colors_of
from errorflow_viewer.export.png import Plan, tile_name, write_png
from errorflow_viewer.export.poster import Poster
from errorflow_viewer.kit.look import DARK, LIGHT, Theme
from viewer.canvas.pixels import channels, difference
from viewer.export.posters import (
    corners,
    cyclic_graph,
    edge_colors,
    graph_of,
    odd_graph,
    painted,
    poster_of,
    renamed,
    seen_boxes,
)

CHAIN = ("Conv", "Relu", "MaxPool", "Softmax", "QuantizeLinear", "Reshape", "Unheard")


def _written(poster: Poster, path: Path, scale: float = 1.0, tile: int | None = None) -> QImage:
    found = write_png(poster, Plan.of(poster.width, poster.height, scale, tile), path)
    assert found == path
    return QImage(str(path))


def _pixels(image: QImage, color: QColor) -> int:
    """How many have that colour."""
    wanted = (color.blue(), color.green(), color.red())
    return int((abs(channels(image) - wanted).sum(axis=2) < 12).sum())


def _joined(poster: Poster, path: Path, plan: Plan) -> QImage:
    """The tiles, side by side."""
    whole = QImage(plan.width, plan.height, QImage.Format.Format_RGB32)
    painter = QPainter(whole)
    for row, column, place in plan.parts():
        tile = QImage(str(path.parent / tile_name(path, row, column)))
        assert tile.size() == place.size()
        painter.drawImage(place, tile)
    painter.end()
    return whole


class TestOneImage:
    @pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
    @pytest.mark.parametrize("scale", [1.0, 1.5, 3.0])
    def test_every_box_is_there(self, tmp_path: Path, theme: Theme, scale: float) -> None:
        poster = poster_of(graph_of(*CHAIN), theme)
        image = _written(poster, tmp_path / "graph.png", scale)

        assert (image.width(), image.height()) == (round(poster.width * scale), round(poster.height * scale))
        assert seen_boxes(poster, image, scale) == len(poster.picture.drawing)

    @pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
    def test_error_is_painted_with_bars_and_a_legend(self, tmp_path: Path, theme: Theme) -> None:
        plain, colors = poster_of(graph_of(*CHAIN), theme), colors_of(theme)
        poster = painted(plain, 1.0)
        image = _written(poster, tmp_path / "graph.png", 2.0)
        above = round((poster.height - LEGEND_HEIGHT) * 2)
        graph, foot = (
            image.copy(0, 0, image.width(), above),
            image.copy(0, above, image.width(), image.height() - above),
        )

        assert _pixels(graph, colors.error[-1]) > 2000
        assert min(_pixels(graph, color) for color in (colors.bands[0], colors.unmeasured)) > 100
        assert min(_pixels(foot, color) for color in (colors.error[0], colors.error[-1], colors.unmeasured)) > 20

    def test_nothing_is_cut_off(self, tmp_path: Path) -> None:
        poster = poster_of(graph_of(*CHAIN * 9), columns=True)
        image = _written(poster, tmp_path / "graph.png")

        left, top, right, bottom = corners(poster).tolist()
        assert QRect(0, 0, image.width(), image.height()).contains(
            QRect(QPoint(int(left), int(top)), QPoint(int(right), int(bottom)))
        )
        assert edge_colors(image) == {QColor(LIGHT.canvas).name()}

    def test_the_title_stands_above(self, tmp_path: Path) -> None:
        poster = poster_of(graph_of("Conv"), title="")
        titled = renamed(poster, "A title")
        image = _written(titled, tmp_path / "graph.png")

        head = image.copy(0, 0, image.width(), int(titled.picture.frame.top))
        assert QColor(LIGHT.text).name() in {
            head.pixelColor(x, y).name() for x in range(head.width()) for y in range(head.height())
        }
        assert titled.height > poster.height

    @pytest.mark.parametrize(
        "graph", [odd_graph(), cyclic_graph(), GraphBuilder().build()], ids=["odd", "cyclic", "empty"]
    )
    def test_any_graph_has_a_picture(self, tmp_path: Path, graph: Graph) -> None:
        poster = poster_of(graph, title="net")

        assert seen_boxes(poster, _written(poster, tmp_path / "graph.png"), 1.0) == len(poster.picture.drawing)

    def test_a_small_one_is_painted_with_less_detail(self, tmp_path: Path) -> None:
        poster = poster_of(graph_of(*CHAIN * 9))
        image = _written(poster, tmp_path / "graph.png", 0.1)

        assert image.width() == pytest.approx(poster.width * 0.1, abs=1)
        assert edge_colors(image) == {QColor(LIGHT.canvas).name()}


class TestTiles:
    def test_they_make_up_the_one_image(self, tmp_path: Path) -> None:
        poster = poster_of(graph_of(*CHAIN))
        whole = _written(poster, tmp_path / "whole.png", 1.5)
        plan = Plan.of(poster.width, poster.height, 1.5, 256)
        write_png(poster, plan, tmp_path / "graph.png")

        assert int(difference(_joined(poster, tmp_path / "graph.png", plan), whole).max()) == 0

    def test_a_page_shows_each_in_its_place(self, tmp_path: Path) -> None:
        poster = poster_of(graph_of(*CHAIN), title="<net> & co")
        plan = Plan.of(poster.width, poster.height, 1.0, 256)
        page = write_png(poster, plan, tmp_path / "a graph.png")

        text = page.read_text("utf-8")
        assert page == tmp_path / "a graph.html"
        assert "<title>&lt;net&gt; &amp; co</title>" in text
        places = [
            tuple(map(int, found))
            for found in re.findall(r'width="(\d+)" height="(\d+)" style="left:(\d+)px;top:(\d+)px"', text)
        ]
        assert places == [(p.width(), p.height(), p.left(), p.top()) for _, _, p in plan.parts()]
        names = {name.replace("%20", " ") for name in re.findall(r'src="([^"]+)"', text)}
        assert {path.name for path in tmp_path.iterdir()} == names | {page.name}


class _CancelAt:
    """Strikes at a step."""

    def __init__(self, step: int) -> None:
        self.left = step

    def step(self, done: int, total: int, text: str) -> None:
        self.left -= 1
        if self.left < 0:
            raise Cancelled


class TestAllOrNothing:
    @pytest.mark.parametrize("tile", [None, 256])
    def test_a_cancel_leaves_what_was_there(self, tmp_path: Path, tile: int | None) -> None:
        poster = poster_of(graph_of(*CHAIN))
        (tmp_path / "graph.png").write_bytes(b"old")
        for step in (0, 1) if tile else (0,):
            with pytest.raises(Cancelled):
                write_png(
                    poster, Plan.of(poster.width, poster.height, 1.0, tile), tmp_path / "graph.png", _CancelAt(step)
                )

        assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("graph.png", b"old")]

    @pytest.mark.parametrize("tile", [None, 256])
    def test_a_missing_folder_is_a_sentence(self, tmp_path: Path, tile: int | None) -> None:
        poster = poster_of(graph_of("Conv"))

        with pytest.raises(FileError, match=r"could (not )?be written"):
            write_png(poster, Plan.of(poster.width, poster.height, 1.0, tile), tmp_path / "gone" / "graph.png")
