"""What the user decided before, step by step."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from errorflow.case.session.model import Session

MOST = 200


@dataclass(frozen=True, slots=True)
class _Step:
    """What it is called, and the session on its other side."""

    text: str
    session: Session
    merges: bool


class Undo:
    """The steps that can be taken back, and those that were."""

    def __init__(self) -> None:
        self._done: list[_Step] = []
        self._undone: list[_Step] = []

    @property
    def undo_text(self) -> str:
        return self._done[-1].text if self._done else ""

    @property
    def redo_text(self) -> str:
        return self._undone[-1].text if self._undone else ""

    def note(self, text: str, before: Session, merge: bool) -> None:
        """A step was made. `merge`: it goes on with the last one if that merges too and has the same text."""
        last = self._done[-1] if self._done else None
        if not (merge and last is not None and last.text == text and last.merges):
            self._done = [*self._done, _Step(text, before, merge)][-MOST:]
        self._undone = []

    def end_merging(self) -> None:
        """Nothing goes on with the steps so far."""
        self._done = [replace(step, merges=False) for step in self._done]

    def revise(self, change: Callable[[Session], Session]) -> None:
        """What was found out meanwhile holds on the other side of every step too."""
        self._done, self._undone = (
            [replace(step, session=change(step.session)) for step in steps] for steps in (self._done, self._undone)
        )

    def back(self, now: Session) -> Session:
        """The session before the last step; the same if there is none."""
        if not self._done:
            return now
        step = self._done.pop()
        self._undone.append(replace(step, session=now))
        return step.session

    def forth(self, now: Session) -> Session:
        """The session after the step that was last taken back."""
        if not self._undone:
            return now
        step = self._undone.pop()
        self._done.append(replace(step, session=now, merges=False))
        return step.session
