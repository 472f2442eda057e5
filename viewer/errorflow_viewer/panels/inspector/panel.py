"""The inspector: the evidence about what is selected."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from errorflow.base.progress import SILENT, Progress
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.kit.following import always, follow
from errorflow_viewer.kit.layouts import fill, pages
from errorflow_viewer.panels.empty import Empty
from errorflow_viewer.plots.large import open_button

if TYPE_CHECKING:
    from errorflow_viewer.panels.inspector.content import Content

KEY = "inspector.loading"
_WATCHED = {"model", "place", "node", "tensor", "findings", "case", "session.second"}
# What facts tell of, and no view of values.
_TOLD = {"session.notes", "session.setup"}
_NOTHING = "Select a node to see the values that it makes, in both runs."


class InspectorPanel(QWidget):
    """Inspector that reads nothing while it is not seen; what it takes to show something is loaded when there is
    something.
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._document = desk.document
        self._content: Content | None = None
        self._seen, self._stale = True, True
        # Whether it came to the front by itself, as it does once for each model.
        self._came = False
        self.enlarge = open_button()
        self.enlarge.setEnabled(False)
        self.enlarge.clicked.connect(lambda: self.content.enlarge())
        desk.plots.offer("inspector", self.enlarge)
        self.title_buttons = (self.enlarge,)
        self.nothing = Empty(_NOTHING)
        self.closed = Empty("The values of a node stand here, of both runs.", "Open a model…", desk.ask_for_file)
        self.pages = pages(self.closed, self.nothing)
        fill(self, self.pages)
        follow(self, self._document.changed, self._on_changed, _WATCHED | _TOLD, always)
        self._document.looked_for.connect(self._look_for)

    def sizeHint(self) -> QSize:
        return QSize(280, 420)

    @property
    def content(self) -> "Content":
        """Made when it is asked for."""
        if self._content is None:
            self._content = _load()(self._desk)
            self._content.told = self._on_told
            self.pages.addWidget(self._content)
        return self._content

    def note_seen(self, seen: bool) -> None:
        self._seen = seen
        if not seen and not self._large:
            self._forget()
        elif self._stale:
            self._refresh()

    def _on_changed(self, fields: Collection[str]) -> None:
        if {"model", "case"} & set(fields):
            self._come()
        if "findings" in fields and self._document.state.findings is not None and self._content is None:
            self._fetch()
        if not _WATCHED & set(fields):
            if _TOLD & set(fields) and self._content is not None:
                self._content.show_facts()
        elif self._seen or self._large:
            self._refresh()
        else:
            self._forget()

    @property
    def _large(self) -> bool:
        """Whether it is seen in a window of its own, even if not here."""
        return self._content is not None and self._content.any_large

    def _on_told(self) -> None:
        """Follows when another view is on show, or a large window has opened or closed."""
        content = self._content
        large = None if content is None or content.subject is None else content.views[content.view].large
        self.enlarge.setEnabled(large is not None and large.has_content)
        if not self._seen and not self._large:
            self._forget()

    def _come(self) -> None:
        """Comes when there are runs to be seen, for the first time; not if the user has put it away."""
        compared = self._document.state.case is not None
        if compared and not self._came and self._desk.panels.is_shown("inspector"):
            self._desk.panels.show("inspector")
        self._came = compared

    def _look_for(self, view: str, tensor: str) -> None:
        """Looks for a view to which the user was led."""
        self._desk.panels.show("inspector")
        self._refresh()
        if self._content is not None:
            self._content.look_for(view, tensor)

    def _fetch(self) -> None:
        """Loads in the background what the first look would wait for."""
        self._desk.jobs.quietly(KEY, "Loading the inspector", _load)

    def _refresh(self) -> None:
        self._stale = False
        state = self._document.state
        if state.model is None or (state.node is None and state.tensor is None):
            self._forget()
            self._stale = False
            self.pages.setCurrentWidget(self.closed if state.model is None else self.nothing)
        elif self.content.refresh():
            self.pages.setCurrentWidget(self.content)
        else:
            self.pages.setCurrentWidget(self.nothing)

    def _forget(self) -> None:
        """Forgets: nothing is held for a panel that is not seen."""
        self._stale = True
        self.enlarge.setEnabled(False)
        if self._content is not None:
            self._content.forget()


def _load(_: Progress = SILENT) -> "type[Content]":
    from errorflow_viewer.panels.inspector.content import Content

    return Content
