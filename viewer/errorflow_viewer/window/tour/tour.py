"""Leads through the steps of the tour, and puts the window back as it was."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QStackedWidget, QWidget

from errorflow.graph.model import Model
from errorflow_viewer.document.opening_jobs import LOOK, OPEN, PREPARE, SESSION
from errorflow_viewer.document.reopening import Reopening
from errorflow_viewer.document.state import State
from errorflow_viewer.kit.banner import Banners
from errorflow_viewer.window.desk import WholeDesk
from errorflow_viewer.window.graph_view import GraphView
from errorflow_viewer.window.pages import Arrangement, Pages
from errorflow_viewer.window.sessions import Sessions

if TYPE_CHECKING:
    from errorflow_viewer.window.tour.coach import Coach, TourRing
    from errorflow_viewer.window.tour.stage import TourStage
    from errorflow_viewer.window.tour.steps import TourStep

# Milliseconds: how often one looks where things are and what was done, and how long what was done is told.
EVERY, TOLD = 80, 2600
OPENING_JOBS = (OPEN, LOOK, PREPARE, SESSION)
WAIT, OPENING = "One moment…", "The sample is being opened…"


class Tour(QObject):
    """Tour of one window. It is not made before the user takes it."""

    def __init__(
        self,
        desk: WholeDesk,
        window: QMainWindow,
        view: GraphView,
        middle: tuple[QStackedWidget, QWidget],
        keeping: tuple[Sessions, Reopening, Pages],
        leave_page: Callable[[], None],
        command: Callable[[str], QAction],
    ) -> None:
        """`middle`: the pages, and among them the graph; `keeping`: who remember what was on view before."""
        super().__init__(window)
        self._desk = desk
        self._window = window
        self._view = view
        self._middle = middle
        self._sessions, self._reopening, self._pages = keeping
        self._leave_page = leave_page
        self._command = command
        self._stage: TourStage | None = None
        self._steps: tuple[TourStep, ...] = ()
        self._at = 0
        self._before = State()
        self._is_begun = self._is_done = False
        # What was on view before.
        self._model: Model | None = None
        # How panels were; None: not yet known.
        self._layout: Arrangement | None = None
        self._painted = True
        # The step that was entered does not need it in the graph.
        self._owes_keyboard = False
        self.coach: Coach | None = None
        self.ring: TourRing | None = None
        self._looking = QTimer(self)
        self._looking.setInterval(EVERY)
        self._looking.timeout.connect(self.look)
        self._going_on = QTimer(self, singleShot=True, interval=TOLD)
        self._going_on.timeout.connect(partial(self._step, 1))

    @property
    def is_on(self) -> bool:
        return self._stage is not None

    @property
    def step(self) -> "TourStep | None":
        return self._steps[self._at] if self._stage is not None else None

    def is_at(self, key: str) -> bool:
        """Whether that step is told, and one can do what it says."""
        step, coach = self.step, self.coach
        return step is not None and step.key == key and coach is not None and coach.on_button.isEnabled()

    def step_on(self) -> None:
        """Steps on without doing what the step says."""
        self._step(1)

    # Begin and end

    def start(self) -> None:
        """Starts where it was left, or at its beginning."""
        if self.is_on:
            return
        from errorflow_viewer.window.tour.coach import Coach, TourRing
        from errorflow_viewer.window.tour.stage import SAMPLE, TourStage
        from errorflow_viewer.window.tour.steps import STEPS

        self._stage = TourStage(self._desk, self._window, self._view, *self._middle, self._command)
        self._steps = tuple(step for step in STEPS if step.applies(self._stage))
        left = self._desk.settings.tour_step
        self._at = next((place for place, step in enumerate(self._steps) if step.key == left), 0)
        self._layout, self._painted, self._is_begun = None, self._desk.switches.is_on("error"), False
        theme = self._desk.appearance.theme
        self.ring, self.coach = TourRing(self._window, theme), Coach(self._window, theme)
        self._connect(self.coach, self.ring)
        self._model = self._desk.document.model
        self._reopening.hold()
        self._sessions.hold()
        self._desk.open(SAMPLE.model)
        self._tell()
        self._looking.start()
        self.look()

    def _connect(self, coach: "Coach", ring: "TourRing") -> None:
        coach.back.connect(partial(self._step, -1))
        coach.on.connect(self._go_on)
        coach.left.connect(self.end)
        coach.stays.connect(self.stay)
        self._desk.appearance.changed.connect(coach.set_theme)
        self._desk.appearance.changed.connect(ring.set_theme)
        application = QApplication.instance()
        assert application is not None, "there is a window"
        application.installEventFilter(self)

    def end(self) -> None:
        """Puts everything back as it was; the next time it goes on here, or after the last step begins anew."""
        if not self.is_on:
            return
        on_sample = self._is_on_sample
        self._dismiss()
        if not on_sample:
            self._sessions.let_go()
        elif not self._sessions.bring_back():
            self._desk.close_model()

    def stay(self) -> None:
        """The same, but the sample stays on view."""
        if self.is_on:
            self._dismiss()
            self._sessions.let_go()

    def _dismiss(self) -> None:
        last = self._at == len(self._steps) - 1
        self._desk.settings.tour_step = "" if last else self._steps[self._at].key
        self._looking.stop()
        self._going_on.stop()
        application = QApplication.instance()
        if application is not None:
            application.removeEventFilter(self)
        for part in (self.coach, self.ring):
            if part is not None:
                part.hide()
                part.deleteLater()
        self._put_back()
        self._stage = self.coach = self.ring = self._model = None
        self._reopening.let_go()

    def _put_back(self) -> None:
        """Panels and switches."""
        if self._stage is not None and not self._stage.on_graph and self._is_on_sample:
            self._leave_page()
        if self._desk.switches.is_on("error") != self._painted:
            self._desk.switches.turn("error")
        if self._layout is not None and self._is_on_sample:
            self._pages.put_back(self._layout)

    @property
    def _is_on_sample(self) -> bool:
        """Whether what the tour opened is still on view, or what was on view before it came."""
        is_as_before = not self._is_begun and self._desk.document.model is self._model
        return self._stage is not None and (self._stage.culprit is not None or is_as_before)

    # From step to step

    def _tell(self) -> None:
        step, coach, stage = self.step, self.coach, self._stage
        if step is None or coach is None or stage is None:
            return
        self._is_done = False
        self._before = self._desk.document.state
        self._going_on.stop()
        coach.tell(self._at + 1, len(self._steps), step.title, step.lack(stage) or step.text)

    def _enter(self) -> None:
        step, coach, stage = self.step, self.coach, self._stage
        if step is None or coach is None or stage is None:
            return
        self._desk.settings.tour_step = step.key
        step.enter(stage)
        self._before = self._desk.document.state
        self._owes_keyboard = not step.in_graph

    def _step(self, by: int) -> None:
        to = self._at + by
        if to >= len(self._steps):
            self.end()
        elif to >= 0:
            if self._stage is not None and not self._stage.on_graph:
                self._leave_page()
            self._at = to
            self._tell()
            if self._is_begun:
                self._enter()
            self.look()

    def _go_on(self) -> None:
        """Goes on, and does what was to be done, if the user did not."""
        step, stage = self.step, self._stage
        if step is None or stage is None:
            return
        acts = step.act is not None and not step.lack(stage) and not self._is_done
        if acts and step.act is not None and step.ready(stage):
            step.act(stage)
            self.look()
        else:
            self._step(1)

    # What the window does meanwhile

    def look(self) -> None:
        """Follows what is told of, and notices what was done."""
        step, coach, ring, stage = self.step, self.coach, self.ring, self._stage
        if step is None or coach is None or ring is None or stage is None:
            return
        if not self._is_begun and stage.culprit is None and not any(map(self._desk.jobs.running, OPENING_JOBS)):
            self.end()  # it could not be opened, or the user wanted something else
            return
        if not self._is_begun:
            self._begin(stage)
        elif stage.culprit is None:  # another model was opened, or this one closed
            self.end()
            return
        ready = self._is_begun and step.ready(stage)
        if ready and not self._is_done and not step.lack(stage) and step.is_done(stage, self._before):
            self._is_done = True
            if self._at < len(self._steps) - 1:
                self._going_on.start()
        if self._is_begun and not ready and not self._is_done:
            step.enter(stage)
        self._show_task(step, coach, stage, ready)
        self._give_keyboard(coach)
        room = self._window.rect()
        thing = step.aim(stage) if self._is_begun else None
        ring.lie_round(thing, room)
        coach.stand(thing, room, step.sides)

    def _begin(self, stage: "TourStage") -> None:
        """Begins as soon as all of the sample is there: panels are where the tour knows them."""
        if not stage.is_compared:
            return
        if not stage.on_graph:
            self._leave_page()
        self._is_begun = True
        self._layout = self._pages.arrangement()
        self._desk.reset_layout()
        for banners in self._window.findChildren(Banners):
            banners.leave_model()
        self._desk.view.fit()
        self._enter()

    def _give_keyboard(self, coach: "Coach") -> None:
        """Gives the keyboard to the button that goes on, as soon as it takes it: while one waits it does not."""
        owes = self._owes_keyboard or coach.hasFocus()
        if owes and self._is_begun and coach.on_button.isEnabled() and coach.isVisible():
            self._owes_keyboard = False
            coach.on_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_task(self, step: "TourStep", coach: "Coach", stage: "TourStage", ready: bool) -> None:
        if not self._is_begun:
            coach.show_task(OPENING, enabled=False)
        elif self._is_done:
            coach.show_task(step.after, done=True)
        elif step.lack(stage):
            coach.show_task("")
        elif not ready or (step.act is not None and self._desk.studies.simulating.busy):
            coach.show_task(WAIT, enabled=False)
        else:
            key = stage.key_of(step.command) if step.command else ""
            coach.show_task(step.task(key))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._window and event.type() == QEvent.Type.Close:
            self._close()
        elif (
            isinstance(event, QKeyEvent)
            and event.type() in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
            and QApplication.activePopupWidget() is None
            and QApplication.activeModalWidget() is None
            and self._window.isActiveWindow()
        ):
            return self._take(event)
        return False

    def _take(self, event: QKeyEvent) -> bool:
        """The keys of the tour, wherever the keyboard is; each comes as the question whether it is taken before."""
        if event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            return self._take_tab(event)
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        ways: dict[tuple[Qt.Key, bool], Callable[[], None]] = {
            (Qt.Key.Key_Escape, False): self.end,
            (Qt.Key.Key_Return, True): self._go_on,
            (Qt.Key.Key_Enter, True): self._go_on,
            (Qt.Key.Key_Backspace, True): partial(self._step, -1),
        }
        way = ways.get((Qt.Key(event.key()), control))
        if way is None:
            return False
        event.accept()
        if event.type() == QEvent.Type.KeyPress and self._may(way):
            way()
        return event.type() == QEvent.Type.KeyPress

    def _take_tab(self, event: QKeyEvent) -> bool:
        from errorflow_viewer.window.tour.tabbing import take

        step, stage, coach = self.step, self._stage, self.coach
        if step is None or stage is None or coach is None or not self._is_begun:
            return False
        return take(event, coach, step.aim(stage), self._view.canvas)

    def _may(self, way: Callable[[], None]) -> bool:
        """Whether one may go on: not while something is waited for."""
        return way != self._go_on or self.coach is None or self.coach.on_button.isEnabled()

    def _close(self) -> None:
        """The window is closed: what was on view before comes back at the next start."""
        if self.is_on and self._layout is not None:
            self._put_back()
        self._looking.stop()
        self._going_on.stop()
        application = QApplication.instance()
        if application is not None:
            application.removeEventFilter(self)
