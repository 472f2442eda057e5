"""Figures as the engine draws them, in a theme of the window."""

import re
from pathlib import Path

from PySide6.QtCore import QRectF

from errorflow.report.figure_shapes import DARK_LOOK, LIGHT_LOOK, Area, FigureLook
from errorflow_viewer.commands.copy_save.plots import png as png
from errorflow_viewer.kit.look import FONT_FAMILY, Theme


def look_of(theme: Theme) -> FigureLook:
    return DARK_LOOK if theme.dark else LIGHT_LOOK


def area_of(place: QRectF) -> Area:
    return Area(place.x(), place.y(), place.width(), place.height())


# A plot as a file or for the clipboard.

# What the dialog offers; the first is meant where a name has another ending.
FILTERS = ("PNG picture (*.png)", "SVG picture (*.svg)", "Numbers as CSV (*.csv)")
ENDINGS = (".png", ".svg", ".csv")
_FONTS = re.compile(rb'font-family="[^"]*"')


def with_ending(path: Path, chosen: str) -> Path:
    """A name without a known ending gets that of the filter that was chosen."""
    if path.suffix.lower() in ENDINGS:
        return path
    return path.with_name(path.name + ENDINGS[FILTERS.index(chosen) if chosen in FILTERS else 0])


def file_name(title: str) -> str:
    """A name that every file system takes."""
    kept = "".join(letter if letter.isalnum() or letter in "-_. " else "_" for letter in title)
    return kept.strip(" ._")[:80] if kept.strip(" ._") else "plot"


def in_our_font(svg: bytes) -> bytes:
    """Qt takes a list of fonts for the name of one."""
    return _FONTS.sub(f'font-family="{FONT_FAMILY}"'.encode(), svg)
