"""Make a ticket: what goes in on the left, what is taken out on the right, the form below, the size at the foot."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, QSizeF, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from errorflow.base import ErrorflowError, Progress
from errorflow.graph.model import Model
from errorflow.report.bundle.form import FIELDS
from errorflow_viewer.commands.copy_save.tables import offer_table
from errorflow_viewer.commands.save_dialog import ask_where
from errorflow_viewer.document.case_on_view import case_of
from errorflow_viewer.document.derived_table import looked
from errorflow_viewer.document.state import State
from errorflow_viewer.help.where import HELP
from errorflow_viewer.kit.banner import WRITTEN, Notice, notice_of
from errorflow_viewer.kit.layouts import page_foot, scrolled, spaced, text_button, text_label
from errorflow_viewer.kit.look import DISPLAY, GAP, GRID, PADDING, ROW
from errorflow_viewer.kit.scaling import OWN_SIZE, px
from errorflow_viewer.kit.style import font
from errorflow_viewer.kit.tables.furnish import furnish_tree, share_columns
from errorflow_viewer.kit.tables.table import Column, Listing, TableModel
from errorflow_viewer.pages.desk import PageDesk
from errorflow_viewer.pages.ticket.nodes import NodeChoice

if TYPE_CHECKING:
    from errorflow.report.bundle.draft import BundleDraft
    from errorflow.report.bundle.model import BundleChoice, Redactions
    from errorflow.report.bundle.parts import Planned
    from errorflow.report.bundle.redaction import RedactedPart
    from errorflow.report.bundle.writing import WrittenBundle


# What is on view, as what a ticket is made of: nothing is measured again.
def draft_on_view(case: tuple[State, Model | None, datetime], progress: Progress) -> "BundleDraft":
    """Makes all that takes long, to be called in the background; with the graph that is shown beside the painted
    one.
    """
    from errorflow.report.bundle.archive import read_manifest
    from errorflow.report.bundle.draft import draft_of

    state, second, now = case
    bundle = state.session.bundle
    name = "" if bundle is None else read_manifest(bundle).title
    return draft_of(replace(case_of(state), second=second, name=name), now, progress=progress)


DRAFT, PLAN, WRITE, NOTICE = "ticket", "ticket preview", "ticket file", "ticket"
WIDTH = 1160
# Milliseconds after a change until it is worked out.
CALM = 300
_STORY = (
    "One .zip that whoever gets it opens as the same session: painted graph, verdict, tables, notes. "
    "Tensors, inputs and weights stay out unless you choose them."
)
_TEXTS = {
    "always": "Session, report, tables, graph without weights, form",
    "inputs": "What the models were fed with",
    "model": "The models with their weights",
}
_WAITING = "Putting the case together…"


class TicketPage(QWidget):
    """Keeps what was chosen as long as the same model is on view."""

    left = Signal()

    def __init__(self, desk: PageDesk) -> None:
        super().__init__()
        self.setProperty(HELP, "how-to/make-a-ticket.md")
        self._desk = desk
        self._model: Path | None = None
        self.draft: BundleDraft | None = None
        self.plan: Planned | None = None
        self.setAccessibleName("Make a ticket")
        self.nodes, self.taken_out, self.answers = NodeChoice(), TakenOut(), Answers()
        offer_table(desk, self.nodes.tree, "sizes of nodes")
        offer_table(desk, self.taken_out.tree, "taken out")
        self.always, self.inputs, self.weights = QCheckBox(), QCheckBox(), QCheckBox()
        self.always.setChecked(True)
        self.always.setEnabled(False)
        # What is to be put together; None: the page is hidden.
        self._case: tuple[State, Model | None, datetime] | None = None
        text = "Putting the ticket together"
        desk.derived.add(looked(DRAFT, text, lambda _: self._case, draft_on_view, self._take_draft, self._fail))
        plan = looked(PLAN, "Looking through the ticket", self._to_plan, _planned, self._take_plan, self._fail)
        self._lay_out()
        desk.derived.add(replace(plan, calm=CALM, shown=False))
        for part in (self.nodes, self.taken_out, self.answers):
            part.changed.connect(lambda *_: desk.derived.follow(PLAN))
        for box in (self.inputs, self.weights):
            box.toggled.connect(lambda _: desk.derived.follow(PLAN))
        desk.document.changed.connect(self._on_changed)
        desk.appearance.changed.connect(self.nodes.dress)
        self.nodes.dress(desk.appearance.theme)
        self._show_state()

    # What is on view

    def take_case(self) -> None:
        """Puts together what is on view now."""
        model = self._desk.document.model
        if model is None:
            self.left.emit()
            return
        if self._model != model.path:
            self._model = model.path
            for part in (self.nodes, self.answers):
                part.forget()
        self.draft = self.plan = None
        # With what is selected and to be seen: whoever opens it looks at the same.
        state = replace(self._desk.document.state, session=self._desk.session_files.captured())
        self._case = state, self._desk.pair.second.model, datetime.now()
        self._follow()
        self._show_state()

    def _follow(self) -> None:
        for name in (DRAFT, PLAN):
            self._desk.derived.follow(name)

    def _take_draft(self, draft: "BundleDraft") -> None:
        self.draft = draft
        self.nodes.show_draft(draft)
        self._desk.derived.ask(PLAN)

    def _on_changed(self, fields: Collection[str]) -> None:
        """More is known by now, or another case is on view."""
        if self.isVisible() and not {"model", "case", "session"}.isdisjoint(fields):
            self.take_case()

    def _fail(self, error: ErrorflowError) -> None:
        self._desk.studies.simulating.tell(notice_of(error, NOTICE))
        self._show_state()

    # What is chosen

    @property
    def choice(self) -> "BundleChoice":
        from errorflow.report.bundle.model import BundleChoice

        return BundleChoice(
            self.nodes.chosen,
            self.weights.isChecked() and self.weights.isEnabled(),
            self.inputs.isChecked() and self.inputs.isEnabled(),
            self.taken_out.redactions,
            self.answers.answers,
        )

    def _to_plan(self, _: State) -> "tuple[BundleDraft, BundleChoice] | None":
        """Makes the wish for what would be written, without reading a tensor."""
        return None if self.draft is None or self._case is None else (self.draft, self.choice)

    def _take_plan(self, plan: "Planned") -> None:
        from errorflow.report.bundle.form import known_answers

        self.plan = plan
        if self.draft is not None:
            self.answers.show_known(known_answers(self.draft.case, plan.choice))
        self.taken_out.show_findings(plan.redactor.findings)
        self._show_state()

    def _show_state(self) -> None:
        from errorflow.report.bundle.listing import size_text

        plan = self.plan
        parts = {} if plan is None else {part.key: part for part in plan.parts}
        for key, box in (("always", self.always), ("inputs", self.inputs), ("model", self.weights)):
            part = parts.get(key)
            is_there = part is not None and (key == "always" or part.count > 0)
            size = "" if part is None else size_text(part.size) if is_there else "none here"
            box.setText(f"{_TEXTS[key]}: {size}" if size else _TEXTS[key])
            box.setEnabled(is_there and key != "always")
        tensors = parts.get("tensors")
        self.tensors.setText(_tensors_text(len(self.nodes.chosen), "" if tensors is None else size_text(tensors.size)))
        self.total.setText(_WAITING if plan is None else f"{size_text(plan.size)} before packing")
        self.save.setEnabled(plan is not None)

    # Writing

    def ask(self) -> None:
        title = "case" if self.draft is None else Path(self.draft.case.title).stem
        ask_where(
            self, self._desk, "Save the ticket bundle", f"{title}-ticket.zip", ["Ticket bundles (*.zip)"], self.write
        )

    def write(self, path: Path) -> None:
        draft, choice = self.draft, self.choice
        if draft is None:
            return
        target = path if path.suffix.lower() == ".zip" else path.with_name(f"{path.name}.zip")
        self._desk.jobs.start(
            WRITE,
            f"Writing {target.name}",
            lambda progress: _written(draft, choice, target, progress),
            self._on_written,
            self._fail,
        )

    def _on_written(self, written: "WrittenBundle") -> None:
        from errorflow.report.bundle.listing import size_text

        folder, names = written.path.parent, ", ".join(written.traces[:3])
        left = f" {names} still holds a folder or a name: what is no text goes in as it is." if names else ""
        self._desk.studies.simulating.tell(
            Notice(
                "warning" if names else "info",
                f"{written.path.name} is written: {size_text(written.size)}.",
                f"{folder}{'.' if left else ''}{left}",
                key=NOTICE,
                button="Open folder",
                pressed=partial(self._desk.support.show_outside, folder),
                of_model=not names,
                family="" if names else WRITTEN,
            )
        )
        self.left.emit()

    # How it is laid out

    def _lay_out(self) -> None:
        self.tensors, self.total = QLabel(), QLabel()
        self.total.setProperty("role", "strong")
        self.save = text_button("Save bundle…", self.ask)
        self.save.setProperty("primary", True)
        self.back = text_button("Back", lambda: self.left.emit())
        box = spaced(QVBoxLayout(self))
        box.addWidget(self._scrolled(), 1)
        box.addWidget(page_foot(WIDTH, self.total, self.back, self.save))

    def _scrolled(self) -> QScrollArea:
        column = QWidget()
        column.setMaximumWidth(WIDTH)
        inside = spaced(QVBoxLayout(column), PADDING, (GAP, GAP, GAP, GAP))
        title = QLabel("Make a ticket")
        title.setFont(font(DISPLAY, strong=True))
        story = text_label(_STORY, muted=True, wraps=True)
        both = QHBoxLayout()
        both.setSpacing(2 * GAP)
        both.addWidget(_group("What goes in", self.always, self.tensors, self.nodes, self.inputs, self.weights), 1)
        both.addWidget(_group("What is taken out", self.taken_out), 1)
        inside.addWidget(title)
        inside.addWidget(story)
        inside.addLayout(both)
        inside.addSpacing(GAP)
        inside.addWidget(_group("The form", self.answers))
        inside.addStretch(1)
        return scrolled(column)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        """Stops waiting for what would be written."""
        self._case = None
        self._follow()
        super().hideEvent(event)


def _tensors_text(count: int, size: str) -> str:
    if not count:
        return "Tensors of the nodes that you tick: what each makes and reads, in both runs"
    if count == 1:
        return f"What the ticked node makes and reads, in both runs: {size}"
    return f"What the {count:,} ticked nodes make and read, in both runs: {size}"


def _group(title: str, *widgets: QWidget) -> QWidget:
    group = QWidget()
    box = spaced(QVBoxLayout(group), PADDING)
    heading = text_label(title, role="title")
    box.addWidget(heading)
    for widget in widgets:
        box.addWidget(widget)
    box.addStretch(1)
    return group


def _planned(wish: "tuple[BundleDraft, BundleChoice]", progress: Progress) -> "Planned":
    from errorflow.report.bundle.parts import planned

    return planned(*wish, progress)


def _written(draft: "BundleDraft", choice: "BundleChoice", target: Path, progress: Progress) -> "WrittenBundle":
    from errorflow.report.bundle.writing import write_bundle

    return write_bundle(draft, choice, target, progress)


# Lines that are shown: the most frequent ones.
MOST = 200
_COLUMNS: "tuple[Column[RedactedPart], ...]" = (
    Column("Before", lambda found: found.before, is_name=True, cell_tip=lambda found: found.before),
    Column("After", lambda found: found.after, is_name=True, cell_tip=lambda found: found.after),
    Column(
        "Times", lambda found: f"{found.count:,}", is_number=True, has_title_left=True, exact=lambda found: found.count
    ),
)


class TakenOut(QWidget):
    """Both switches, on at first."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.paths = QCheckBox("Folders: of a path the file's name stays")
        self.names = QCheckBox("Names of users and machines")
        for box in (self.paths, self.names):
            box.setChecked(True)
            box.toggled.connect(lambda _: self.changed.emit())
        self.table: TableModel[RedactedPart] = TableModel(self, _COLUMNS)
        self.tree = QTreeView()
        furnish_tree(self.tree, self.table, "What is taken out of the texts", "Columns of what is taken out")
        share_columns(self.tree, 0, 1)
        self.tree.setRootIsDecorated(False)
        self.tree.setMinimumHeight(7 * ROW)
        self.note = text_label(role="label", wraps=True)
        column = spaced(QVBoxLayout(self), GRID)
        for widget in (self.paths, self.names, self.tree, self.note):
            column.addWidget(widget)

    @property
    def redactions(self) -> "Redactions":
        from errorflow.report.bundle.model import Redactions

        return Redactions(self.paths.isChecked(), self.names.isChecked())

    def show_findings(self, findings: "Sequence[RedactedPart]") -> None:
        self.table.show(Listing(findings[:MOST], _COLUMNS))
        self.note.setText(self._said(findings))

    def _said(self, findings: "Sequence[RedactedPart]") -> str:
        if not self.redactions.any:
            return "Nothing is taken out: folders and names go in as they are."
        if not findings:
            return "Nothing of that kind is in the texts."
        more = len(findings) - MOST
        return f"And {more:,} more." if more > 0 else "Pictures, tensors, inputs and models go in as they are."


# The form of the ticket: what is known stands in it already, and may be overwritten.

# An answer of more than a line: as high as its text, so that all of it is seen.
# Lines that are seen without scrolling.
ANSWERS_MOST = 8


class LongAnswer(QPlainTextEdit):
    """Can what the form asks of a line. `height`: of an empty one."""

    textEdited = Signal(str)

    def __init__(self, height: int) -> None:
        super().__init__()
        self._least = height
        self.setProperty("role", "field")
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(GRID)
        self.setViewportMargins(GRID, 1, GRID, 0)  # the text begins where that of a line does
        self.setProperty(OWN_SIZE, True)
        self.setFixedHeight(px(height))
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self.textChanged.connect(lambda: self.textEdited.emit(self.text()))

    def text(self) -> str:
        return self.toPlainText()

    def setText(self, text: str) -> None:
        """Sets a text that the user has not typed."""
        with QSignalBlocker(self):
            self.setPlainText(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit(self.document().size())

    def _fit(self, size: QSizeF) -> None:
        """Fits; of a plain text the layout counts lines."""
        lines = min(max(int(size.height()), 1), ANSWERS_MOST)
        around = 2 * (GRID + self.frameWidth()) + 1
        self.setFixedHeight(max(px(self._least), lines * self.fontMetrics().lineSpacing() + around))
        is_cut = size.height() > ANSWERS_MOST
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if is_cut else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(policy)


HEIGHT = 28
_LABELS = 220


class Answers(QWidget):
    """A line per field, under the headings of the form."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.lines = {field.key: LongAnswer(HEIGHT) if field.is_long else QLineEdit() for field in FIELDS}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(GAP)
        grid.setVerticalSpacing(GRID)
        grid.setColumnStretch(1, 1)
        grid.setColumnMinimumWidth(0, _LABELS)
        row, section = 0, ""
        for field in FIELDS:
            if field.section != section:
                section, head = field.section, QLabel(field.section)
                head.setProperty("role", "strong")
                head.setContentsMargins(0, GAP if row else 0, 0, 0)
                grid.addWidget(head, row, 0, 1, 2)
                row += 1
            label, line = QLabel(field.label), self.lines[field.key]
            label.setWordWrap(True)
            label.setBuddy(line)
            line.setAccessibleName(field.label)
            line.setPlaceholderText(field.tip)
            line.setToolTip(field.tip)
            if isinstance(line, QLineEdit):
                line.setFixedHeight(HEIGHT)
            line.setAcceptDrops(False)  # a dropped file is opened, not typed
            line.textEdited.connect(lambda _: self.changed.emit())
            label.setMinimumHeight(HEIGHT)
            grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(line, row, 1)
            row += 1
        # What the form knew when it was filled in last: whatever else stands there is the user's.
        self._known: Mapping[str, str] = {}

    @property
    def answers(self) -> dict[str, str]:
        """The user's own."""
        given = {key: line.text().strip() for key, line in self.lines.items()}
        return {key: text for key, text in given.items() if text and text != self._known.get(key, "")}

    def show_known(self, known: Mapping[str, str]) -> None:
        """Shows what is known by now, where the user wrote nothing else."""
        own = self.answers
        self._known = known
        for key, line in self.lines.items():
            text = own.get(key, known.get(key, ""))
            if line.text() != text and not line.hasFocus():
                line.setText(text)
                if isinstance(line, QLineEdit):
                    line.setCursorPosition(0)

    def forget(self) -> None:
        """Forgets: another case is on view."""
        for line in self.lines.values():
            line.clear()
