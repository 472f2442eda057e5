"""Values that are derived from others in the background: a row says from which, and `Deriving` runs all rows."""

import time
from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import Any, Generic, Literal, TypeVar

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from errorflow.base import ErrorflowError, Progress, dataclass, field, replace
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.state import State
from errorflow_viewer.kit.banner import Notice, notice_of
from errorflow_viewer.kit.following import Follower
from errorflow_viewer.kit.jobs import Give, Jobs, ignore_failure

W = TypeVar("W")
V = TypeVar("V")
Press = Callable[[], None]


def _nothing(*_: object) -> None:
    """Does nothing: nothing is known without work, nothing has to be forgotten, nothing is to be said."""


def _never(*_: object) -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Derived(Generic[W, V]):
    """A row: a value, what it reads, and the work that makes it."""

    # The key of its job.
    name: str
    # What the job is called.
    text: Callable[[W], str] | str
    # Fields of the state, and of the session as in "session.painting". A change of the model is always heard.
    reads: Collection[str]
    # All that the work needs; two that are equal are one wish. None: there is nothing to derive the value from.
    wish: Callable[[State], W | None]
    # In the background, touches nothing shared.
    work: Callable[[W, Progress, Give[V]], V]
    # Not needed where the work leaves it in a file, or remembered by what it was made of.
    keep: Callable[[Document, W, V], None] = _nothing
    # Takes what is known so far; a cancel or a failure keeps the last of it where `keeps_parts`.
    part: Callable[[Document, W, V], None] = _nothing
    keeps_parts: bool = False
    # Ends what was made and is not wanted any more.
    lost: Callable[[V], None] | None = None
    # Forgets the value: there is nothing to derive it from, or another one is coming unless the old one `stays`.
    drop: Callable[[Document], None] = _nothing
    stays: bool = True
    # What needs no work.
    known: Callable[[State, W], V | None] = _nothing
    # Whether it begins by itself, or when it is asked for.
    by_itself: bool = True
    # Of one that is asked for: whether what runs is of use still.
    holds: Callable[[W, State], bool] = _never
    # Jobs that it waits for, and for how many milliseconds it waits for yet another wish.
    after: Collection[str] = ()
    calm: int = 0
    # Whether what runs for one wish comes to its end before the work for another one begins; and whether it rests
    # before that as long as it took.
    in_turn: Callable[[W, W], bool] = _never
    rests: Callable[[W], bool] = _never
    # Where a failure is told: in a banner of that key, by whoever shows the value, or in the log only.
    reports: Literal["banner", "value", "log"] = "banner"
    failed: Callable[[ErrorflowError], None] = _nothing
    notice: str = ""
    # Whether that offers another try.
    again: bool = True
    # Takes back a wish that failed, or that the user cancelled.
    in_vain: Callable[[Document, W], None] = _nothing
    # Of one that is asked for: tells that it ended since something else is on view.
    overtaken: Callable[[], None] = _nothing
    # What is to be known beside the value.
    told: Callable[[W, V], Iterable[Notice] | None] = _nothing
    # What is told of a cancel by the user, with what was known by then and what asks once more.
    cancelled: Callable[[W, V | None, Press], Notice | None] = _nothing
    # Whether the window shows that it runs.
    shown: bool = True


# Runs all that is derived in the background. A value is worked out when what it reads has changed, and dropped when
# there is nothing to derive it from any more. The latest wish wins: what is under way for another one is cancelled,
# and what it finds is not applied.

# The longest rest after work that wants one, milliseconds.
MOST_REST = 2000


@dataclass(eq=False, slots=True)
class _Run:
    """Run that is under way."""

    wish: Any
    latest: Any = None
    # Something else is wanted by now, which is no cancel by the user.
    superseded: bool = False


@dataclass(eq=False, slots=True)
class _Track:
    """Track of a row: how far it is."""

    row: Derived[Any, Any]
    # Who shows it: nothing begins that cannot be seen.
    widget: QWidget | None
    rest: QTimer
    # Says when a change is heard of.
    follower: Follower = field(init=False)
    run: _Run | None = None
    # What is known or under way, or failed or was cancelled; None: nothing.
    wish: Any = None
    began: float = 0.0
    # It begins as soon as it can.
    asked: bool = False
    error: ErrorflowError | None = None
    was_cancelled: bool = False
    # A notice says that.
    is_told: bool = False


def _holds(track: _Track) -> bool:
    """Whether anything is known, under way or wanted, which a change may end."""
    return track.wish is not None or track.asked or track.error is not None


_Row = Derived[Any, Any]
_Tell = Callable[[Notice], None]
_Dismiss = Callable[[str], None]


class Deriving(QObject):
    """Keeps all values in step with the document."""

    # The row of that name runs or does not any more, waits, failed, or is asked something else.
    changed = Signal(str)

    def __init__(
        self, document: Document, jobs: Jobs, rows: Collection[_Row], tell: _Tell, dismiss: _Dismiss, parent: QObject
    ) -> None:
        """`dismiss`: takes back notices of that key."""
        super().__init__(parent)
        self._document, self._jobs, self._tell, self._dismiss = document, jobs, tell, dismiss
        self._tracks: dict[str, _Track] = {}
        # What a notice of a failure offers in place of another try.
        self.ways: dict[str, tuple[str, Press]] = {}
        self._ended = False
        self._later = QTimer(self, singleShot=True)
        self._later.timeout.connect(self._follow_waiting)
        document.changed.connect(self._on_changed)
        # A job is over before what it found is known.
        jobs.changed.connect(self._look_later)
        self.add(*rows)

    def add(self, *rows: Derived[Any, Any], widget: QWidget | None = None) -> None:
        """Made late, it finds what was decided before. `widget`: shows the values, which are made while it is seen."""
        for row in rows:
            rest = QTimer(self, singleShot=True)
            track = self._tracks[row.name] = _Track(row, widget, rest)
            heard, holds = partial(self._hear, track), partial(_holds, track)
            track.follower = Follower(self if widget is None else widget, heard, ("model", *row.reads), holds)
            rest.timeout.connect(partial(self._follow, track, now=True))
            if widget is not None:
                widget.installEventFilter(self)
                widget.destroyed.connect(lambda _, name=row.name: self._tracks.pop(name, None))
            self._follow(track)

    def remove(self, name: str) -> None:
        """Removes a row that is shown no more."""
        self._leave(track := self._tracks.pop(name))
        track.rest.deleteLater()
        track.follower.setParent(None)  # which would hold the row, and all that it shows, as long as the window is open

    # What others may ask for

    def ask(self, name: str) -> None:
        """Runs a row as soon as it can be, also once more; what waits for it is then tried again, too."""
        track = self._tracks[name]
        if not track.row.by_itself:
            track.asked, track.error = True, None
            self._begin_if_ready(track, now=True)
        else:
            self._leave(track)
            track.asked = True
            self._follow(track, now=True)
            for other in [each for each in self._tracks.values() if each.row.by_itself and name in each.row.after]:
                if other.error is not None or other.was_cancelled:
                    self.ask(other.row.name)
        self.changed.emit(name)

    def stop(self, name: str) -> None:
        """Neither runs nor waits any more; what is known stays."""
        self._jobs.cancel(name)
        self.give_up(name)

    def give_up(self, name: str) -> None:
        """Gives up a row: what it waits for does not come."""
        if self._tracks[name].asked:
            self._tracks[name].asked = False
            self.changed.emit(name)

    def follow(self, name: str) -> None:
        """Follows a change of what it reads besides the document."""
        self._follow(self._tracks[name])

    def end(self) -> None:
        """The window is closed: nothing begins any more."""
        self._document.changed.disconnect(self._on_changed)
        self._jobs.changed.disconnect(self._look_later)
        self._later.stop()
        self._ended = True
        for track in self._tracks.values():
            track.rest.stop()

    def running(self, name: str) -> Any:
        """The wish that is under way; None: none is."""
        run = self._run_of(self._tracks[name])
        return None if run is None else run.wish

    def latest(self, name: str) -> Any:
        """The last part of what is under way, seen or not."""
        run = self._run_of(self._tracks[name])
        return None if run is None else run.latest

    def waits(self, name: str) -> bool:
        return self._tracks[name].asked

    def rests(self, name: str) -> bool:
        """Whether it begins soon, unless there is yet another wish."""
        return self._tracks[name].rest.isActive()

    def error(self, name: str) -> ErrorflowError | None:
        """Finds why the value is not there; None: it did not fail."""
        return self._tracks[name].error

    def was_cancelled(self, name: str) -> bool:
        """Whether the user did not want to wait for it."""
        return self._tracks[name].was_cancelled

    # What follows from the document

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show:
            for track in [track for track in self._tracks.values() if track.widget is watched]:
                self._follow(track, now=True)
        return super().eventFilter(watched, event)

    def _on_changed(self, fields: Collection[str]) -> None:
        for track in tuple(self._tracks.values()):
            track.follower.hear(fields)

    def _hear(self, track: _Track, fields: Collection[str]) -> None:
        if self._ended:
            return
        if "model" in fields and not track.row.by_itself:
            track.asked = False
        elif "model" in fields and track.error is not None:
            self._leave(track)  # it may have been read again
        self._follow(track)

    def _look_later(self, _steps: object = None) -> None:
        if not self._ended and any(track.asked for track in self._tracks.values()):
            self._later.start(0)

    def _follow_waiting(self) -> None:
        for track in [track for track in self._tracks.values() if track.asked]:
            if track.row.by_itself:
                self._follow(track, now=True)
            else:
                self._begin_if_ready(track)

    def _follow(self, track: _Track, now: bool = False) -> None:
        row, state = track.row, self._document.state
        if not row.by_itself and not _holds(track):
            return
        if row.by_itself:
            self._follow_wish(track, row.wish(state), now)
            return
        if track.run is None and track.wish != row.wish(state):
            track.wish = track.error = None  # it failed, and was about something else
        run = self._run_of(track)
        if run is not None and not row.holds(run.wish, state):
            self._cancel(track)
            row.overtaken()
        if track.asked:
            self._look_later()

    def _follow_wish(self, track: _Track, wish: Any, now: bool) -> None:
        """`now`: those that it waits for have had their turn to begin, and nothing else is wished for soon."""
        row = track.row
        if wish is None:
            if track.wish is not None:
                self._leave(track)
            track.rest.stop()
            track.asked = False
            row.drop(self._document)
        elif track.wish == wish or self._has_time(track, wish):
            return
        elif track.widget is None or track.widget.isVisible():
            self._replace(track, wish, now)
        else:
            self._forget(track)

    def _has_time(self, track: _Track, wish: object) -> bool:
        """Whether what runs is brought to its end first, or rests from that."""
        row, run = track.row, self._run_of(track)
        if run is not None:
            return row.in_turn(run.wish, wish)
        return track.rest.isActive() and row.rests(wish) and row.in_turn(track.wish, wish)

    def _replace(self, track: _Track, wish: Any, now: bool) -> None:
        """Replaces the value: another one is wanted than the one that is there."""
        row, known = track.row, track.row.known(self._document.state, wish)
        if known is not None:
            self._leave(track)
            track.wish, track.asked = wish, False
            row.keep(self._document, wish, known)
            return
        self._forget(track)
        if row.calm and not now:
            track.rest.start(row.calm)
        elif (now or not row.after) and not any(map(self._jobs.running, row.after)):
            self._start(track, wish)
        else:
            track.asked = True
            self._look_later()

    def _forget(self, track: _Track) -> None:
        """The value is another one's."""
        if not track.row.stays and track.wish is not None:
            self._leave(track)
            track.row.drop(self._document)

    def _begin_if_ready(self, track: _Track, now: bool = False) -> None:
        """Begins a row that is wanted; `now`: whatever it would wait for."""
        wish = track.row.wish(self._document.state)
        run = self._run_of(track)
        if run is not None and run.wish == wish:
            track.asked = False
        elif wish is not None and (now or not any(map(self._jobs.running, track.row.after))):
            self._start(track, wish)

    # Running

    def _run_of(self, track: _Track) -> _Run | None:
        """Finds what runs; work that ended in a bug of ours is over without a word to its row."""
        return track.run if self._jobs.running(track.row.name) else None

    def _start(self, track: _Track, wish: Any) -> None:
        if self._ended:
            return
        row, run = track.row, _Run(wish)
        self._leave(track)
        track.run, track.wish, track.began, track.asked = run, wish, time.monotonic(), False

        def work(progress: Progress, give: Give[Any]) -> Any:
            def note(part: object) -> None:
                run.latest = part
                give(part)

            return row.work(wish, progress, note)

        text = row.text if isinstance(row.text, str) else row.text(wish)
        part, take = partial(self._take_part, track, run), partial(self._take, track, run)
        fail, dropped = partial(self._fail, track, run), partial(self._dropped, track, run)
        self._jobs.start_in_parts(row.name, text, work, part, take, fail, dropped, row.lost, shown=row.shown)
        self.changed.emit(row.name)

    def _cancel(self, track: _Track) -> None:
        """Cancels: something else is wanted by now, or nothing."""
        if track.run is not None:
            track.run.superseded = True
            self._jobs.cancel(track.row.name)

    def _leave(self, track: _Track) -> None:
        """Leaves nothing of what was wanted, and nothing of a model that is closed."""
        self._cancel(track)
        track.rest.stop()
        if track.is_told:
            self._dismiss(track.row.notice or track.row.name)
        track.wish, track.error, track.was_cancelled, track.is_told = None, None, False, False

    # What comes of it

    def _take_part(self, track: _Track, run: _Run, part: object) -> None:
        track.row.part(self._document, run.wish, part)
        self.changed.emit(track.row.name)

    def _take(self, track: _Track, run: _Run, value: object) -> None:
        track.run = None
        self._end(track, run, value)
        for notice in track.row.told(run.wish, value) or ():
            self._tell(notice)

    def _dropped(self, track: _Track, run: _Run) -> None:
        """A part of what gives way to another value is not kept; what was asked for may go on from its part."""
        track.run, track.was_cancelled = None, not run.superseded
        row, latest = track.row, run.latest
        keeps = row.keeps_parts and not (run.superseded and row.by_itself)
        self._end(track, run, latest if keeps else None, goes_on=not run.superseded)
        if not run.superseded:
            row.in_vain(self._document, run.wish)
            if (notice := row.cancelled(run.wish, latest, partial(self.ask, row.name))) is not None:
                self._tell_of(track, notice)

    def _fail(self, track: _Track, run: _Run, error: ErrorflowError) -> None:
        track.run, track.error = None, error
        row = track.row
        self._end(track, run, run.latest if row.keeps_parts else None)
        row.in_vain(self._document, run.wish)
        if row.reports == "log":
            ignore_failure(error)
        elif row.reports == "value":
            track.is_told = True  # by a notice of that key, if at all
            row.failed(error)
        else:
            notice = notice_of(error, row.notice or row.name)
            text, pressed = self.ways.get(row.name, ("Try again", partial(self.ask, row.name)))
            self._tell_of(track, replace(notice, button=text, pressed=pressed) if row.again else notice)

    def _tell_of(self, track: _Track, notice: Notice) -> None:
        """Tells until something else is wanted."""
        track.is_told = True
        self._tell(notice)

    def _end(self, track: _Track, run: _Run, value: object, goes_on: bool = True) -> None:
        row = track.row
        if value is not None:
            row.keep(self._document, run.wish, value)
        if not row.by_itself:
            track.wish = None if track.error is None else run.wish
        elif row.rests(run.wish):
            track.rest.start(min(int(1000 * (time.monotonic() - track.began)), MOST_REST))
        self.changed.emit(row.name)
        if goes_on:
            self._follow(track)
            self._look_later()
