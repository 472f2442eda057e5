"""Runs a plan on samples, from the first error to the verdict."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from errorflow.base.progress import SILENT, Progress
from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.measure import Measured
from errorflow.compare.placed import Placed
from errorflow.explain.blame.combine import combine
from errorflow.explain.blame.estimate import estimate
from errorflow.explain.blame.limits import CLEAN
from errorflow.explain.blame.model import Blame, Chosen, Floats
from errorflow.explain.findings.model import Findings
from errorflow.graph.model import Graph
from errorflow.quant.plan import Plan
from errorflow.run.engine.engine import Engine
from errorflow.run.engine.table import Table
from errorflow.study.simulate.advising import UNKNOWN, Known, advised
from errorflow.study.simulate.answers import Answers, answers
from errorflow.study.simulate.clipping import clipped
from errorflow.study.simulate.closely import closely
from errorflow.study.simulate.entering import entering
from errorflow.study.simulate.mending import confirmed, mended
from errorflow.study.simulate.noise import Noise, noise_of
from errorflow.study.simulate.outcome import Outcome
from errorflow.study.simulate.pointing import pointed
from errorflow.study.simulate.pooled import comparison_of, exact_parts, relative_errors
from errorflow.study.simulate.sides import Sides, sides_of
from errorflow.study.simulate.uncut import uncut

_SQNR, _RELATIVE = (next(metric for metric in METRICS if metric.key == key) for key in ("sqnr", "relative_l2"))
# The error power that single groups make, over what all of them make together. Below (3 dB less) they make each other
# worse, above (6 dB more) outputs saturate or errors cancel each other: then single groups tell nothing of the whole.
EXPLAINED = (0.5, 4.0)
# One image ranks groups as four do, but for images on which outputs saturate.
NOISE_SAMPLES = 4
_BROKEN = "the first to make NaN or infinite values, which codes may hide"


def worst_sample(table: Table, outputs: Sequence[str]) -> int:
    """The number of the sample with the least SQNR at any output; -1 where none was measured."""
    places = [table.places[name] for name in outputs if name in table.places]
    if not places:
        return -1
    found = table.column(_SQNR)[:, places]
    # What is no number is worse than all that is one.
    worst = np.where(np.isnan(found), -np.inf, found).min(axis=1)
    return int(table.samples[int(np.argmin(worst))])


def simulate(engine: Engine, plan: Plan, *, noise_samples: int = NOISE_SAMPLES, progress: Progress = SILENT) -> Outcome:
    """Runs the plan on all samples of the engine, and each group of nodes alone on a few, the worst among them."""
    return gradually(engine, plan, _nobody, noise_samples=noise_samples, progress=progress, quick=False)


def gradually(
    engine: Engine,
    plan: Plan,
    give: Callable[[Outcome], None],
    *,
    sample: int = 0,
    quick: bool = True,
    noise_samples: int = NOISE_SAMPLES,
    progress: Progress = SILENT,
) -> Outcome:
    """The same, and `give` gets what is known meanwhile: if `quick`, first of all the errors on one sample."""
    measured = uncut(engine.graph, plan, engine.assigned(plan))
    if quick:
        give(_put_together(engine, plan, engine.run(measured, samples=[sample], progress=progress), progress))
    table = engine.run(measured, split=True, node=True, progress=progress)
    found = replace(_put_together(engine, plan, table, progress), depth="exact")
    give(found)
    worst = worst_sample(table, engine.outputs)
    seen = closely(engine, measured, max(worst, 0), progress)
    said = answers(engine, plan, progress)
    found = _put_together(engine, plan, table, progress, seen, said=said)
    found = replace(found, worst_sample=worst, answers=said, depth="exact")
    if not noise_samples:
        return replace(found, depth="complete")
    give(found)
    noise = noise_of(engine, plan, _for_noise(engine, worst, noise_samples), progress)
    noise = pointed(engine, plan, noise, progress)
    sides = sides_of(engine, plan, _bad(found.findings), progress)
    whole = _put_together(engine, plan, table, progress, seen, noise, said, sides)
    return replace(whole, noise=noise, worst_sample=worst, answers=said, sides=sides, depth="complete")


def _bad(findings: Findings) -> list[str]:
    """The outputs that are."""
    blame = findings.blame
    verdicts = () if blame is None else blame.model.outputs
    return [findings.graph.tensor_names[tensor] for tensor, verdict in verdicts if verdict.kind != "good"]


def _put_together(
    engine: Engine,
    plan: Plan,
    table: Table,
    progress: Progress,
    seen: Mapping[str, Measured] | None = None,
    noise: Noise | None = None,
    said: Mapping[str, Answers] | None = None,
    sides: Mapping[str, Sides] | None = None,
) -> Outcome:
    comparison = comparison_of(table, engine.graph, engine.shapes, {} if seen is None else seen)
    placed = Placed.of(engine.graph, comparison, "reference")
    coded = entering(engine.graph, comparison, engine.calibration)
    chosen = _chosen(engine.graph, {} if said is None else said)
    found = estimate(engine.graph, placed, comparison, coded=coded, chosen=chosen, progress=progress)
    blame = _with_broken(found, table)
    errors = _node_errors(engine, table)
    if not np.isnan(table.part("introduced")).all():
        parts = exact_parts(
            table, engine.graph, {} if noise is None else _contributions(engine, plan, noise, table, progress)
        )
        blame = combine(blame, parts, progress=progress)
    assigned = engine.assigned(plan)
    known = UNKNOWN
    if noise is not None:
        known = Known({} if sides is None else sides, clipped(engine, plan, noise, blame.model))
    findings = Findings(engine.graph, comparison, placed, "reference", advised(blame, assigned, table, known))
    return Outcome(plan, assigned, table, comparison, findings, errors, depth="quick")


def _chosen(graph: Graph, said: Mapping[str, Answers]) -> dict[int, Chosen]:
    numbers = ((graph.tensor_index(name), each.chosen) for name, each in said.items())
    return {number: chosen for number, chosen in numbers if number is not None}


def _with_broken(blame: Blame, table: Table) -> Blame:
    """Codes hide what was NaN or infinite before: the node is told of it, and the advice is as where it shows."""
    first = {each.tensor for each in table.broken() if each.side == "candidate"}
    numbers = (blame.graph.tensor_index(name) for name in first)
    nodes = {int(blame.graph.producers[number]) for number in numbers if number is not None}
    evidence = blame.evidence
    if not first or evidence is None:
        return blame
    said = {node: _BROKEN for node in nodes if node >= 0}
    notes = dict(blame.notes) | {
        node: "; ".join(filter(None, (text, blame.notes.get(node)))) for node, text in said.items()
    }
    return replace(blame, notes=notes, evidence=replace(evidence, seen=evidence.seen | {"overflow"}))


def _nobody(_: Outcome) -> None:
    """Waits for the end."""


def _for_noise(engine: Engine, worst: int, count: int) -> tuple[int, ...]:
    """On a sample that is easy for the model, outputs saturate and noise does not show: the worst one comes first."""
    others = [sample for sample in range(engine.samples) if sample != worst]
    return tuple([worst, *others][:count] if worst >= 0 else others[:count])


def _contributions(engine: Engine, plan: Plan, noise: Noise, table: Table, progress: Progress) -> dict[int, Floats]:
    """Of outputs whose error is what the noise of all groups says; else they work together, and no sum tells.

    Where outputs saturate a sum may be right by chance: a few that are said to bring nearly all must take it with them.

    Then one group may take most of it with it when it is in float, and else nothing is known. Nor does power tell where
    the output is good as a whole: what is wrong there, such as small values beside large ones of which nothing is left,
    has none.
    """
    found: dict[int, Floats] = {}
    for place, name in enumerate(noise.outputs):
        number = engine.graph.tensor_index(name)
        if number is None or _RELATIVE.of(noise.measured(place, table)) <= CLEAN:
            continue
        adds_up = EXPLAINED[0] <= noise.explained(place, table) <= EXPLAINED[1]
        if adds_up and confirmed(engine, plan, noise, place, table, progress):
            found[number] = noise.by_node(place, len(engine.graph))
        else:
            parts = mended(engine, plan, noise, place, table, progress)
            if parts is not None:
                found[number] = parts
    return found


def _node_errors(engine: Engine, table: Table) -> Floats:
    found = np.full(len(engine.graph), np.nan)
    for name, error in relative_errors(table, "node").items():
        number = engine.graph.tensor_index(name)
        node = -1 if number is None else int(engine.graph.producers[number])
        if node >= 0 and not found[node] >= error:
            found[node] = error
    return found
