"""The line that says what becomes of pairs by hand."""

from collections.abc import Collection

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from errorflow.base.errors import ErrorflowError
from errorflow.case.session.model import HandPair
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.document.comparing import KEY as COMPARING
from errorflow_viewer.document.derived_table import BY_HAND as MEASURING
from errorflow_viewer.kit.layouts import spaced, text_button, text_label
from errorflow_viewer.kit.look import GRID, PADDING
from errorflow_viewer.panels.matches.hints import AGAIN, Hint, Situation, hint_of
from errorflow_viewer.panels.matches.measured import scale_on_view


class HintLine(QWidget):
    """Hidden while there is nothing to say."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._failure = ""
        # What was decided here last.
        self._last: HandPair | None = None
        self.text = text_label(wraps=True)
        self.text.setTextFormat(Qt.TextFormat.PlainText)  # names of tensors must not become markup
        self.button = text_button("", lambda: desk.compare_again())
        row = spaced(QHBoxLayout(self), PADDING, (PADDING, 0, PADDING, GRID))
        row.addWidget(self.text, 1)
        row.addWidget(self.button)
        self._show(None)
        desk.document.changed.connect(self._on_changed)
        desk.jobs.changed.connect(lambda _: self.refresh())
        desk.derived.changed.connect(self._on_derived)

    def decided(self, pair: HandPair | None) -> None:
        """The user is about to decide that; None: something of which there is nothing to be said."""
        self._last = pair

    def fail(self, error: ErrorflowError) -> None:
        """What was decided could not be measured."""
        self._failure = str(error)
        self.refresh()

    def refresh(self) -> None:
        self._show(Hint(self._failure, AGAIN) if self._failure else self._hint())

    def _on_derived(self, name: str) -> None:
        error = self._desk.derived.error(MEASURING)
        if name == MEASURING and error is not None:
            self.fail(error)

    def _on_changed(self, fields: Collection[str]) -> None:
        if {"model", "case", "session.hand_pairs"} & set(fields):
            self._failure = ""
        if "model" in fields:
            self._last = None
        if {"model", "case", "findings", "session.hand_pairs", "session.painting"} & set(fields):
            self.refresh()

    def _hint(self) -> Hint | None:
        document, jobs, pair = self._desk.document, self._desk.jobs, self._last
        compared = document.state.case
        if compared is None or pair is None or pair not in document.session.hand_pairs:
            return None
        scale = scale_on_view(document.state)
        busy = jobs.running(COMPARING), jobs.running(MEASURING)
        return hint_of(Situation(pair, compared, scale, *busy))

    def _show(self, hint: Hint | None) -> None:
        if hint is not None:
            self.text.setText(hint.text)
            self.button.setText(hint.button)
            self.button.setVisible(bool(hint.button))
        self.setVisible(hint is not None)
