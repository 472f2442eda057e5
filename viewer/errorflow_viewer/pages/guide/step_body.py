"""Body of a guide's step: why, what it needs and how to obtain that, its checks, and where it leads."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from errorflow.base.errors import ErrorflowError
from errorflow.base.files import write_atomic
from errorflow.base.language import Verbatim
from errorflow.case.scenarios.filling import Filling
from errorflow.case.scenarios.scenario import Need
from errorflow.case.session.model import GuideProgress
from errorflow.guides.commands import broken
from errorflow.guides.facts import Facts
from errorflow.guides.following import judged_of, number_text, proposed_of, read_number, told, told_text
from errorflow.guides.judging import JudgedStep, asked_of, seen_of
from errorflow.guides.lying import row_of
from errorflow.guides.model import OUTCOME_LABELS, OUTCOME_WHEN, Flow, How, Step, StepNeed, Way
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.tables import Table
from errorflow_viewer.commands.copy_save.texts import offer_labels
from errorflow_viewer.commands.save_dialog import ask_where
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.layouts import rule, spaced, text_button, text_label
from errorflow_viewer.kit.look import BODY, GAP, GRID, PADDING, Theme
from errorflow_viewer.kit.scaling import OWN_SIZE, fixed_font
from errorflow_viewer.pages.guide.need_row import NeedRow
from errorflow_viewer.pages.guide.parts import TextAndButton, bare, heading, wrapped

INDENT = 28


# One way to obtain something: a command to copy, or a file that is shown, copied and saved.

# Of a file so many lines are seen at once.
MOST_LINES = 16


class HowBlock(QFrame):
    """Title, what is copied and saved, and the text, as it is; that of a file is folded away at first."""

    def __init__(self, desk: Desk, how: How, facts: Facts, is_open: bool = False) -> None:
        super().__init__()
        self._desk = desk
        self.how = how
        self.text = how.text(facts)
        self.file = "" if how.file is None else how.file(facts)
        self.setProperty("role", "code")
        box = spaced(QVBoxLayout(self), GRID, (PADDING, GRID, PADDING, GRID))
        box.addLayout(self._make_head())
        self._body: QPlainTextEdit | QLabel | None = None
        self._box = box
        if not self.file or is_open:
            self.unfold(True)
        if how.note:
            note = text_label(how.note, role="label", wraps=True)
            box.addWidget(note)

    def _make_head(self) -> QHBoxLayout:
        self.fold = QToolButton()
        self.fold.setArrowType(Qt.ArrowType.RightArrow)
        self.fold.setCheckable(True)
        self.fold.setToolTip("Show or hide what is in it")
        self.fold.setAccessibleName(f"Show {self.file}")
        self.fold.toggled.connect(self.unfold)
        title = text_label(self.how.title, wraps=True)
        name = text_label(self.file, muted=True)
        self.copy = text_button("Copy", lambda: self._copy())
        self.copy.setProperty("link", True)
        self.copy.setAccessibleName(f"Copy: {self.how.title}")
        self.save = text_button("Save…", lambda: self._ask_where())
        self.save.setProperty("link", True)
        self.save.setAccessibleName(f"Save {self.file}")
        row = QHBoxLayout()
        row.setSpacing(PADDING)
        row.addWidget(self.fold)
        row.addWidget(title, 1)
        row.addWidget(name)
        row.addWidget(self.copy)
        row.addWidget(self.save)
        if not self.file:
            self.fold.hide()
            self.save.hide()
        return row

    @property
    def is_open(self) -> bool:
        return self._body is not None and not self._body.isHidden()

    def unfold(self, on: bool) -> None:
        """The text is laid out when it is seen for the first time."""
        if self._body is None and on:
            self._body = self._make_file() if self.file else self._make_command()
            self._box.insertWidget(1, self._body)
        if self._body is not None:
            self._body.setVisible(on)
        self.fold.setArrowType(Qt.ArrowType.DownArrow if on else Qt.ArrowType.RightArrow)
        self.fold.setChecked(on)

    def _make_command(self) -> QLabel:
        label = text_label(Verbatim(broken(self.text)), wraps=True, plain=True)
        label.setFont(fixed_font(BODY))
        flags = Qt.TextInteractionFlag
        label.setTextInteractionFlags(flags.TextSelectableByMouse | flags.TextSelectableByKeyboard)
        label.setAccessibleName(f"{self.how.title}: {self.text}")
        return label

    def _make_file(self) -> QPlainTextEdit:
        field = FileLines(self.text)
        field.setAccessibleName(self.file)
        return field

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text)
        self._desk.say(f"Copied {self.file if self.file else 'the command'}")

    def _ask_where(self) -> None:
        kind = "Settings (*.json *.cfg *.yaml)" if self.how.form == "file" else "Python scripts (*.py)"
        ask_where(self, self._desk, f"Save {self.file}", self.file, (kind, "All files (*)"), self._write)

    def _write(self, target: Path) -> None:
        self._desk.jobs.start(
            "guide file",
            f"Writing {target.name}",
            lambda _: write_atomic(target, self.text),
            lambda _: self._desk.say(f"Wrote {target}"),
            lambda error: self._desk.say(f"{error.message} {error.hint}"),
        )


class FileLines(QPlainTextEdit):
    """A file as it is, as high as its lines are."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._count = min(text.count("\n") + 1, MOST_LINES)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setProperty(OWN_SIZE, True)
        self.setFont(fixed_font(BODY))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.setFixedHeight(self.fontMetrics().lineSpacing() * self._count + 3 * PADDING)


class StepBody(QWidget):
    """Made anew for each step and whenever more is known of it; what was unfolded stays so."""

    given = Signal(str, object)  # the key of a need, and the path or None
    written = Signal(str, object)  # the name of a number, and the number or None
    taken = Signal(object)  # Way

    def __init__(
        self,
        desk: Desk,
        flow: Flow,
        step: Step,
        progress: GuideProgress,
        filling: Filling,
        facts: Facts,
        opened: Sequence[str] = (),
    ) -> None:
        super().__init__()
        self._desk = desk
        self._opened = opened
        self.rows: list[NeedRow] = []
        self.blocks: list[HowBlock] = []
        # Where it leads in one press; None: it is not finished.
        self.next: QPushButton | None = None
        self.checks: CheckRows | None = None
        self.ways: WayRows | None = None
        self._box = spaced(QVBoxLayout(self), PADDING, (GAP, GAP, GAP, GAP))
        self._add_head(flow, step, progress)
        self._add_needs(step, filling, facts)
        if step.how:
            self._box.addWidget(heading("Files and commands"))
            self._add_how(step.how, facts)
        self._add_checks(step, progress)
        self._add_ways(flow, step, progress)
        if step.is_end:
            self._add_told(flow, progress)
        self._box.addStretch(1)

    @property
    def opened(self) -> tuple[str, ...]:
        """The files that are unfolded."""
        return tuple(block.file for block in self.blocks if block.file and block.is_open)

    def _add_head(self, flow: Flow, step: Step, progress: GuideProgress) -> None:
        number = text_label(f"Step {flow.steps.index(step) + 1} of {len(flow.steps)}", role="label")
        self._box.addWidget(number)
        self._box.addWidget(heading(step.title))
        self._box.addWidget(wrapped(step.why))
        for text in step.advice:
            self._box.addWidget(wrapped(f"•  {text}", muted=True))
        outcome, proposed = progress.step(step.key).outcome, proposed_of(progress, step)
        ends = outcome if outcome else proposed
        way = step.way(ends) if ends else None
        if way is not None:
            evidence = judged_of(progress, step).evidence
            self._box.addWidget(self._result(flow, step, ends, evidence, is_said=not proposed))

    def _result(self, flow: Flow, step: Step, outcome: str, evidence: str, *, is_said: bool) -> QFrame:
        """Makes the result: where that leads, and the way there in one press. `is_said`: else it is a proposal."""
        way = step.way(outcome)
        assert way is not None, "asked before"
        target = flow.step(way.to)
        frame = QFrame()
        frame.setProperty("notice", "info" if outcome == "passed" else "warning")
        row = TextAndButton()
        row.setContentsMargins(GAP, PADDING, GAP, PADDING)
        frame.setLayout(row)
        label = OUTCOME_LABELS[outcome]
        text = wrapped(f"Result: {label}. {way.why}" if is_said else f"Proposed: {label}. {way.why}")
        text.setProperty("role", "strong")
        beside = QWidget()
        told = bare(QVBoxLayout(beside))
        told.setSpacing(GRID)
        told.addWidget(text)
        if evidence:
            told.addWidget(wrapped(f"It stands on: {evidence}", muted=True))
        if not is_said:
            told.addWidget(wrapped("Only you can say whether this step is done: choose where it leads.", muted=True))
        self.next = QPushButton(f"Next: {target.title.partition(':')[0] if target is not None else 'the three steps'}")
        # What is not decided is measured first: that button stands out.
        self.next.setProperty("primary", outcome != "undecided")
        self.next.clicked.connect(lambda: self.taken.emit(way))
        row.addWidget(beside)
        row.addWidget(self.next)
        return frame

    def _add_needs(self, step: Step, filling: Filling, facts: Facts) -> None:
        if not step.wanted:
            return
        self._box.addSpacing(GRID)
        self._box.addWidget(heading("What it needs"))
        row = row_of(step)
        files = filling.setup(row).files
        for wanted in step.wanted:
            need = wanted.need
            line = self._need_row(need)
            fitting = filling.fitting(need)
            names = [f"{_placed(filling, found.path)}   {found.text}" for found in fitting]
            line.folder = self._desk.settings.last_folder
            line.show_choice(files.get(need.key), filling.note(row, need), fitting, names)
            line.copy.setVisible(line.copy.isVisibleTo(line) and not wanted.how)
            line.setProperty("open", bool(wanted.how))
            group = QVBoxLayout()
            group.setSpacing(0)
            group.addWidget(line)
            self._box.addLayout(group)
            if wanted.how:
                self._add_folded(group, wanted, facts, is_open=need.key not in files and need.required)
                group.addWidget(rule())

    def _need_row(self, need: Need) -> NeedRow:
        line = NeedRow(need)
        line.changed.connect(lambda path: self.given.emit(need.key, path))
        self.rows.append(line)
        return line

    def _add_folded(self, group: QVBoxLayout, wanted: StepNeed, facts: Facts, is_open: bool) -> None:
        """Adds how to obtain it, which is of no use any more once it is there."""
        fold = QPushButton("How to obtain it")
        fold.setProperty("link", True)
        fold.setCheckable(True)
        fold.setAccessibleName(f"How to obtain the {wanted.need.label}")
        inside = QWidget()
        box = spaced(QVBoxLayout(inside), GRID, (INDENT, 0, 0, PADDING))
        for how in wanted.how:
            box.addWidget(self._block(how, facts))
        fold.toggled.connect(inside.setVisible)
        fold.toggled.connect(lambda on: fold.setText("How to obtain it ▾" if on else "How to obtain it ▸"))
        outer = QHBoxLayout()
        outer.setContentsMargins(INDENT, 0, 0, 0)
        outer.addWidget(fold)
        outer.addStretch(1)
        group.addLayout(outer)
        group.addWidget(inside)
        inside.setVisible(is_open)
        fold.setChecked(is_open)
        fold.setText("How to obtain it ▾" if is_open else "How to obtain it ▸")

    def _add_how(self, hows: Sequence[How], facts: Facts) -> None:
        for how in hows:
            self._box.addWidget(self._block(how, facts))

    def _block(self, how: How, facts: Facts) -> HowBlock:
        block = HowBlock(self._desk, how, facts, is_open=how.file is not None and how.file(facts) in self._opened)
        self.blocks.append(block)
        return block

    def _add_checks(self, step: Step, progress: GuideProgress) -> None:
        if not step.checks:
            return
        self._box.addSpacing(GRID)
        self._box.addWidget(heading("How it is judged"))
        theme = self._desk.appearance.theme
        self.checks = CheckRows(step, progress, judged_of(progress, step), theme)
        self.checks.written.connect(self.written)
        offer_labels(self._desk, self.checks, "checks", self.checks.table)
        self._box.addWidget(self.checks)

    def _add_told(self, flow: Flow, progress: GuideProgress) -> None:
        """Adds the results of all steps, to read once more and to take along."""
        self._box.addSpacing(GRID)
        head = QHBoxLayout()
        head.addWidget(heading("What was found"))
        copy = text_button("Copy", lambda: QGuiApplication.clipboard().setText(told_text(flow, progress)))
        copy.setProperty("link", True)
        copy.setAccessibleName("Copy what was found in all steps")
        head.addWidget(copy)
        head.addStretch(1)
        self._box.addLayout(head)
        found = told(flow, progress)
        copy.setEnabled(bool(found))
        if not found:
            self._box.addWidget(wrapped("No step is done yet. Choose one on the left.", muted=True))
        for each in found:
            line = wrapped(f"{each.title}: {each.outcome}{f', {each.when}' if each.when else ''}")
            line.setProperty("role", "strong")
            self._box.addWidget(line)
            if each.text:
                self._box.addWidget(wrapped(each.text, muted=True))

    def _add_ways(self, flow: Flow, step: Step, progress: GuideProgress) -> None:
        if step.is_end:
            return
        self._box.addSpacing(GRID)
        self._box.addWidget(heading("Where it leads"))
        outcome = progress.step(step.key).outcome
        self.ways = WayRows(flow, step, outcome if outcome else proposed_of(progress, step))
        self.ways.taken.connect(self.taken)
        self._box.addWidget(self.ways)


def _placed(filling: Filling, path: Path) -> str:
    """Names a path from the folder that was looked through on: folders of several cases hold the same names."""
    found = filling.discovered
    top = next((top for top in found.paths if path != top and path.is_relative_to(top)), None)
    return f"{path.parent.name}/{path.name}" if top is None else f"{top.name}/{found.shown(path)}"


LABELS, BUTTONS = 208, 96


class WayRows(QWidget):
    """Any of them may be taken: the user may know more than was measured."""

    taken = Signal(object)  # Way

    def __init__(self, flow: Flow, step: Step, outcome: str) -> None:
        super().__init__()
        box = spaced(QVBoxLayout(self))
        self.buttons: list[QPushButton] = []
        chosen = step.way(outcome) if outcome else None
        for way in step.ways:
            box.addWidget(self._row(flow, way, way is chosen))

    def _row(self, flow: Flow, way: Way, is_chosen: bool) -> QFrame:
        frame = QFrame()
        frame.setProperty("role", "need")
        row = spaced(QHBoxLayout(frame), GAP, (PADDING, GRID, PADDING, GRID))
        when = wrapped(OUTCOME_WHEN[way.outcome])
        when.setFixedWidth(LABELS)
        target = flow.step(way.to)
        title = target.title if target is not None else "Another guide: step by step"
        told = QVBoxLayout()
        told.setSpacing(0)
        name = wrapped(title)
        told.addWidget(name)
        told.addWidget(wrapped(way.why, muted=True))
        if is_chosen:
            when.setProperty("role", "strong")
            name.setProperty("role", "strong")
        go = text_button("Go there", partial(self._take, way))
        go.setProperty("link", not is_chosen)
        go.setFixedWidth(BUTTONS)
        go.setAccessibleName(f"{when.text()}: go to {title}. {way.why}")
        self.buttons.append(go)
        row.addWidget(when, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(told, 1)
        row.addWidget(go, 0, Qt.AlignmentFlag.AlignVCenter)
        return frame

    def _take(self, way: Way, _pressed: bool = False) -> None:
        self.taken.emit(way)


SIGN, CHECK_ROWS_LABELS, FIELD = 16, 208, 112
_SIGNS = {"passed": "check", "close": "info", "failed": "close", "not measured": "step"}


class CheckRows(QWidget):
    """A line per check, then a line per number that may be written down."""

    written = Signal(str, object)  # the name of a number, and the number or None

    def __init__(self, step: Step, progress: GuideProgress, judged: JudgedStep, theme: Theme) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(GAP)
        self._grid.setVerticalSpacing(GRID)
        self._grid.setColumnStretch(2, 1)
        self.signs: list[str] = []
        found_of = zip(step.checks, judged.checked, strict=True)
        rows = [(check.label, found.state, found.text, check.rule, check.source) for check, found in found_of]
        # What its context menu gives away.
        self.table = Table(("Check", "State", "Found", "Threshold", "Source"), rows)
        # Beside each field why its text was not taken.
        self._wrong: dict[str, QLabel] = {}
        for row, (check, found) in enumerate(zip(step.checks, judged.checked, strict=True)):
            color = {"passed": theme.accent, "close": theme.warning.mark, "failed": theme.error.mark}
            mark = QLabel()
            mark.setFixedWidth(SIGN)
            mark.setPixmap(icons.pixmap(_SIGNS[found.state], color.get(found.state, theme.muted), SIGN))
            mark.setAccessibleName(found.state)
            mark.setToolTip(found.state)
            label = wrapped(check.label)
            label.setProperty("role", "strong")
            label.setFixedWidth(CHECK_ROWS_LABELS)
            told = QWidget()
            lines = spaced(QVBoxLayout(told))
            lines.addWidget(wrapped(found.text))
            rule = wrapped(f"Threshold: {check.rule}", muted=True)
            rule.setToolTip(check.source)
            lines.addWidget(rule)
            self.signs.append(found.state)
            for column, widget in enumerate((mark, label, told)):
                self._grid.addWidget(widget, row, column, Qt.AlignmentFlag.AlignTop)
        self.fields = {name: self._field(name, label, progress, step) for name, label in asked_of(step)}

    def _field(self, name: str, label: str, progress: GuideProgress, step: Step) -> QLineEdit:
        field = QLineEdit()
        field.setFixedWidth(FIELD)
        field.setAccessibleName(label)
        known = seen_of(progress.step(step.key)).numbers.get(name)
        field.setText("" if known is None else number_text(name, known))
        field.setPlaceholderText("such as 32" if name == "calibration_images" else "such as 78.8 %")
        field.editingFinished.connect(partial(self._on_written, name, field, field.text()))
        row = self._grid.rowCount()
        title = wrapped(label)
        title.setFixedWidth(CHECK_ROWS_LABELS)
        title.setBuddy(field)
        self._grid.addWidget(title, row, 1)
        beside = QHBoxLayout()
        beside.setSpacing(PADDING)
        beside.addWidget(field)
        wrong = wrapped("")
        wrong.hide()
        beside.addWidget(wrong, 1000)
        beside.addStretch(1)
        self._wrong[name] = wrong
        self._grid.addLayout(beside, row, 2)
        self._grid.setRowMinimumHeight(row, 3 * PADDING)
        return field

    def _on_written(self, name: str, field: QLineEdit, before: str) -> None:
        if field.text().strip() == before.strip():
            return
        try:
            value = read_number(name, field.text())
        except ErrorflowError as error:
            field.setProperty("wrong", True)
            field.style().polish(field)
            self._wrong[name].setText(f"{error.message} {error.hint}")
            self._wrong[name].show()
            return
        self.written.emit(name, value)
