"""Puts exact results of single nodes in the place of estimates, and draws the conclusions of both."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from errorflow.base.language import say
from errorflow.base.progress import SILENT, Progress
from errorflow.explain.blame.front import front_of
from errorflow.explain.blame.limits import CLEAN, LARGE, MOST
from errorflow.explain.blame.model import Blame, ExactParts, ModelVerdict, Switched, Verdict
from errorflow.explain.blame.notes import HIDDEN
from errorflow.explain.blame.parts import verdicts_of
from errorflow.explain.blame.verdict import judge
from errorflow.graph.unit import unit_title

_SMALL = "its error is small as a whole, and nodes behind it make it large"


def combine(estimated: Blame, exact: ExactParts, *, progress: Progress = SILENT) -> Blame:
    """The same with what running nodes found in place of estimates, and the verdict on the model found anew."""
    done = exact.exact & ~np.isnan(exact.accumulated)
    out = np.where(done, exact.accumulated, estimated.accumulated)
    shares = np.where(done, exact.shares, estimated.shares)
    inherited = np.where(done, exact.inherited, estimated.inherited)
    # What arrived, as its part of this node's error, decides whether it grew: gains are measured before and behind.
    with np.errstate(all="ignore"):
        arrived = out / estimated.gains
    evidence = estimated.evidence
    assert evidence is not None
    # What was traced to a producer is seen anew: where its readers were run, they say themselves what they added.
    again = (done | ~np.isnan(evidence.traced)) & ~evidence.proven
    verdicts = np.where(again, verdicts_of(out, arrived, shares, inherited, evidence.form), estimated.verdicts).astype(
        np.int8
    )
    notes = dict(estimated.notes)
    if not (~done & (estimated.accumulated > CLEAN)).any():
        parts = {node: [part for part in note.split("; ") if part != HIDDEN] for node, note in notes.items()}
        notes = {node: "; ".join(kept) for node, kept in parts.items() if kept}
    for node, note in exact.notes.items():
        notes[node] = say("{}; {}", note, notes[node]) if node in notes else note
    raw = replace(
        estimated,
        verdicts=verdicts,
        accumulated=out,
        introduced=np.where(done, exact.introduced, estimated.introduced),
        inherited=inherited,
        shares=shares,
        exact=estimated.exact | done,
        notes=notes,
        ran=exact,
    )
    found = concluded(raw, exact.switched, progress=progress)
    return _of_reference(found, exact.off) if exact.off else found


def _of_reference(found: Blame, off: Mapping[int, tuple[float, float]]) -> Blame:
    """Takes the verdict back: where the original is further off than the candidate, nothing can be said of that."""
    verdicts, notes = found.verdicts.copy(), dict(found.notes)
    for node, (ours, theirs) in off.items():
        verdicts[node] = Verdict.NOT_MEASURED
        notes[node] = say(
            "the reference is off by {} here, the candidate by {}: float64 says so", f"{ours:.2g}", f"{theirs:.2g}"
        )
    first = next(iter(off))
    title = unit_title(found.graph, first)
    text = say("Not judged: the reference is wrong at {} ({}).", title, notes[first])
    model = ModelVerdict("beyond limits", text, outputs=found.model.outputs, output=found.model.output, named=title)
    unjudged = found.unjudged | frozenset(off)
    front = np.zeros_like(found.front)
    return replace(found, model=model, verdicts=verdicts, notes=notes, unjudged=unjudged, blamed=None, front=front)


def concluded(raw: Blame, known: Mapping[int, Switched] | None = None, *, progress: Progress = SILENT) -> Blame:
    """Concludes with the verdict on the model, the origins that only it shows, and the front."""
    evidence = raw.evidence
    assert evidence is not None
    judged = judge(raw, evidence, known, progress)
    verdicts, notes = raw.verdicts.copy(), dict(raw.notes)
    small = np.isin(verdicts, (Verdict.CLEAN, Verdict.HEALER)) & (judged.brings >= LARGE)
    # What was measured at the output stands above what the node's own tensor says as a whole.
    for node in np.flatnonzero((small & (np.nan_to_num(raw.shares) >= MOST)) | (judged.measured >= LARGE)).tolist():
        verdicts[node] = Verdict.ORIGIN
        # It may have been said when it was estimated.
        if raw.accumulated[node] <= CLEAN and not notes.get(node, "").startswith(_SMALL):
            notes[node] = say("{}; {}", say(_SMALL), notes[node]) if node in notes else _SMALL
    return replace(
        raw,
        verdicts=verdicts,
        notes=notes,
        model=judged.model,
        blamed=judged.shares,
        front=front_of(raw.graph, verdicts, raw.accumulated, raw.gains),
    )
