"""The pictures that the canvas must paint; `python tests/viewer/canvas/golden.py` writes them anew.

Shapes only: letters differ between versions of the font engine.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import QMargins, QPoint, QRect, QSize
from PySide6.QtGui import QImage

from errorflow.explain.findings.model import State
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing, Kind
from errorflow.report.box_signs import TOLD, BoxSigns
from errorflow.report.paint import Paint
from errorflow_viewer.canvas.colors import colors_of
from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.kit.look import DARK, LIGHT, Theme
from viewer.canvas.made_up import beside, diamond, grid, painted

FOLDER = Path(__file__).parent / "golden"
SIZE = QSize(420, 360)

# Name: theme, how many columns of boxes or none for the diamond, zoom, whether boxes have colours of their own.
SCENES: dict[str, tuple[Theme, int | None, float, bool]] = {
    "near-light": (LIGHT, 2, 1.0, False),
    "near-dark": (DARK, 2, 1.0, False),
    "near-filled": (LIGHT, 2, 1.0, True),
    "curves": (LIGHT, None, 1.0, False),
    "far-light": (LIGHT, 10, 0.0, False),
    "far-filled": (DARK, 10, 0.0, True),
    "near-marked": (LIGHT, 2, 1.0, True),
    "near-marked-dark": (DARK, 2, 1.0, True),
    "near-folds": (LIGHT, 1, 1.25, True),
    "near-folds-dark": (DARK, 1, 1.25, True),
    "far-marked": (LIGHT, 10, 0.0, True),
    "near-switched": (LIGHT, 2, 1.0, True),
    "near-switched-dark": (DARK, 2, 1.0, True),
    "far-switched": (LIGHT, 10, 0.0, True),
}


def picture(name: str) -> QImage:
    """What the canvas paints now."""
    theme, columns, zoom, filled = SCENES[name]
    canvas = Canvas()
    canvas.set_reduced_motion(True)
    canvas.resize(SIZE)
    canvas.set_colors(colors_of(theme))
    drawing, graph = _wordless(diamond() if columns is None else _grid(columns))
    canvas.show_drawing(drawing, graph)
    if filled:
        canvas.set_error(_errors(len(drawing), name, len(graph.tensor_names)))
    canvas.resize(SIZE.grownBy(QMargins(0, 0, 0, round(canvas.legend_height))))
    canvas.centre_on(3, zoom)
    return canvas.picture().copy(QRect(QPoint(), SIZE))


def _grid(columns: int) -> tuple[Drawing, Graph]:
    """Boxes of every kind and family."""
    drawing, graph = grid(20 * columns, columns)
    kinds = drawing.kinds.copy()
    kinds[4:6] = Kind.FOLD, Kind.STACK
    kinds[6] = Kind.CONSTANT
    return replace(drawing, kinds=kinds), graph


def _errors(size: int, name: str, tensors: int) -> Paint:
    """From good to bad and not measured by turns; the closed group and the stack stand for many."""
    badness = np.arange(size) % 7 / 5
    folds = {4: (14, 4, 3, 2, 1, 0), 5: (30, 0, 0, 0, 1, 9)}
    values = np.where(badness > 1, np.nan, badness)
    if name.endswith(("switched", "switched-dark")):
        kept = np.where(np.arange(size) % 4 == 0, np.arange(size) // 4 % 6, 0).astype(np.uint8)
        signs = replace(beside(size), kept=kept)
        return painted(values, folds, signs=signs)
    if "marked" not in name:
        return painted(values, folds)
    return replace(painted(values, folds, signs=_told(size)), tints=np.arange(tensors) % 5 / 4)


def _told(size: int) -> BoxSigns:
    """Every bar, state and verdict, and a front, by turns."""
    boxes = range(size)
    every = (0, *State)
    return beside(
        size,
        bars={box: box % 4 / 3 for box in boxes if box % 5},
        states={box: every[box % len(every)] for box in boxes},
        verdicts={box: (0, *TOLD)[box // 2 % 4] for box in boxes},
        front=[box for box in boxes if box % 6 < 3],
        ends=[box for box in boxes if box % 12 == 1],
    )


def _wordless(shown: tuple[Drawing, Graph]) -> tuple[Drawing, Graph]:
    drawing, graph = shown
    return replace(drawing, labels=("",) * len(drawing), group_labels=("",) * len(drawing.group_labels)), graph


def main() -> None:
    from PySide6.QtWidgets import QApplication

    application = QApplication([])
    FOLDER.mkdir(exist_ok=True)
    for name in SCENES:
        picture(name).save(str(FOLDER / f"{name}.png"))
    application.quit()


if __name__ == "__main__":
    main()
