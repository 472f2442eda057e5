"""The context menu of a plot: its picture and its numbers, to the clipboard or as files."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter
from PySide6.QtWidgets import QMenu, QWidget

from errorflow.base.values import dataclass
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.tables import name_of, window_of
from errorflow_viewer.commands.copy_save.writing import write
from errorflow_viewer.commands.save_dialog import ask_where
from errorflow_viewer.kit.look import FONT_FAMILY

COPY_PICTURE, COPY_NUMBERS = "Copy picture", "Copy numbers as CSV"
SAVE_PICTURE, SAVE_NUMBERS = "Save picture as PNG or SVG…", "Save numbers as CSV…"
# Pixels of a picture to each of the screen.
FINE = 2.0
_KEY = "giving.numbers"
Make = Callable[[], str | bytes]


@dataclass(frozen=True)
class Plot:
    """A plot that gives itself away. `numbers` takes along what it needs: what it answers runs in the background."""

    # What it shows in some words, for the name of a file.
    what: Callable[[], str]
    image: Callable[[], QImage]
    svg: Callable[[], bytes]
    numbers: Callable[[], Make]
    # Whether anything is drawn.
    is_there: Callable[[], bool]
    # Whether there are numbers; None: where anything is drawn.
    is_counted: Callable[[], bool] | None = None


def offer_plot(desk: Desk, widget: QWidget, plot: Plot) -> None:
    """A plot that has no menu of its own."""

    def show(spot: QPoint) -> None:
        menu = QMenu(widget)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        add_plot(menu, desk, plot)
        menu.popup(widget.mapToGlobal(spot))

    widget.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    widget.customContextMenuRequested.connect(show)


def add_plot(menu: QMenu, desk: Desk, plot: Plot) -> None:
    """The same rows at the end of a menu that is there."""
    if menu.actions():
        menu.addSeparator()
    is_there = plot.is_there()
    is_counted = is_there if plot.is_counted is None else plot.is_counted()
    for text, enabled, run in (
        (COPY_PICTURE, is_there, lambda: QGuiApplication.clipboard().setImage(plot.image())),
        (COPY_NUMBERS, is_counted, lambda: _copy_numbers(desk, plot)),
        (SAVE_PICTURE, is_there, lambda: _ask(desk, menu, plot, ("PNG pictures (*.png)", "SVG pictures (*.svg)"))),
        (SAVE_NUMBERS, is_counted, lambda: _ask(desk, menu, plot, ("Tables (*.csv)",))),
    ):
        menu.addAction(text, run).setEnabled(enabled)


def write_plot(desk: Desk, path: Path, plot: Plot) -> None:
    """Writes a plot as its ending says; what is drawn is taken along, and written in the background."""
    write(desk, path, _maker(path.suffix.lower(), plot))


def _maker(ending: str, plot: Plot) -> Make:
    if ending == ".csv":
        return plot.numbers()
    if ending == ".svg":
        drawn = plot.svg()
        return lambda: drawn
    image = plot.image()
    return lambda: png(image)


def _ask(desk: Desk, menu: QMenu, plot: Plot, kinds: tuple[str, ...]) -> None:
    csv = len(kinds) == 1
    title = "Save the numbers of the plot" if csv else "Save the plot"
    name = name_of(desk, plot.what(), ".csv" if csv else ".png")
    ask_where(window_of(menu), desk, title, name, kinds, lambda path: write_plot(desk, path, plot))


def _copy_numbers(desk: Desk, plot: Plot) -> None:
    make = plot.numbers()

    def copied(text: str | bytes) -> None:
        QGuiApplication.clipboard().setText(text if isinstance(text, str) else text.decode())
        desk.say("The numbers are on the clipboard")

    desk.jobs.start(_KEY, "Copying the numbers", lambda _: make(), copied, lambda error: desk.say(error.message))


# Pictures of widgets that paint themselves

Paint = Callable[[QPainter], None]


def image_of(size: QSize, ground: str, paint: Paint) -> QImage:
    image = QImage(size * FINE, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(FINE)
    image.fill(QColor(ground))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    paint(painter)
    painter.end()
    return image


def svg_of(size: QSize, ground: str, paint: Paint, title: str) -> bytes:
    """Draws in lines and letters; other programs have not our font."""
    from PySide6.QtSvg import QSvgGenerator

    made = QBuffer()
    made.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(made)
    generator.setResolution(96)
    generator.setSize(size)
    generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
    generator.setTitle(title)
    painter = QPainter(generator)
    painter.fillRect(QRectF(0, 0, size.width(), size.height()), QColor(ground))
    paint(painter)
    painter.end()
    named = f'font-family="{FONT_FAMILY}'.encode()
    return bytes(made.data().data()).replace(named + b'"', named + b', sans-serif"')


def png(image: QImage) -> bytes:
    made = QBuffer()
    made.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(made, "PNG")  # type: ignore[call-overload]  # PySide takes the format as text; its types say bytes
    return bytes(made.data().data())
