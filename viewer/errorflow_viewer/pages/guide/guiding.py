"""Follows a guide: keeps the way through it in the session, and holds what was found against its thresholds."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QStackedWidget, QToolButton, QWidget

from errorflow.base.progress import Progress
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.model import GivenFiles, GuideProgress, Session
from errorflow.study.evaluate.asked import LabelledSet
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.elided import Elided
from errorflow_viewer.kit.following import follow
from errorflow_viewer.kit.layouts import text_button
from errorflow_viewer.kit.look import GAP, PADDING
from errorflow_viewer.pages.desk import PageDesk

if TYPE_CHECKING:
    from errorflow.case.model import Case
    from errorflow.guides.model import Flow, SeenResult, Step, Way
    from errorflow.study.rank.curves import Curves
    from errorflow_viewer.pages.guide.guide_page import GuidePage


KEY = "guide"
# What steps of undo are called.
ANSWER, GO, GIVE, WRITE, LEAVE = (
    "Begin a guide",
    "Go to another step of the guide",
    "Give the guide a file",
    "Write down a number for the guide",
    "Leave the guide",
)
NO_FILES: Mapping[str, Path] = MappingProxyType({})
_FOUND = frozenset(("findings", "ranking", "outliers", "session.trials", "session.searches"))


class GuideHost(PageDesk, Protocol):
    """The window, as far as guides need it."""

    def show_page(self, page: QWidget) -> None: ...

    def leave_page(self) -> None: ...


class Guiding(QObject):
    """The guide of a window. `file`: that of the session on view; None: it is from none."""

    # Another step, or more is known of it.
    changed = Signal()

    def __init__(
        self, host: GuideHost, stack: QStackedWidget, room: QWidget, file: Callable[[], Path | None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._host = host
        self._file = file
        self._document = host.document
        # What goes from one model to the next, as the steps of a guide do.
        self._kept: GuideProgress | None = None
        # What was started from the page, which is left when it is on view.
        self._awaited: Setup | None = None
        # It was on view already when the step was gone to, and says nothing of it.
        self._old: Case | None = None
        self.bar = GuideBar(self, host, stack, room)
        # Drawn on the model on view: a step that asks for them may be gone to later.
        self._curves: dict[str, Curves] = {}
        reads = *_FOUND, "model", "session.guide", "session.setup"
        follow(self, self._document.changed, self._on_changed, reads)
        self._document.worked_out.connect(self._on_worked_out)

    @cached_property
    def page(self) -> "GuidePage":
        """Made when it is asked for, as are the guides."""
        from errorflow_viewer.pages.guide.guide_page import GuidePage

        page = GuidePage(self._host, self)
        page.left.connect(self._host.leave_page)
        return page

    def show(self) -> None:
        self._host.show_page(self.page)
        self.page.show_progress()
        self.page.recall()
        self.page.take_keys()

    # Where one is

    @property
    def file(self) -> Path | None:
        """File of the session on view; None: it is not saved."""
        return self._file()

    @property
    def progress(self) -> GuideProgress | None:
        """Progress; None: no guide is followed."""
        return self._document.session.guide

    @property
    def flow(self) -> "Flow | None":
        from errorflow.guides.table import FLOWS

        progress = self.progress
        return None if progress is None else next((flow for flow in FLOWS if flow.key == progress.flow), None)

    @property
    def at(self) -> "tuple[Flow, Step, GuideProgress] | None":
        """The flow, the step that one is at, and all that is known; None: no guide is followed."""
        from errorflow.guides.judging import now

        flow, progress = self.flow, self.progress
        return None if flow is None or progress is None else (flow, now(flow, progress), progress)

    # What the user does

    def begin(self, flow: "Flow", answers: Mapping[str, str], anew: bool = False) -> None:
        """`anew`: for another case, of whose files nothing is known."""
        from errorflow.guides.following import begun

        self._old = None
        self._edit(ANSWER, begun(flow, answers, None if anew else self.progress))
        self._look()

    def leave(self) -> None:
        """Leaves; what was found out goes with it, and undo brings it back."""
        self._kept = None
        self._edit(LEAVE, None)

    def go_to(self, step: str) -> None:
        progress = self.progress
        if progress is not None and progress.at != step:
            self._old = self._document.state.case
            self._edit(GO, replace(progress, at=step))
            self._recall()

    def lead(self, way: "Way") -> None:
        """Leads where a step leads that ended so."""
        from errorflow.guides.judging import finished, led

        found = self.at
        if found is not None:
            _, step, progress = found
            done = progress.step(step.key).outcome == way.outcome
            ended = progress if done else finished(progress, step, way.outcome, _now())
            self._old = self._document.state.case
            self._edit(GO, led(ended, way))
            self._recall()

    def give(self, need: str, path: Path | None) -> None:
        from errorflow.guides.following import with_file

        found = self.at
        if found is not None:
            self._edit(GIVE, with_file(found[2], found[1], need, path))

    def give_own(self, **given: object) -> None:
        """Gives the user's own files, which commands are made with."""
        progress = self.progress
        if progress is not None:
            own = replace(progress.given, **given)  # type: ignore[arg-type]  # the dataclass checks the names
            self._edit(GIVE, replace(progress, given=own))

    def take_own(self, given: GivenFiles) -> None:
        """The same where they were found and not chosen: no step of undo."""
        progress = self.progress
        if progress is not None and given != progress.given:
            self._document.revise(lambda session: _with_own(session, given))

    def write(self, name: str, value: float | None) -> None:
        from errorflow.guides.following import with_number

        found = self.at
        if found is not None:
            self._edit(WRITE, with_number(found[2], found[1], name, value, _now()))

    def compare(self, setup: Setup) -> None:
        """Starts what the step compares; the page is left when it is on view."""
        found = self.at
        if found is not None:
            _, step, progress = found
            files = {**progress.step(step.key).files, **setup.files}
            self._edit(GIVE, progress.with_step(step.key, files=files))
        self._awaited, self._old = setup, None
        self._host.open_again(setup)

    def run(self, key: str, files: Mapping[str, Path] = NO_FILES) -> None:
        """A command of the window. `files`: what stands for the needs of the step."""
        if key == "evaluate":
            self._hand_samples(files)
        lack = self.lack(key)
        if lack:
            self._host.say(lack)
            return
        self._host.leave_page()
        self._host.commands.run(key)

    def _hand_samples(self, files: Mapping[str, Path]) -> None:
        """Hands samples that the guide was given to the form, where the user has entered none."""
        from errorflow.guides.lying import labelled_of

        found, evaluating = self.at, self._host.studies.evaluating
        if found is not None and evaluating.labelled == LabelledSet():
            evaluating.choose(labelled_of(found[0], found[2], files))

    def lack(self, key: str) -> str:
        """Says why a command of the window cannot be done now; "": it can."""
        action = self._host.commands.table.row(key)
        if action.enabled(self._host):
            return ""
        return action.lack if action.lack else "Open a model first: File → Open…"

    def _edit(self, text: str, progress: GuideProgress | None) -> None:
        self._document.edit(text, guide=progress)

    # What is found out

    def _on_changed(self, fields: Collection[str]) -> None:
        if "model" in fields:
            self._curves.clear()
            self._carry()
        if "session.guide" in fields:
            self._kept = self.progress
            self.changed.emit()
        if _FOUND & set(fields):
            self._look()
        session = self._document.session
        if self._awaited is not None and session.setup == self._awaited and self._document.model is not None:
            self._awaited = None
            if "page" in vars(self) and self.page.isVisible():
                self._host.leave_page()

    def _carry(self) -> None:
        """A guide goes over several models of one case; a session from a file has one of its own, or none."""
        session, kept = self._document.session, self._kept
        if session.guide is None and kept is not None and self.file is None and self._goes_on(session, kept):
            self._document.take_session(replace(session, guide=kept))
        elif session.guide != kept:
            self._page_forgets()

    def _goes_on(self, session: Session, kept: GuideProgress) -> bool:
        """Whether a session goes on: what the guide started belongs to it; so does what is made of its files."""
        setup = session.setup
        if self._document.model is None or (setup is not None and setup == self._awaited):
            return True
        return kept.is_about(session.model, () if setup is None else tuple(setup.files.values()))

    def _page_forgets(self) -> None:
        """Forgets on the page what was found for another case: it stands for nothing in this one."""
        if "page" in vars(self):
            self.page.forget()

    def _look(self) -> None:
        """Holds what is on view against the thresholds of the step, as far as it is about that."""
        found = self.at
        if found is None:
            return
        from errorflow.guides.following import TABLE, is_of, seen_now

        _, step, _ = found
        state, session = self._document.state, self._document.session
        compared = state.case
        simulated = session.simulation is not None
        is_new = compared is not None and compared.complete and compared is not self._old
        if is_new and step.scenario == TABLE and is_of(step, session.setup, simulated):
            self._read_table(session.setup)
        findings = state.findings if is_new else None
        accuracies = [trial.accuracy for trial in session.trials if trial.accuracy is not None]
        accuracy = accuracies[-1] if accuracies else None
        self._take(step, session.setup, seen_now(step, session.setup, findings, state.ranking, accuracy, simulated))
        self._take_results()

    def _recall(self) -> None:
        """A step that nothing is known of takes what was worked out before it was gone to."""
        from errorflow.guides.following import seen_now

        found = self.at
        if found is not None and not found[2].step(found[1].key).numbers:
            self._take(found[1], None, seen_now(found[1], ranking=self._document.state.ranking))
            self._take_results()

    def _take_results(self) -> None:
        searches = [each.search for each in self._document.session.searches[-1:]]
        for result in (*self._curves.values(), *searches, self._document.state.outliers):
            self._take_result(result)

    def _on_worked_out(self, result: object) -> None:
        from errorflow.study.rank.curves import Curves

        if isinstance(result, Curves):
            self._curves[result.kind] = result
        self._take_result(result)

    def _take_result(self, result: object) -> None:
        from errorflow.guides.following import seen_in_result

        found = self.at
        if found is not None:
            # Of no comparison: the files of one are no files of the step.
            self._take(found[1], None, seen_in_result(found[1], result))

    def _read_table(self, setup: Setup | None) -> None:
        table = None if setup is None else setup.file("table")
        found = self.at
        if table is None or found is None:
            return

        def work(progress: Progress) -> "SeenResult":
            from errorflow.guides.checking import seen_in

            return seen_in(table, progress)

        take = partial(self._take, found[1], setup)
        self._host.jobs.quietly(KEY, f"Reading {table.name}", work, take)

    def _take(self, step: "Step", setup: Setup | None, seen: "SeenResult") -> None:
        from errorflow.guides.following import found_out, is_of

        files = setup.files if setup is not None and is_of(step, setup) else {}

        def change(session: Session) -> Session:
            guide = session.guide
            if guide is None or (self.flow is not None and guide.flow != self.flow.key):
                return session
            return replace(session, guide=found_out(guide, step, seen, _now(), files))

        if seen.numbers or seen.texts:
            self._document.revise(change)


def _now() -> str:
    return datetime.now().strftime("%Y-%m-%d %H:%M")


def _with_own(session: Session, given: GivenFiles) -> Session:
    return session if session.guide is None else replace(session, guide=replace(session.guide, given=given))


HEIGHT, SIGN = 32, 16
# So much of the result is seen before the title of the step is.
RESULT = 320


class GuideBar(QFrame):
    """Shown while `room` of the stack is, and a guide is followed."""

    def __init__(self, guiding: "Guiding", desk: Desk, stack: QStackedWidget, room: QWidget) -> None:
        super().__init__()
        self._guiding = guiding
        self._desk = desk
        self._stack = stack
        self._room = room
        # What the link to the guide says where there is room, and where there is none.
        self._titles = ("", "")
        self.setProperty("role", "verdict")
        self.setFixedHeight(HEIGHT)
        self.sign = QLabel()
        self.title = text_button(
            "", lambda: guiding.show(), "Back to the guide: what the step needs, and what its result means"
        )
        self.title.setProperty("link", True)
        self.text = Elided(Qt.TextElideMode.ElideRight)
        self.next = text_button("", lambda: self._go_on())
        self.leave = QToolButton()
        self.leave.setToolTip("Leave the guide")
        self.leave.setAccessibleName("Leave the guide")
        self.leave.clicked.connect(lambda: guiding.leave())
        icons.follow(self.leave, "close")
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(GAP, 0, GAP, 0)
        row.setSpacing(PADDING)
        row.addWidget(self.sign)
        row.addWidget(self.title)
        row.addWidget(self.text, 1)
        row.addWidget(self.next)
        row.addWidget(self.leave)
        desk.document.changed.connect(self._on_changed)
        desk.appearance.changed.connect(self.refresh)  # its own method: it ends with the bar
        stack.currentChanged.connect(lambda _: self.refresh())
        self.hide()

    def _on_changed(self, fields: object) -> None:
        if isinstance(fields, frozenset) and fields & {"session.guide", "model"}:
            self.refresh()

    def refresh(self) -> None:
        is_there = self._guiding.progress is not None and self._stack.currentWidget() is self._room
        found = self._guiding.at if is_there else None
        self.setVisible(found is not None)
        if found is None:
            return
        from errorflow.guides.following import proposed_of
        from errorflow.guides.model import OUTCOME_LABELS

        flow, step, progress = found
        proposed = proposed_of(progress, step)
        outcome = proposed if proposed else progress.step(step.key).outcome
        number, count, short = flow.steps.index(step) + 1, len(flow.steps), _short(step.title)
        self._titles = (f"Guide: step {number} of {count}, {short}", f"Guide: step {number} of {count}")
        self.title.setAccessibleName(self._titles[0])
        way = step.way(outcome) if outcome else None
        ended = OUTCOME_LABELS.get(outcome, "")
        text = _told(step, progress, way) if ended else ""
        said = (f"Proposed: {ended}. {text}" if proposed else f"Result: {ended}. {text}") if ended else _open(step)
        said = said.strip()
        self.text.show_text(said)
        self.text.setToolTip(said)
        target = None if way is None else flow.step(way.to)
        self.next.setVisible(way is not None)
        if way is not None:
            following = _short(target.title) if target is not None else "the three steps"
            self.next.setText("Decide in the guide" if outcome == "undecided" or proposed else f"Next: {following}")
            self.next.setToolTip(way.why)
        self._show_sign(outcome)
        self.setAccessibleName(f"{self._titles[0]}. {said}")
        self._fit_title()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_title()

    def _fit_title(self) -> None:
        """The result comes first: the title of the step gives way to it."""
        long, short = self._titles
        self.title.setText(long)
        wished = self.text.sizeHint().width()
        others = self._row.sizeHint().width() - wished
        if self.width() - others < min(RESULT, wished):
            self.title.setText(short)

    def _show_sign(self, outcome: str) -> None:
        theme = self._desk.appearance.theme
        name, color = (
            ("check", theme.accent)
            if outcome == "passed"
            else ("info", theme.warning.mark)
            if outcome in ("close", "doubt", "undecided")
            else ("problems", theme.error.mark)
            if outcome
            else ("guide", theme.muted)
        )
        self.sign.setPixmap(icons.pixmap(name, color, SIGN, self.devicePixelRatioF()))

    def _go_on(self) -> None:
        found = self._guiding.at
        if found is None:
            return
        _, step, progress = found
        outcome = progress.step(step.key).outcome
        way = step.way(outcome)
        if not outcome:  # it is proposed only
            self._guiding.show()
        elif way is not None:
            if outcome != "undecided":
                self._guiding.lead(way)
            self._guiding.show()


def _open(step: "Step") -> str:
    """Says what a step without a result needs."""
    if step.is_end:
        return step.why
    return "You say how it ended: in the guide, at “Where it leads”." if step.by_hand else "No result yet."


def _told(step: "Step", progress: "GuideProgress", way: "Way | None") -> str:
    """Says what failed, or why it goes on there."""
    from errorflow.guides.following import judged_of

    outcome = progress.step(step.key).outcome
    checked = () if outcome == "passed" else judged_of(progress, step).checked
    failed = next((each.text for each in checked if each.state in ("failed", "close")), "")
    return failed if failed or way is None else way.why


def _short(title: str) -> str:
    """Shortens a title: what stands before the colon or the comma says enough on a button."""
    return re.split("[:,]", title, maxsplit=1)[0]
