"""Small picture of what is on view, painted as the canvas paints, for the next time it is to be opened."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from PySide6.QtCore import QObject, QRectF
from PySide6.QtGui import QFont, QImage, QPainter

from errorflow.base import SILENT, Progress, dataclass, replace
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing
from errorflow.report.paint import Paint
from errorflow_viewer.canvas.batch import Batch, Counts
from errorflow_viewer.canvas.camera import Camera
from errorflow_viewer.canvas.colors import colors_of
from errorflow_viewer.canvas.paint import paint_scene
from errorflow_viewer.canvas.scene import Scene
from errorflow_viewer.canvas.sheet import Fills, Style
from errorflow_viewer.canvas.signs import NO_SIGNS
from errorflow_viewer.document.derived import Deriving
from errorflow_viewer.document.derived_table import looked
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.recents import Recents
from errorflow_viewer.document.state import Place, State
from errorflow_viewer.document.thumbnails import HEIGHT, WIDTH, stamp_from
from errorflow_viewer.document.verdict_words import headline
from errorflow_viewer.kit.jobs import ignore_failure
from errorflow_viewer.kit.look import DARK, LIGHT, Theme
from errorflow_viewer.kit.recent import Recent
from errorflow_viewer.window.graph_view import GraphView
from errorflow_viewer.window.sessions import Sessions

KEY = "thumbnail"
# Milliseconds in which nothing changes before it is painted; pixels round the graph.
CALM, MARGIN = 1200, 20
# Device pixels per logical pixel, which lines and letters go by.
RATIO = 2.0
# A graph is no narrower than this share of the picture: of a thread only the part where it turns bad is shown.
LEAST = 0.12
# Boxes up to which it is painted while the window closes.
QUICK = 5000


@dataclass(frozen=True)
class Motif:
    """Motif that is painted."""

    drawing: Drawing
    graph: Graph
    # None: not by error.
    paint: "Paint | None"
    font: QFont


class FileReader(Protocol):
    """Reader of files that come on view."""

    @property
    def read(self) -> Mapping[Path, int]:
        """Times when each of them had been written by then."""


# What is painted of which entry if it is one, the sign of its verdict, and a stamp of the files that were read.
_Wish = tuple[Recent | None, Motif, str, str]


class Thumbnailing(QObject):
    """Painter of what is on view when nothing changes any more."""

    def __init__(
        self,
        document: Document,
        view: GraphView,
        derived: Deriving,
        recents: Recents,
        sessions: Sessions,
        readers: Sequence[FileReader],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._readers = readers
        self._document = document
        self._view = view
        self._derived = derived
        self._recents = recents
        self._sessions = sessions
        reads = "findings", "case", "session.painting"
        row = looked(KEY, "Painting a small picture", self._wished, self._keep, lambda _: None, ignore_failure, reads)
        derived.add(replace(row, calm=CALM, in_turn=lambda *_: True, shown=False))
        view.unfolded.connect(self._follow)
        sessions.saved.connect(self._follow)

    def _follow(self, _saved: object = None) -> None:
        self._derived.follow(KEY)

    def finish(self) -> None:
        """The window closes: what was to be painted soon is painted now, unless that takes long."""
        if self._derived.rests(KEY):
            self.paint_now()

    def paint_now(self) -> None:
        wish = self._wished(self._document.state)
        if wish is not None and len(wish[1].drawing) <= QUICK:
            self._keep(wish, SILENT)

    def _keep(self, wish: _Wish, progress: Progress) -> None:
        recent, motif, sign, stamp = wish
        if recent is None or not stamp:
            return
        images: dict[str, QImage] = {}
        for done, theme in enumerate((LIGHT, DARK)):
            progress.step(done, 2, "Painting a small picture")
            images[theme.name] = painted(motif, theme)
        self._recents.thumbnails.write(recent, images, sign, stamp)

    def _wished(self, _: State) -> _Wish | None:
        recent, motif = self._recent(), self.motif()
        stamp = "" if recent is None else self._stamp(recent)
        return None if motif is None else (recent, motif, self._sign(), stamp)

    def _recent(self) -> Recent | None:
        """Finds what of the list is on view; None: nothing of it, such as a sample."""
        session = self._document.session
        known = (self._sessions.file, session.bundle, session.setup, session.model)
        found = next((each for each in known if each is not None), None)
        return found if found in self._recents.entries else None

    def _stamp(self, recent: Recent) -> str:
        """Stamps what was read: its files may have been written anew since."""
        if recent == self._sessions.file:
            return self._sessions.stamp
        return stamp_from(recent, {path: time for reader in self._readers for path, time in reader.read.items()})

    def motif(self) -> Motif | None:
        """Finds what is on view; None: nothing, or a part of the model."""
        shown, at_root = self._view.shown, self._document.state.place == Place()
        if shown is None or not at_root or not len(shown.drawing):
            return None
        return Motif(shown.drawing, shown.draft.drawn, self._view.errors.paint, QFont(self._view.canvas.font()))

    def _sign(self) -> str:
        compared = self._document.state.case
        found = None if compared is None else headline(compared, running=False)
        return "" if found is None or found.waits else found.sign


def painted(motif: Motif, theme: Theme, width: int = WIDTH, height: int = HEIGHT) -> QImage:
    """Paints all of it as far as there is room."""
    scene, paint = Scene(motif.drawing, motif.graph), motif.paint
    colors = colors_of(theme) if paint is None else colors_of(theme, paint.palette, paint.diverging)
    style, signs = Style(colors, motif.font), NO_SIGNS.painted(paint)
    fills = Fills.of(scene, style, signs.errors, signs.crossed)
    image = QImage(width, height, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    try:
        area, camera = QRectF(0, 0, width, height), _camera(motif, width, height)
        paint_scene(Batch(painter, Counts()), scene, fills, style, camera, RATIO, area, signs)
    finally:
        painter.end()
    return image


def _camera(motif: Motif, width: int, height: int) -> Camera:
    across, down = (max(length, 1.0) for length in motif.drawing.size)
    fit = min((width - 2 * MARGIN) / across, (height - 2 * MARGIN) / down, RATIO)
    scale = min(max(fit, LEAST * width / across, LEAST * height / down), RATIO)
    x, y = (across / 2, down / 2) if scale == fit else _centre(motif)
    left, top = x * scale - width / 2, y * scale - height / 2
    return Camera(scale, round(_kept(left, across * scale, width)), round(_kept(top, down * scale, height)))


def _kept(start: float, length: float, room: int) -> float:
    """Keeps what is larger than the room within it."""
    if length + 2 * MARGIN <= room:
        return (length - room) / 2
    return min(max(start, -MARGIN), length + MARGIN - room)


def _centre(motif: Motif) -> tuple[float, float]:
    """Finds where it is first as bad as it gets."""
    boxes = motif.drawing.boxes
    badness = None if motif.paint is None else np.nan_to_num(motif.paint.errors.badness)
    box = 0 if badness is None or not len(badness) else int(np.argmax(badness >= badness.max()))
    left, top, across, down = boxes[box]
    return float(left + across / 2), float(top + down / 2)
