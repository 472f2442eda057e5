"""The work of comparing two runs, as it is done in the background: from what is known already to the verdict."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.files import is_file
from errorflow.graph.model import Model
from errorflow.progress import Progress
from errorflow.scenarios.setup import Setup
from errorflow_viewer.jobs import Give

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from errorflow.compare.model import Row
    from errorflow.match.model import Match
    from errorflow.scenarios.measure import Sketch
    from errorflow.scenarios.prepare import Prepared
    from errorflow.session.known import Known


@dataclass(eq=False, slots=True)
class Work:
    """One comparison that is under way, or was cancelled and may go on."""

    setup: Setup
    model: Model
    sketch: "Sketch | None" = None
    known: "Mapping[int, Row]" = field(default_factory=dict)
    prepared: "Prepared | None" = None
    # Of all that the result depends on; "": nobody asked, or it cannot be said.
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Memory:
    """What another start has found."""

    rows: "Callable[[Setup, Match], Mapping[int, Row]]"
    known: "Callable[[str], Known | None]"


def measured(
    work: Work,
    prepared: "Prepared | None",
    pairs: "Collection[tuple[str, str]]",
    memory: "Memory",
    folder: Path | None,
    progress: Progress,
    give: "Give[Sketch]",
) -> "Sketch":
    from errorflow.match.by_hand import with_hand_pairs
    from errorflow.scenarios.measure import measure, original_of
    from errorflow.scenarios.prepare import prepare

    known = None if work.sketch is not None or pairs else _known(work, memory, progress)
    shown = None if known is None else _seen(work, known, progress)
    if work.sketch is not None:
        match = work.sketch.match
    else:
        if shown is not None:
            give(shown)
        prepared = prepare(work.setup, progress, folder) if prepared is None else prepared
        match, work.prepared = prepared.match, prepared
        match = with_hand_pairs(match, pairs) if pairs else match
    original = original_of(work.setup, work.model)
    if known is not None and shown is not None and known.fits(match):
        if known.parts is not None or original is None:
            return replace(shown, match=match)
        rows: Mapping[int, Row] = shown.known
    else:
        rows = work.known if work.known else memory.rows(work.setup, match)
    return measure(
        match,
        work.model.graph,
        original,
        known=rows,
        parts=None if known is None else known.parts,
        three=None if work.prepared is None else work.prepared.three,
        tell=give,
        progress=progress,
    )


def _known(work: Work, memory: "Memory", progress: Progress) -> "Known | None":
    """What is known by all that the result depends on; of three runs that is not enough."""
    from errorflow.session.marks import mark_of

    if work.setup.file("simulator") is not None:
        return None
    work.mark = mark_of(work.setup, work.model.path if is_file(work.model.path) else None, progress)
    return memory.known(work.mark)


def _seen(work: Work, known: "Known", progress: Progress) -> "Sketch | None":
    """The comparison as it was, whose tensors cannot be read yet; None: it has to be opened first."""
    from errorflow.scenarios.measure import measure, original_of

    if known.match is None:
        return None
    original = None if known.parts is None else original_of(work.setup, work.model)
    rows = dict(enumerate(known.rows))
    return measure(known.match, work.model.graph, original, known=rows, parts=known.parts, progress=progress)
