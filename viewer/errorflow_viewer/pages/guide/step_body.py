"""One step of a guide: why, what it needs and how to obtain that, its checks, and where it leads."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from errorflow.case.scenarios.filling import Filling
from errorflow.case.scenarios.scenario import Need
from errorflow.case.session.guide_progress import GuideProgress
from errorflow.guides.facts import Facts
from errorflow.guides.following import judged_of, proposed_of, told, told_text
from errorflow.guides.lying import row_of
from errorflow.guides.model import OUTCOME_LABELS, Flow, How, Step, Wanted
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.labels import offer_labels
from errorflow_viewer.kit.layouts import spaced, text_button, text_label
from errorflow_viewer.kit.look import GAP, GRID, PADDING
from errorflow_viewer.pages.guide.check_rows import CheckRows
from errorflow_viewer.pages.guide.how_block import HowBlock
from errorflow_viewer.pages.guide.need_row import NeedRow
from errorflow_viewer.pages.guide.parts import TextAndButton, bare, heading, wrapped
from errorflow_viewer.pages.guide.way_rows import WayRows

INDENT = 28


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
        """How it ended, where that leads, and the way there in one press. `is_said`: else it is a proposal."""
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
                group.addWidget(_rule())

    def _need_row(self, need: Need) -> NeedRow:
        line = NeedRow(need)
        line.changed.connect(lambda path: self._give(need.key, path))
        self.rows.append(line)
        return line

    def _give(self, key: str, path: Path | None) -> None:
        self.given.emit(key, path)

    def _add_folded(self, group: QVBoxLayout, wanted: Wanted, facts: Facts, is_open: bool) -> None:
        """How to obtain it, which is of no use any more once it is there."""
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
        """What came of all steps, to read once more and to take along."""
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
    """From the folder that was looked through on: folders of several cases hold the same names."""
    found = filling.discovered
    top = next((top for top in found.paths if path != top and path.is_relative_to(top)), None)
    return f"{path.parent.name}/{path.name}" if top is None else f"{top.name}/{found.shown(path)}"


def _rule() -> QFrame:
    frame = QFrame()
    frame.setProperty("role", "rule")
    return frame
