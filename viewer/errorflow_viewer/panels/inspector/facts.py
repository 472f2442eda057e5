"""Facts on a node and one of its tensors in words and numbers."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from errorflow.compare.match.rules import RULES
from errorflow.compare.metrics.measure import MEASURES
from errorflow.compare.model import Row
from errorflow.explain.blame.model import Verdict, share_text, share_tip
from errorflow.explain.findings.model import Findings, State, states_of
from errorflow.explain.inspect.choices import NO_RUNS, NOT_THERE
from errorflow.explain.inspect.figure import number_text
from errorflow.explain.inspect.look import Looked
from errorflow.explain.inspect.summary import Summary
from errorflow.graph.describe import shape_text
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Graph
from errorflow_viewer.panels.attributes import attribute_sections
from errorflow_viewer.panels.inspector.precision import precision_lines
from errorflow_viewer.panels.inspector.view import Subject
from errorflow_viewer.panels.sections import Line, Section, hinted, link, plain, soft

if TYPE_CHECKING:
    from errorflow.explain.difference.precision import NodePrecisions

# What stands in the columns of a table of two sides.
_NONE = "–"
# The link that leads to other runs.
COMPARE = "compare"
# The one that leads to a simulation.
SIMULATE = "simulate"


def fact_sections(
    subject: Subject,
    findings: Findings | None,
    measure: str = "accumulated",
    precisions: "NodePrecisions | None" = None,
    simulated: Sequence[Section] = (),
    could_simulate: bool = False,
) -> Iterator[Section]:
    """Yields what says most first. `simulated`: what else is known, if the candidate is a simulation."""
    choice, looked = subject.choice, subject.looked
    if choice.lack:
        yield Section("Values", tuple(_lack_lines(choice.lack, could_simulate)))
    if findings is not None and findings.blame is not None and subject.node is not None:
        yield Section("Verdict", tuple(_verdict_lines(findings, subject.node)))
    if choice.row is not None:
        title = "Measured, all samples together" if simulated else "Measured"
        yield Section(title, (*_behind_lines(findings, choice.tensor), *_measured_lines(choice.row, measure)))
    yield from simulated
    if looked is not None:
        yield from _weight_sections(looked, "In the plan" if simulated else "The other model")
        yield Section("Error", tuple(_error_lines(looked)))
        for title, side in (("Reference", looked.overview.reference), ("Candidate", looked.overview.candidate)):
            if side is not None:
                yield Section(title, tuple(_side_lines(side)))
        yield Section("Quantization", tuple(_grid_lines(looked)))
    if subject.node is not None and precisions is not None:
        yield Section("Precision", tuple(precision_lines(precisions, subject.node)))
    yield Section("Tensor", tuple(_tensor_lines(subject.graph, choice.tensor, choice.row)))
    if subject.node is not None:
        node = subject.graph.node(subject.node)
        if node.origins is not None:
            names = node.origins if node.origins else ("inserted by the compiler",)
            yield Section("Stands for", tuple(Line("", plain(name)) for name in names[:40]))
        yield from attribute_sections(subject.graph, node, frozenset())


def _weight_sections(looked: Looked, title: str) -> Iterator[Section]:
    """Yields of a weight what it is compared with, or why with nothing."""
    if looked.other:
        yield Section(title, (Line("", soft(looked.other)),))
    if looked.row is not None:
        yield Section("Measured", tuple(_measured_lines(looked.row, "weights")))


def _lack_lines(lack: str, could_simulate: bool) -> Iterator[Line]:
    """Yields why there are no values, and the way to some."""
    yield Line("", soft(lack))
    if lack in (NO_RUNS, NOT_THERE):
        yield Line("", link(f"{COMPARE}:", "Compare two runs…"))
    if lack == NO_RUNS and could_simulate:
        yield Line("", link(f"{SIMULATE}:", "Simulate…"))


def _verdict_lines(findings: Findings, node: int) -> Iterator[Line]:
    blame = findings.blame
    assert blame is not None
    verdict = blame.verdict(node)
    said = blame.word(node) if blame.method(node) != "estimated" else f"{verdict.word} (estimated)"
    yield Line("Verdict", plain(said))
    if blamed := blame.blamed_text(node):
        yield Line("Share", plain(blamed))
    if verdict is not Verdict.NOT_MEASURED and blame.leads_on:
        share = float(blame.shares[node])
        for label, part in (("Introduced", share), ("Inherited", 1 - share)):
            text = share_text(part, 1)
            yield Line(label, hinted(text if text else "not known", share_tip(part)))
    if node in blame.notes:
        yield Line("", plain(blame.notes[node]))


def _behind_lines(findings: Findings | None, tensor: int) -> Iterator[Line]:
    """Yields where the numbers below are from, where it was not measured itself."""
    other = None if findings is None else findings.placed.behind.get(tensor)
    if findings is not None and other is not None:
        node = int(findings.graph.producers[other])
        yield Line(f"Behind its {findings.graph.op_types[node]}", plain(findings.graph.title(node)))


def _measured_lines(row: Row, measure: str) -> Iterator[Line]:
    for scale in MEASURES:
        if scale.key in row.values:
            tip = f"{measure} · {scale.label} · {scale.formula}"
            yield Line(scale.label, hinted(scale.text(row.values[scale.key]), tip))
    states = [state.words for state in State if state in states_of(row)]
    said = [*states, *row.states]
    if said:
        yield Line("State", plain(", ".join(said)))
    if row.note:
        yield Line("Not measured", plain(row.note))
    for done in row.done:
        yield Line("Before that", plain(done))
    rule = next((each for each in RULES if each.key == row.rule), None)
    if rule is not None:
        yield Line("Brought together", plain(rule.label))
    if row.unique is not None:
        yield Line("Different values", plain(str(row.unique)))


def _error_lines(looked: Looked) -> Iterator[Line]:
    errors = looked.overview.errors
    if errors is None:
        return
    for percent, value in errors.percentiles:
        tip = f"{percent:g} % of all |candidate − reference| are below"
        yield Line(f"p{percent:g}", hinted(number_text(value), tip))
    yield Line("Largest", plain(number_text(errors.largest)))
    yield Line("Bias", hinted(number_text(errors.bias), "The mean of candidate − reference"))
    if errors.broken:
        yield Line("No number", plain(f"{errors.broken:,}"))


def _side_lines(side: Summary) -> Iterator[Line]:
    for label, value in (("Lowest", side.low), ("Highest", side.high), ("Mean", side.mean), ("Spread", side.deviation)):
        yield Line(label, plain(_NONE if value != value else number_text(value)))
    yield Line("Zeros", plain(f"{side.zeros:,} of {side.count:,}"))
    if side.nan or side.infinite:
        yield Line("NaN, infinite", plain(f"{side.nan:,}, {side.infinite:,}"))


def _grid_lines(looked: Looked) -> Iterator[Line]:
    seen, qparams = looked.overview, looked.tensors.qparams
    qparams = looked.near if qparams is None else qparams
    if seen.grid is not None:
        yield Line("", plain(seen.grid.text))
        yield Line("Range", plain(f"{number_text(seen.grid.low)} … {number_text(seen.grid.high)}"))
    elif seen.grids is not None:
        yield Line("", plain(seen.grids.text))
        for label, channel in (("Finest", seen.grids.finest), ("Coarsest", seen.grids.coarsest)):
            grid = seen.grids.grid(channel)
            ends = f"{number_text(grid.low)} … {number_text(grid.high)}"
            yield Line(label, hinted(f"{grid.scale:.4g}, {ends}", f"Scale and range of channel {channel}"))
    elif qparams is not None and len(qparams.scales) > 1:
        low, high = min(qparams.scales), max(qparams.scales)
        yield Line("Scales", plain(f"{len(qparams.scales):,} on axis {qparams.axis}, {low:.4g} … {high:.4g}"))
    if seen.clipping is not None:
        share = seen.clipping.below + seen.clipping.above
        yield Line(
            "Clipped",
            hinted(f"{share:.2%}", "Values of the reference beyond the grid's range, or that of their channel"),
        )


def _tensor_lines(graph: Graph, tensor: int, row: Row | None) -> Iterator[Line]:
    known = graph.tensor(tensor)
    yield Line("Name", plain(known.name))
    yield Line("Shape", plain(shape_text(known.shape)) if known.shape is not None else soft("not known"))
    if known.layout:
        yield Line("Layout", plain(known.layout))
    if known.original_layout:
        yield Line("Original layout", plain(known.original_layout))
    sides = () if row is None else (("Reference", row.reference), ("Candidate", row.candidate))
    for label, info in sides:
        if info is not None:
            yield Line(label, plain(_stored_text(info)))
    candidate = None if row is None else row.candidate
    if known.dtype and candidate is not None and candidate.dtype != known.dtype:
        yield Line("In the model", hinted(known.dtype, f"The run has {candidate.dtype}"))


def _stored_text(info: TensorInfo) -> str:
    layout = f" {info.layout}" if info.layout else ""
    return f"{info.dtype} {shape_text(info.shape)}{layout}"
