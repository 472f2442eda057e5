"""The pictures that the canvas must paint; `python tests/viewer/canvas/golden.py` writes them anew.

Shapes only: letters differ between versions of the font engine.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QImage

from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing, Kind
from errorflow_viewer.canvas.colors import colors_of
from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.look import DARK, LIGHT, Theme
from viewer.canvas.made_up import diamond, grid

FOLDER = Path(__file__).parent / "golden"
SIZE = QSize(420, 360)

LOUD = ("#E9EEF3", "#F2C14E", "#E4572E", "#7B1E3A")

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
    "far-marked": (LIGHT, 10, 0.0, True),
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
    canvas.centre_on(3, zoom)
    if filled:
        bins = (np.arange(len(drawing)) % 7).astype(np.uint8)
        canvas.set_node_fill(bins, [QColor(color) for color in LOUD])
    if "marked" in name:
        numbers = np.arange(len(drawing)).astype(np.uint8)
        canvas.set_marks(numbers % 5, numbers % 4, [QColor(color) for color in LOUD[1:]])
    return canvas.picture()


def _grid(columns: int) -> tuple[Drawing, Graph]:
    """Boxes of every kind and family."""
    drawing, graph = grid(20 * columns, columns)
    kinds = drawing.kinds.copy()
    kinds[4:6] = Kind.FOLD, Kind.STACK
    kinds[6] = Kind.CONSTANT
    return replace(drawing, kinds=kinds), graph


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
