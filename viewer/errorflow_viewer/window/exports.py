"""Exports of the window's picture: files and the clipboard. What that takes is loaded when it is wanted."""

import re
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog, QWidget

from errorflow.base import ErrorflowError, Progress, dataclass, replace
from errorflow.base.files import replacing
from errorflow.graph.model import Model
from errorflow.report.colors import DARK, LIGHT
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.crumbs import crumb_text
from errorflow_viewer.document.state import Place
from errorflow_viewer.export.actions import ReportKind
from errorflow_viewer.kit.banner import WRITTEN, Banners, Notice, notice_of
from errorflow_viewer.kit.drawings import CORE_VIEWS
from errorflow_viewer.kit.look import Theme
from errorflow_viewer.kit.settings import PICTURE_SCALES
from errorflow_viewer.window.graph_view import GraphView
from errorflow_viewer.window.pair_view import GraphPair

if TYPE_CHECKING:
    from errorflow.report.caption import Caption
    from errorflow.report.request import Kind
    from errorflow.report.svg import Picture


KEY = "export"
_NAME = re.compile(r"[^\w.-]+")
# Of a graph's name, so much goes into the name of a file.
_LONGEST = 60
# The name of the switch.
CAPTION = "caption"


@dataclass(frozen=True)
class Host:
    """Interface that an export has to the window."""

    widget: QWidget
    desk: Desk
    view: GraphView
    pair: GraphPair
    banners: Banners
    # A line in the status bar; a folder in the system's file manager.
    say: Callable[[str], None]
    show_outside: Callable[[Path], None]


class Exports:
    """Asks for a name, writes in the background, and says how it went."""

    def __init__(self, host: Host) -> None:
        self._host = host

    @property
    def captions(self) -> bool:
        """Whether pictures say what they show: names, legend, what was compared, date and versions."""
        return self._host.desk.settings.is_on(CAPTION, True)

    def turn_captions(self) -> None:
        self._host.desk.settings.switch(CAPTION, not self.captions)

    @property
    def scale(self) -> int:
        """Number of times that pictures are as fine as the screen."""
        return self._host.desk.settings.picture_scale

    def choose_scale(self, scale: int) -> None:
        self._host.desk.settings.picture_scale = scale

    def save_view(self) -> None:
        """Saves what is visible, as PNG."""
        self._ask("Export view", self._name("view"), "png", self._save_view)

    def copy_view(self) -> None:
        """Copies what is visible, to the clipboard."""
        if self._host.view.shown is None:
            return
        QGuiApplication.clipboard().setImage(self._view(self.scale))
        self._host.say("The picture is on the clipboard")

    def save_graph(self, kind: "Kind") -> None:
        """Saves all of the graph, as far as it is unfolded."""
        shown = self._host.view.shown
        view = "down" if shown is None else CORE_VIEWS[shown.drawing.across, shown.columns]
        name = self._name("" if view == "down" else view)
        self._ask("Export graph", name, kind, partial(self._save_graph, kind))

    def save_report(self, kind: "ReportKind" = "html") -> None:
        """Saves all that was found out, as one page, or as a document to print."""
        self._ask("Export report", self._name_of_model("report"), kind, self._save_report)

    def save_tables(self) -> None:
        """Saves all nodes, and beside them all tensors."""
        self._ask("Export tables", self._name_of_model("nodes"), "csv", self._save_report)

    def _name_of_model(self, what: str) -> str:
        model = self._host.desk.document.model
        return "" if model is None else f"{model.path.stem}-{what}"

    def _ask(self, title: str, name: str, kind: str, answer: Callable[[Path, int], None]) -> None:
        if name:
            ask_where(self._host.widget, self._host.desk, title, name, kind, answer)

    def _save_view(self, path: Path, scale: int) -> None:
        image = self._view(scale)
        self._start(path, lambda progress: _save_image(image, path, progress))

    def _save_graph(self, kind: "Kind", path: Path, scale: int) -> None:
        picture = self._picture()
        if picture is None:
            return
        # All that is needed, taken along: the window may go on meanwhile.
        theme, font = self._host.desk.appearance.theme, QFont(self._host.view.canvas.font())
        self._start(path, lambda progress: _write(kind, picture, theme, font, path, scale, progress))

    def _save_report(self, path: Path, _scale: int) -> None:
        from errorflow_viewer.export.report import write

        state = self._host.desk.document.state
        self._start(path, lambda progress: write(state, path, progress))

    def _start(self, path: Path, work: Callable[[Progress], Path]) -> None:
        self._host.banners.dismiss(KEY)
        # Several may be under way; one to the same file replaces the one before.
        key = f"{KEY} {path}"
        self._host.desk.jobs.start(key, f"Exporting {path.name}", work, self._on_done, self._on_failed)

    def _on_done(self, path: Path) -> None:
        folder = path.parent
        notice = Notice(
            "info",
            f"{path.name} is written.",
            str(folder),
            key=KEY,
            button="Open folder",
            pressed=lambda: self._host.show_outside(folder),
            of_model=True,
            family=WRITTEN,
        )
        self._host.banners.show_notice(notice)

    def _on_failed(self, error: ErrorflowError) -> None:
        self._host.banners.show_notice(notice_of(error, KEY))

    def _view(self, scale: int) -> QImage:
        """Paints what is visible of the graph, and of the second one beside it."""
        from errorflow.report.caption import NO_CAPTION
        from errorflow_viewer.export.view_page import PagePane, ViewPage, part_text

        model, shown, beside = self._host.desk.document.model, self._host.view.shown, self._host.pair.beside
        views = [self._host.view] if beside is None or beside.view.shown is None else [self._host.view, beside.view]
        if model is None or shown is None or (not self.captions and len(views) == 1):
            return self._host.view.canvas.picture(scale)
        names = [model.path.name] + ["" if beside is None else beside.name] * (len(views) - 1)
        canvases = [view.canvas for view in views]
        panes = [
            PagePane(name, canvas.picture(scale, legend=False)) for name, canvas in zip(names, canvases, strict=True)
        ]
        paint = next((view.errors.paint for view in views if view.errors.paint is not None), None)
        page = ViewPage(
            panes,
            scale * canvases[0].devicePixelRatioF(),
            self._title(model) if self.captions else "",
            part_text(shown.draft.drawn, shown.drawing, canvases[0].fitted, canvases[0].zoom),
            self._caption() if self.captions else NO_CAPTION,
            self._host.desk.appearance.theme,
            QFont(canvases[0].font()),
            paint,
            self._host.desk.document.session.pairing == "stacked",
        )
        return page.image()

    def _caption(self) -> "Caption":
        from errorflow.report.caption import caption
        from errorflow_viewer.export.view_page import made_on_view

        return caption(made_on_view(self._host.desk.document.state), datetime.now())

    def _title(self, model: Model) -> str:
        return " · ".join(filter(None, (model.path.name, self._inner(model))))

    def _picture(self) -> "Picture | None":
        from errorflow.report.notes import drawing_note
        from errorflow.report.svg import Picture

        shown, model = self._host.view.shown, self._host.desk.document.model
        if shown is None or model is None:
            return None
        graph, theme = shown.draft.drawn, self._host.desk.appearance.theme
        colors, paint = DARK if theme.dark else LIGHT, self._host.view.errors.paint
        note = drawing_note(graph, shown.drawing)
        picture = Picture(shown.drawing, graph, self._title(model), note, colors, paint)
        return replace(picture, caption=self._caption()) if self.captions else picture

    def _name(self, view: str) -> str:
        """Names the file unless the user says otherwise; empty: there is nothing to export."""
        model = self._host.desk.document.model
        if model is None or self._host.view.shown is None:
            return ""
        inner = _NAME.sub("_", self._inner(model))[:_LONGEST]
        return "-".join(filter(None, (model.path.stem, inner, view)))

    def _inner(self, model: Model) -> str:
        """Names the body or function on view; empty: it is the model's own graph."""
        place = self._host.desk.document.state.place
        return "" if place == Place() else crumb_text(model, place)


def _save_image(image: QImage, path: Path, progress: Progress) -> Path:
    from errorflow_viewer.export.png import save

    progress.step(0, 0, "Writing the picture")
    with replacing(path) as beside:
        save(image, beside)
        progress.step(1, 1, "Writing the picture")  # a cancel meanwhile comes before the old file is replaced
    return path


def _write(
    kind: "Kind", picture: "Picture", theme: Theme, font: QFont, path: Path, scale: int, progress: Progress
) -> Path:
    """Writes the whole graph; answers what to look at. Only what the kind needs is loaded."""
    if kind == "svg":
        from errorflow_viewer.export.svg import write_svg

        write_svg(picture, path, progress)
        return path
    if kind == "pdf":
        from errorflow_viewer.export.pdf import write_pdf_apart

        write_pdf_apart(picture, theme, path, progress)
        return path
    from errorflow_viewer.export.png import Plan, write_png
    from errorflow_viewer.export.poster import Poster

    poster = Poster(picture, theme, font)
    return write_png(poster, Plan.of(poster.width, poster.height, float(scale), None), path, progress)


# Asks where a picture is to go, without stopping the window: the answer comes when it is given.

# Where a picture is to go, and how fine it is to be.
Answer = Callable[[Path, int], None]
_LABELS = {"svg": "SVG", "pdf": "PDF", "html": "HTML", "csv": "Tables as CSV"}


def ask_where(window: QWidget, desk: Desk, title: str, name: str, kind: str, answer: Answer) -> QFileDialog:
    """Shows a dialog that proposes a file name; a PNG's scale is chosen with its type. Remembers folder and scale."""
    settings, beside = desk.settings, desk.document.folder
    dialog = QFileDialog(window, title, str(Path(settings.export_folder(beside)) / f"{name}.{kind}"))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    filters = _filters(kind)
    dialog.setNameFilters(list(filters))
    dialog.selectNameFilter(next(text for text, scale in filters.items() if scale in (0, settings.picture_scale)))
    dialog.setDefaultSuffix(kind)

    def take(chosen: str) -> None:
        path, scale = with_ending(Path(chosen), kind), filters.get(dialog.selectedNameFilter(), 0)
        settings.remember_export(path.parent, beside)
        if scale:
            settings.picture_scale = scale
        answer(path, scale)

    dialog.fileSelected.connect(take)
    dialog.open()
    return dialog


def _filters(kind: str) -> dict[str, int]:
    """The types that can be chosen, and the scale that each stands for; 0: there is none to choose."""
    if kind != "png":
        return {f"{_LABELS[kind]} (*.{kind})": 0}
    return {f"PNG, {scale}× the pixels of the screen (*.png)": scale for scale in PICTURE_SCALES}


def with_ending(path: Path, kind: str) -> Path:
    return path if path.suffix.lower() == f".{kind}" else path.with_name(f"{path.name}.{kind}")
