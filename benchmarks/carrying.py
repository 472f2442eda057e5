"""Which of our own classes a measured number goes through on its way from two runs to a colour.

Every object that is made meanwhile is looked at. What is found is held against two lists, so that a station more or
less does not go unseen.
"""

import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from types import FrameType
from typing import Any

import numpy as np

from errorflow.compare.match.model import Pair
from errorflow.compare.model import Row

OURS = ("errorflow.", "errorflow_viewer.")
# In the order of the way; the screen comes behind them.
STATIONS = (
    "compare.match.model.Pair",
    "compare.match.model.Match",
    "compare.match.plan.MatchPlan",
    "case.values.Prepared",
    "case.model.Case",
    "compare.model.Row",
    "compare.model.Comparison",
    "compare.placed.Placed",
    "explain.findings.model.Findings",
    "compare.placed.Measured",
    "report.fold.BoxErrors",
    "report.paint.Paint",
)
# What has the number as well, and does not lead to the colour.
BESIDE = {
    "the verdict": ("model.Slots", "measured.TensorErrors", "estimate.Trace", "model.Evidence", "model.Blame"),
    "running nodes once more": ("exact.ExactPlan", "exact.PairReader", "exact.NodeWork"),
    "a worker that measures it": ("pairs._Shift",),
    "what is known or runs now": ("state.State", "derived._Run", "comparing.MeasuringRequest"),
    "the small picture of what was open last": ("thumbnailing.Motif",),
    "the pointer and the signs": ("error_notes.Notes", "signs.Signs"),
    "panels": (
        "panel._Wish",
        "panel.Source",
        "columns.Sheet",
        "profile.ProfileCurve",
        "profile.Profile",
        "axis.ThinnedColumns",
    ),
}


class Made:
    """The objects of our own classes that are made, in that order, whatever the thread."""

    def __init__(self) -> None:
        self.objects: list[Any] = []

    def __enter__(self) -> "Made":
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        if event == "return" and frame.f_code.co_name == "__init__":
            made = frame.f_locals.get("self")
            if type(made).__module__.startswith(OURS) and not (self.objects and self.objects[-1] is made):
                self.objects.append(made)


def held_by(thing: object) -> Iterator[Any]:
    """What its fields hold, and what is in their lists and tables."""
    slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ()) if hasattr(thing, name)]
    for value in (*getattr(thing, "__dict__", {}).values(), *(getattr(thing, name) for name in slots)):
        yield value
        if isinstance(value, (tuple, list, set, frozenset)):
            yield from value
        elif isinstance(value, dict):
            yield from value.values()


def _has(thing: object, numbers: Iterable[float]) -> bool:
    for value in held_by(thing):
        if isinstance(value, float) and value in numbers:
            return True
        if isinstance(value, np.ndarray) and value.dtype == np.float64 and np.isin(value, list(numbers)).any():
            return True
    return False


def carriers(made: Iterable[Any], pair: Pair, row: Row, numbers: tuple[float, ...]) -> dict[str, str]:
    """Each class through which a number goes, in the order of the way, with how it carries it.

    Before the row is measured: whatever holds its pair, however far down. From then on: what holds the row, the number
    or its place on the scale, and what holds one of those.
    """
    found: dict[str, str] = {}
    known = {id(pair): "the pair"}
    is_measured = False
    for thing in made:
        name = f"{type(thing).__module__}.{type(thing).__name__}"
        if thing is row:
            is_measured = True
            how = "the row"
        elif thing is pair:
            how = "the pair"
        elif is_measured and (_has(thing, numbers) or any(value is row for value in held_by(thing))):
            how = "the number"
        else:
            how = next((f"holds {known[id(value)]}" for value in held_by(thing) if id(value) in known), "")
        if how:
            found.setdefault(name, how)
            # Who holds one that only holds another is further away than what it is drawn from.
            if not is_measured or not how.startswith("holds"):
                known[id(thing)] = type(thing).__name__
    return found


def stations(found: Mapping[str, str]) -> list[str]:
    """The names of those on the way, all of which are there; a class in neither list ends the program."""
    beside = [name for names in BESIDE.values() for name in names]
    names = {name.partition(".")[2] for name in found}
    new = [name for name in names.difference(STATIONS) if not name.endswith(tuple(f".{each}" for each in beside))]
    new = [name for name in new if name not in beside]
    gone = [name for name in STATIONS if name not in names]
    if new or gone:
        raise SystemExit(f"Not in the list: {', '.join(sorted(new))}; not on the way: {', '.join(gone)}")
    return [name.rpartition(".")[2] for name in STATIONS]
