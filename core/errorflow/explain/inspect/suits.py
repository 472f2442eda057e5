"""Suitability of each view for what is to be seen, from 0 to 1, with reasons: the best of many views is opened."""

from collections.abc import Callable

from errorflow.base.values import dataclass
from errorflow.explain.inspect.channels import LoudChannel, axes
from errorflow.explain.inspect.planes import Planes
from errorflow.explain.inspect.tensors import Tensors

FEW = 24


@dataclass(frozen=True, slots=True, eq=False)
class Datum:
    """A datum that a view is for; without tensors there are facts only."""

    tensors: Tensors | None
    loud: LoudChannel | None = None
    # Why there are no tensors.
    lack: str = ""
    # It is a simulation's, which codes it by a range that was calibrated.
    calibrated: bool = False


@dataclass(frozen=True, slots=True)
class Suits:
    """0: it has nothing to show, and `reason` says why."""

    score: float
    reason: str


Ask = Callable[[Datum], Suits]
_NOTHING = "There are no values to show."


def _histogram(datum: Datum) -> Suits:
    tensors = datum.tensors
    if tensors is None:
        return Suits(0.0, datum.lack if datum.lack else _NOTHING)
    if not tensors.size:
        return Suits(0.0, "The tensor is empty.")
    return Suits(0.3, "Few values.") if tensors.size < FEW else Suits(0.8, "How both runs spread their values.")


def _both(datum: Datum) -> Suits | None:
    """Says why errors cannot be shown; None: they can."""
    tensors = datum.tensors
    if tensors is None or not tensors.size:
        return _histogram(datum)
    if not tensors.together:
        return Suits(0.0, f"There is no error to show: {tensors.note}." if tensors.note else "It is in one run only.")
    return None


def _errors(datum: Datum) -> Suits:
    return _or(_both(datum), 0.6, "How large the errors are.")


def _scatter(datum: Datum) -> Suits:
    return _or(_both(datum), 0.5, "Whether errors grow with the values, are clipped or shifted.")


def _channels(datum: Datum) -> Suits:
    tensors = datum.tensors
    if tensors is None or not tensors.size:
        return _histogram(datum)
    if not axes(tensors.shape):
        return Suits(0.0, "It has no channels.")
    if datum.loud is not None and datum.loud.scale is not None:
        return Suits(1.0, "One channel is loud, and the others pay for it.")
    return Suits(0.4, "Which channels are worst.")


def _planes(datum: Datum) -> Suits:
    tensors = datum.tensors
    if tensors is None or not tensors.size:
        return _histogram(datum)
    if len(tensors.shape) < 2:
        return Suits(0.35, "The values of a vector in their order.") if tensors.shape else Suits(0.0, "A single value.")
    planes = Planes.of(tensors.shape, tensors.axis)
    flat = planes is None or min(tensors.shape[planes.rows], tensors.shape[planes.columns]) < 2
    return Suits(0.2, "Thin planes.") if flat else Suits(0.55, "Where in the picture the errors are.")


def _values(datum: Datum) -> Suits:
    tensors = datum.tensors
    if tensors is None or not tensors.size:
        return _histogram(datum)
    return Suits(0.85, "Few values.") if tensors.size < FEW else Suits(0.3, "The largest errors, and any value.")


def _ranges(datum: Datum) -> Suits:
    if not datum.calibrated:
        return Suits(0.0, "Only what flows in a simulation has a range that is calibrated.")
    return Suits(0.15, "Which range each method of calibration finds, and what codes make of it.")


def _distributions(datum: Datum) -> Suits:
    found = _histogram(datum)
    return Suits(0.25, "All values, and those of each channel.") if found.score > 0 else found


def _facts(datum: Datum) -> Suits:
    return Suits(0.1 if datum.tensors is not None and datum.tensors.size else 0.9, "All that is known in words.")


def _or(against: Suits | None, score: float, reason: str) -> Suits:
    return Suits(score, reason) if against is None else against


# By the key of the view.
SUITS: dict[str, Ask] = {
    "histogram": _histogram,
    "errors": _errors,
    "scatter": _scatter,
    "channels": _channels,
    "distributions": _distributions,
    "planes": _planes,
    "values": _values,
    "ranges": _ranges,
    "facts": _facts,
}


def kind_of(tensors: Tensors | None, end: str) -> str:
    """Tensors that are looked at in the same way; a chosen view is remembered for each."""
    if tensors is None:
        return "nothing"
    rank = "scalar" if tensors.size < FEW else "vector" if len(tensors.shape) < 2 else "map"
    side = "weight" if end == "weight" else "pair" if tensors.together else "single"
    return f"{side} {rank}"


def best(datum: Datum, remembered: str = "") -> str:
    """The view that was chosen for this kind, if it has something to show, else the one that suits best.

    A loud channel goes before what was chosen: it is easily missed.
    """
    scores = {key: ask(datum).score for key, ask in SUITS.items()}
    if scores.get(remembered, 0.0) > 0 and max(scores.values()) < 1:
        return remembered
    return max(scores, key=lambda key: scores[key])
