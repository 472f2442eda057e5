"""What is known of a tensor of a simulation besides its values on one sample."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.metric import Metric
from errorflow_viewer.document.state import State
from errorflow_viewer.panels.inspector.samples import sample_text
from errorflow_viewer.panels.inspector.view import Subject
from errorflow_viewer.panels.sections import Line, Section, hinted, link, soft

if TYPE_CHECKING:
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.outcome import Outcome

# The link that leads to a sample.
SAMPLE = "sample"
_BY_KEY = {metric.key: metric for metric in METRICS}
_USUAL = _BY_KEY["sqnr"]
_RELATIVE = _BY_KEY["relative_l2"]


def simulated_sections(subject: Subject, state: State) -> Iterator[Section]:
    """None of them where nothing is simulated."""
    simulated = state.simulated
    if simulated is None or simulated.outcome is None:
        return
    outcome, bench = simulated.outcome, simulated.bench
    if subject.node is not None and subject.choice.end == "output":
        yield Section("Error of the node", tuple(_node_lines(subject, outcome)))
    count = len(outcome.table.samples)
    if count > 1:
        chosen = _BY_KEY.get(state.session.painting.metric, _USUAL)
        metrics = dict.fromkeys((chosen, _USUAL))
        lines = (line for metric in metrics for line in _sample_lines(subject.choice.name, metric, outcome, bench))
        yield Section(f"On each of {count:,} samples", tuple(lines))
    elif bench.engine.samples > 1:
        yield Section("On each sample", (Line("", soft("More samples are being run.")),))


def _node_lines(subject: Subject, outcome: "Outcome") -> Iterator[Line]:
    """The same error in four ways, in units of the reference."""
    node, blame = subject.node, outcome.findings.blame
    assert node is not None
    if outcome.findings.graph.title(node) != subject.graph.title(node) or len(outcome.node_errors) <= node:
        return
    rows = [("Node, same input", float(outcome.node_errors[node]), "node", "this node alone, fed with the reference")]
    if blame is not None:
        rows = [
            ("Accumulated", float(blame.accumulated[node]), "accumulated", "in the whole run"),
            *rows,
            ("Introduced", float(blame.introduced[node]), "introduced", "what this node adds on the inputs it got"),
            ("Inherited", float(blame.inherited[node]), "inherited", "what comes with its inputs"),
        ]
    for label, value, measure, what in rows:
        text = "not known" if value != value else _RELATIVE.text(value)
        yield Line(label, hinted(text, f"{measure} · {_RELATIVE.label} · {_RELATIVE.formula}: {what}, all samples"))


def _sample_lines(name: str, metric: Metric, outcome: "Outcome", bench: "Bench") -> Iterator[Line]:
    from errorflow.study.simulate.over_samples import over_samples

    found = over_samples(outcome.table, name, metric)
    if found is None:
        return
    tip = f"accumulated · {metric.label} · {metric.formula}"
    yield Line(f"{metric.label}, median", hinted(metric.text(found.median), tip))
    yield Line("Best", hinted(metric.text(found.best), tip))
    where = link(f"{SAMPLE}:{found.worst_sample}", sample_text(bench, found.worst_sample))
    yield Line("Worst", f"{hinted(metric.text(found.worst), tip)} · {where}")
