"""Everything known about what is selected: a node, a tensor, or while nothing is, the model."""

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QShowEvent, QTextOption
from PySide6.QtWidgets import QTextBrowser, QToolButton, QWidget

from errorflow.graph.describe import weighed
from errorflow.graph.model import Model
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.texts import offer_text
from errorflow_viewer.document.derived_table import listed
from errorflow_viewer.document.state import Place, State
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.layouts import fill, pages
from errorflow_viewer.kit.look import PADDING
from errorflow_viewer.panels.attributes import Expanded
from errorflow_viewer.panels.details_text import Page, group_page, model_page, node_page, tensor_page
from errorflow_viewer.panels.empty import Empty
from errorflow_viewer.panels.neighbours import Around
from errorflow_viewer.panels.note_lines import NOTES, node_note, session_note
from errorflow_viewer.panels.precision_lines import follow_switch, precision_section, with_section
from errorflow_viewer.panels.sections import as_text, page, without_breaks

KEY = "details.weights"
# So many weights are weighed within a frame.
AT_ONCE = 500
# In ms: the graph is painted first.
CALM = 150


class DetailsPanel(QWidget):
    """A page of text with links to the neighbours."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._document = desk.document
        self._expanded: Expanded = frozenset()
        self._page: Page | None = None
        # More was found since it was written, while one could not see it.
        self._stale = False
        # The file that was weighed last: read again, or known better, it mostly weighs the same.
        self._weighed: tuple[Path, tuple[int, int]] | None = None
        self.text = _Text()
        self.text.setOpenLinks(False)
        self.text.setAcceptDrops(False)
        self.text.setAccessibleName("Details")
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.text.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.text.document().setDocumentMargin(PADDING)
        self.text.anchorClicked.connect(self._follow)
        offer_text(desk, self.text, "details", self.plain_text)
        self.copy = self._make_copy()
        self.title_buttons = (self.copy,)
        self.nothing = Empty("What is known about a node or a model stands here.", "Open a model…", desk.ask_for_file)
        self.stack = pages(self.text, self.nothing)
        fill(self, self.stack)
        weights = listed(KEY, "Weighing the model", (), _heavy, _weights, self._take_weights)
        desk.derived.add(replace(weights, calm=CALM))
        self._document.changed.connect(self._on_changed)
        desk.appearance.changed.connect(self._write)
        self._write()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._take_findings()

    def plain_text(self) -> str:
        """The page as it is copied."""
        return "" if self._page is None else as_text(*self._page)

    def _make_copy(self) -> QToolButton:
        copy = QToolButton()
        icons.follow(copy, "copy")
        copy.setToolTip("Copy the details as text")
        copy.setAccessibleName("Copy the details as text")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.plain_text()))
        return copy

    def _on_changed(self, fields: Collection[str]) -> None:
        if {"node", "tensor", "group", "place"} & set(fields):
            self._expanded = frozenset()
        if {"model", "node", "tensor", "group", "place", "redrawn"} & set(fields):
            refined = not {"node", "tensor", "group", "place"} & set(fields)
            self._write(keep_scroll=refined)
        elif {"session.note", "session.notes"} & set(fields):
            self._write(keep_scroll=True)
        elif {"findings", "session.simulation", "simulated"} & set(fields):
            self._take_findings()

    def _take_findings(self) -> None:
        """They come several times a second while one may be reading, and mostly say nothing new."""
        state = self._document.state
        self._stale = not self.isVisible()
        if self._stale:
            return
        told = state.node is not None or state.tensor is not None
        if told and self._make_page() != self._page:
            self._write(keep_scroll=True)

    def _write(self, _theme: object = None, keep_scroll: bool = False) -> None:
        self._page = self._make_page()
        self.stack.setCurrentWidget(self.nothing if self._page is None else self.text)
        self.copy.setEnabled(self._page is not None)
        if self._page is None:
            return
        bar = self.text.verticalScrollBar()
        place = bar.value() if keep_scroll else 0
        self.text.setHtml(page(*self._page, self._desk.appearance.theme))
        bar.setValue(place)

    def _make_page(self) -> Page | None:
        state, model = self._document.state, self._document.model
        if model is None:
            return None
        around, selection = Around.of(model, state.place), self._desk.selection
        if state.node is not None:
            found = node_page(model, around, state.node, self._expanded, selection.drawn_with, state.findings)
            found = with_section(found, node_note(self._document, state.node))
            return with_section(found, precision_section(self._document, state.node))
        if state.tensor is not None:
            return tensor_page(around, state.tensor, selection.drawn_with, state.findings)
        if state.group is not None:
            return group_page(around, selection.name, selection.group_nodes, selection.group_drawn, self._expanded)
        found = model_page(model, around, state.place, self._expanded, selection.drawn_nodes, self._weights_of(model))
        return with_section(found, session_note(self._document))

    def _weights_of(self, model: Model) -> tuple[int, int] | None:
        """None: they are few; of many it is not known at once, and written when it is."""
        if not _is_heavy(model):
            return None
        return (0, 0) if self._weighed is None or self._weighed[0] != model.path else self._weighed[1]

    def _take_weights(self, found: tuple[Path, tuple[int, int]]) -> None:
        before, self._weighed = self._weighed, found
        if self._document.state.is_bare and before != self._weighed:
            self._write(keep_scroll=True)

    def _follow(self, url: QUrl) -> None:
        if follow_switch(self._desk, url):
            return
        follow: dict[str, Callable[[str], None]] = {
            "node": lambda text: self._document.go(self._document.state.place, node=int(text)),
            "tensor": lambda text: self._document.go(self._document.state.place, tensor=int(text)),
            "body": lambda text: self._document.go(self._document.state.place.inside(int(text))),
            "function": lambda text: self._document.go(Place(function=int(text))),
            "outer": self._leave,
            "search": self._search,
            "problems": lambda _: self._desk.panels.show("problems"),
            NOTES: lambda field: self._desk.panels.show("notes", field),
            "more": self._expand,
        }
        follow[url.scheme()](url.path(QUrl.ComponentFormattingOption.FullyDecoded))

    def _leave(self, text: str) -> None:
        """`2:node:7`: so many graphs outwards, and what to select there."""
        steps, kind, number = text.split(":")
        place = self._document.state.place
        outer = replace(place, path=place.path[: -int(steps)])
        index = int(number)
        self._document.go(outer, node=index if kind == "node" else None, tensor=index if kind == "tensor" else None)

    def _search(self, text: str) -> None:
        self._desk.panels.show("nodes")
        self._document.search_for(text)

    def _expand(self, key: str) -> None:
        self._expanded |= {key}
        self._write(keep_scroll=True)


def _is_heavy(model: Model) -> bool:
    return sum(len(graph.weights.names()) for graph in model.graphs()) > AT_ONCE


def _heavy(state: State) -> Model | None:
    return state.model if state.model is not None and _is_heavy(state.model) else None


def _weights(model: Model) -> tuple[Path, tuple[int, int]]:
    return model.path, weighed(model)


class _Text(QTextBrowser):
    """What is copied out of it is what stands in the file."""

    def createMimeDataFromSelection(self) -> QMimeData:
        data = QMimeData()
        data.setText(without_breaks(self.textCursor().selection().toPlainText()))
        return data
