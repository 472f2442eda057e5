"""Every way to draw straight from memory."""

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage, QPainter, QPixmap
from pytestqt.qtbot import QtBot

from errorflow_viewer.canvas.batch import Batch, Counts
from errorflow_viewer.canvas.sheet import Atlas

RED = QColor("#FF0000")


def painted(draw: Callable[[Batch], None]) -> tuple[QImage, Counts]:
    image = QImage(20, 20, QImage.Format.Format_RGB32)
    image.fill(QColor("#FFFFFF"))
    counts = Counts()
    painter = QPainter(image)
    draw(Batch(painter, counts))
    painter.end()
    return image, counts


def red(image: QImage) -> set[tuple[int, int]]:
    return {(x, y) for x in range(20) for y in range(20) if image.pixelColor(x, y) == RED}


def area(x: int, y: int, width: int, height: int) -> set[tuple[int, int]]:
    return {(i, j) for i in range(x, x + width) for j in range(y, y + height)}


def test_rects_are_x_y_width_height() -> None:
    def draw(batch: Batch) -> None:
        batch.fill(RED)
        batch.rects(np.array([(1.0, 2.0, 3.0, 4.0), (10.0, 10.0, 1.0, 1.0)]))

    image, counts = painted(draw)
    assert red(image) == area(1, 2, 3, 4) | area(10, 10, 1, 1)
    assert (counts.calls, counts.rects) == (1, 2)


def test_lines_are_from_and_to() -> None:
    def draw(batch: Batch) -> None:
        batch.stroke(RED, 1)
        batch.lines(np.array([(2.0, 5.0, 9.0, 5.0)]))

    image, counts = painted(draw)
    assert area(3, 5, 5, 1) <= red(image) <= area(2, 5, 8, 1)
    assert (counts.calls, counts.lines) == (1, 1)


def test_tiles_are_cut_from_the_picture(qtbot: QtBot) -> None:
    def draw(batch: Batch) -> None:
        picture = QPixmap(8, 8)
        picture.fill(QColor("#0000FF"))
        with QPainter(picture) as painter:
            painter.fillRect(4, 4, 2, 3, RED)
        batch.tiles(np.array([(11.0, 11.5, 4.0, 4.0, 2.0, 3.0, 1.0, 1.0, 0.0, 1.0)]), picture)

    image, counts = painted(draw)
    assert red(image) == area(10, 10, 2, 3)
    assert (counts.calls, counts.tiles) == (1, 1)


@pytest.mark.parametrize("shape", [(0, 4), (0, 10)])
def test_nothing_is_no_call(shape: tuple[int, int]) -> None:
    def draw(batch: Batch) -> None:
        batch.rects(np.zeros(shape))
        batch.lines(np.zeros(shape))

    assert painted(draw)[1].calls == 0


def test_an_array_that_is_not_contiguous_is_drawn_all_the_same() -> None:
    rows = np.array([(1.0, 2.0, 3.0, 4.0, 99.0), (10.0, 10.0, 1.0, 1.0, 99.0)])[:, :4]

    def draw(batch: Batch) -> None:
        batch.fill(RED)
        batch.rects(rows)

    assert red(painted(draw)[0]) == area(1, 2, 3, 4) | area(10, 10, 1, 1)


def test_a_tile_is_painted_once(qtbot: QtBot) -> None:
    atlas, painted_tiles = Atlas(), []
    for _ in range(3):
        tile = atlas.tile("key", lambda: (4, 4), lambda painter: painted_tiles.append(painter))
    assert tile == 0
    assert len(painted_tiles) == 1


def test_tiles_land_where_they_are_asked_to(qtbot: QtBot) -> None:
    atlas = Atlas()
    atlas.tile("other", lambda: (7, 9), lambda painter: painter.fillRect(0, 0, 7, 9, QColor("#0000FF")))
    tile = atlas.tile("red", lambda: (3, 2), lambda painter: painter.fillRect(0, 0, 30, 20, RED))
    image, _ = painted(lambda batch: atlas.draw(batch, np.array([tile]), np.array([5.0]), np.array([6.0])))
    assert red(image) == area(5, 6, 3, 2)


def test_tiles_of_several_pages_are_drawn(qtbot: QtBot) -> None:
    atlas = Atlas()
    tiles = [atlas.tile(n, lambda: (900, 900), lambda painter: painter.fillRect(0, 0, 900, 900, RED)) for n in range(3)]
    lefts = np.array([-895.0, -895.0, 15.0])
    image, counts = painted(lambda batch: atlas.draw(batch, np.array(tiles), lefts, np.zeros(3)))
    assert red(image) == area(0, 0, 5, 20) | area(15, 0, 5, 20)
    assert counts.calls == 3


def test_an_atlas_that_grew_too_large_starts_anew(qtbot: QtBot) -> None:
    atlas = Atlas()
    for number in range(20):
        atlas.tile(number, lambda: (1024, 1024), lambda painter: None)
    atlas.trim()
    assert atlas.tile("first", lambda: (1, 1), lambda painter: None) == 0
