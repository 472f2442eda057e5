"""What changed between two runs, painted; `python tests/viewer/canvas/change_golden.py` writes the pictures anew."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import QMargins, QPoint, QRect
from PySide6.QtGui import QImage

from errorflow.case.session.model import Palette
from errorflow.explain.findings.change import signs_of
from errorflow.report.paint import Paint
from errorflow_viewer.canvas.colors import colors_of
from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.kit.look import DARK, LIGHT, Theme
from viewer.canvas.golden import SIZE, _grid, _wordless
from viewer.canvas.made_up import beside, painted

FOLDER = Path(__file__).parent / "golden_change"
# Name: theme, palette, how many columns of boxes, zoom.
SCENES: dict[str, tuple[Theme, Palette, int, float]] = {
    "near-light": (LIGHT, "ember", 2, 1.0),
    "near-dark": (DARK, "ember", 2, 1.0),
    "near-single": (LIGHT, "single", 2, 1.0),
    "far-light": (LIGHT, "blue-orange", 10, 0.0),
    "far-dark": (DARK, "blue-orange", 10, 0.0),
}


def picture(name: str) -> QImage:
    """What the canvas paints now."""
    theme, palette, columns, zoom = SCENES[name]
    canvas = Canvas()
    canvas.set_reduced_motion(True)
    canvas.resize(SIZE)
    canvas.set_colors(colors_of(theme, palette, diverging=True))
    drawing, graph = _wordless(_grid(columns))
    canvas.show_drawing(drawing, graph)
    canvas.set_error(changed(len(drawing)))
    canvas.resize(SIZE.grownBy(QMargins(0, 0, 0, round(canvas.legend_height))))
    canvas.centre_on(3, zoom)
    return canvas.picture().copy(QRect(QPoint(), SIZE))


def changed(size: int) -> Paint:
    """From better over the same to worse and not measured, by turns."""
    badness = np.arange(size) % 8 / 6
    values = np.where(badness > 1, np.nan, badness)
    signs = replace(beside(size), turns=signs_of(np.where(np.isnan(values), -np.inf, values)))
    paint = painted(values, {4: (3, 1, 9, 2, 1, 0), 5: (0, 0, 5, 0, 0, 2)}, signs=signs)
    return replace(paint, told_from="1 dB")


def main() -> None:
    from PySide6.QtWidgets import QApplication

    application = QApplication([])
    FOLDER.mkdir(exist_ok=True)
    for name in SCENES:
        picture(name).save(str(FOLDER / f"{name}.png"))
    application.quit()


if __name__ == "__main__":
    main()
