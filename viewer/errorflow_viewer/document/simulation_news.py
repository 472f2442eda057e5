"""News of a simulation in banners: what is odd, what was cancelled, and what went wrong."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from errorflow_viewer.kit.banner import Notice

if TYPE_CHECKING:
    from errorflow.study.simulate.bench import Bench

NOTICE = "simulate"
# What is told of the samples; only the newest is of use.
SAMPLES = "samples"
# Notes that are listed on demand.
DETAILS = 20
Press = Callable[[], None]


def notices_of(bench: "Bench", ask: Press) -> Iterator[Notice]:
    """No verdict on samples that were made up is shown without that; what else was odd are then its details."""
    notes = bench.other_notes
    if bench.made_up:
        text = "The samples were made up: this says nothing about the model in use."
        details = "\n".join(notes[:DETAILS])
        yield Notice("warning", text, "Give samples of real data.", details, SAMPLES, "Samples…", ask, True)
    elif notes:
        more = f" And {len(notes) - 3} more." if len(notes) > 3 else ""
        yield Notice("info", notes[0], " ".join(notes[1:3]) + more, key=SAMPLES, of_model=True)


def cancelled(has_some: bool, has_colours: bool, again: Press) -> Notice:
    """`has_some`: something is known of the plan; `has_colours`: something is painted, if only of another plan."""
    if has_some:
        return _told("The simulation was cancelled.", "What is known stays on view.", again)
    hint = "Colours are those of the plan before." if has_colours else ""
    return _told("The simulation was cancelled before anything was known.", hint, again)


def other_cancelled(again: Press) -> Notice:
    return _told("The run that is compared with was cancelled.", "Without it nothing is compared.", again)


def _told(text: str, hint: str, again: Press) -> Notice:
    return Notice("info", text, hint, key=NOTICE, button="Go on", pressed=again, of_model=True)
