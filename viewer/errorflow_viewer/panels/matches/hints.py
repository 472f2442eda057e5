"""What becomes of pairs by hand: what happens next, or what came of it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from errorflow.case.session.model import HandPair

if TYPE_CHECKING:
    from errorflow.case.model import Case
    from errorflow.compare.metrics.metric import Scale


@dataclass(frozen=True, slots=True)
class Hint:
    """A sentence, and the button that does what it says is to be done; "": nothing is."""

    text: str
    button: str = ""


AGAIN, GO_ON = "Compare again", "Go on"


@dataclass(frozen=True, slots=True)
class Situation:
    """What was decided last, and how far the work on it is."""

    pair: HandPair
    compared: "Case"
    # The metric on view; None: it was not measured.
    scale: "Scale | None"
    # A comparison is running, or the pairs by hand are being measured.
    comparing: bool = False
    measuring: bool = False


def hint_of(now: Situation) -> Hint | None:
    """None: there is nothing to be said of it."""
    what = f"{now.pair.candidate} and {now.pair.reference}" if now.pair.reference else now.pair.candidate
    are = "are" if now.pair.reference else "is"
    if now.comparing:
        return Hint(f"{what} {are} next, when the comparison that is running has ended.")
    if not now.compared.complete:
        return Hint(f"{what} {are} not measured, for the comparison was cancelled.", GO_ON)
    if now.measuring:
        return Hint(f"{what} {are} being measured.")
    told = _parted(now) if not now.pair.reference else _measured(now)
    return Hint(told) if told else None


def _parted(now: Situation) -> str:
    match = now.compared.match
    parted = match is not None and any(
        pair.tensor == now.pair.candidate and pair.reference is None for pair in match.pairs
    )
    return f"{now.pair.candidate} has no partner any more and is not measured." if parted else ""


def _measured(now: Situation) -> str:
    match, rows = now.compared.match, now.compared.comparison.rows
    for pair, row in zip(() if match is None else match.pairs, rows, strict=False):
        if pair.tensor == now.pair.candidate and pair.reference is not None:
            if pair.reference.info.name != now.pair.reference:
                continue
            start = f"{now.pair.candidate} was measured against {now.pair.reference}"
            if not row.values:
                return f"{now.pair.candidate} and {now.pair.reference} could not be measured: {row.note}."
            known = now.scale is not None and now.scale.key in row.values
            if now.scale is None or not known:
                return f"{start}."
            return f"{start}: {now.scale.label} {now.scale.text(row.values[now.scale.key])}."
    return ""
