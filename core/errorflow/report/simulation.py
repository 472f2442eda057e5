"""Simulation as files: tables of nodes and tensors, a summary for programs, and lines for people."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from errorflow import __version__
from errorflow.base.codec import spelled
from errorflow.compare.metrics import METRICS
from errorflow.compare.model import Row
from errorflow.explain.blame.limits import NOTICEABLE
from errorflow.explain.blame.model import Blame, ModelVerdict
from errorflow.graph.build import counted
from errorflow.quant.origins import origin
from errorflow.quant.plan import FLOAT
from errorflow.quant.precision import Precision
from errorflow.report.blame import blame_lines, contributors, remedy_data
from errorflow.report.deployed import deployed_json
from errorflow.report.remedies import remedies_json
from errorflow.report.tables import csv_text, exact_number
from errorflow.run.engine.table import spread
from errorflow.study.simulate.applied import Applied
from errorflow.study.simulate.deployed import Deployed
from errorflow.study.simulate.noise import Noise, NoiseSource
from errorflow.study.simulate.outcome import Outcome

VERSION = 1
# Contributors that are named.
MOST = 20
# Below, a contributor is none.
_NOTICEABLE = 0.001
_SQNR = next(metric for metric in METRICS if metric.key == "sqnr")
_SHOWN = tuple(metric for metric in METRICS if metric.key in ("cosine", "relative_l2", "sqnr"))
_VERDICTS = {"good": "good", "node error": "node error", "accumulated error": "accumulated error"}


def simulated_nodes_csv(outcome: Outcome) -> str:
    """A line per node: verdict, the parts of its error, what was wished of it and what it got."""
    head = [
        *("node", "type", "verdict", "accumulated", "share", "node_error", "introduced", "inherited"),
        *("introduced_share", "inherited_share", "min_channel_sqnr_db", "noise_share"),
        *("requested", "requested_weights", "effective", "effective_weights", "note"),
    ]
    return csv_text(head, (_node_line(outcome, node) for node in range(len(outcome.findings.graph))))


def _node_line(outcome: Outcome, node: int) -> list[str]:
    graph, blame = outcome.findings.graph, outcome.findings.blame
    assert blame is not None
    share = float(blame.shares[node])
    wishes = outcome.assigned.wishes[node]
    return [
        graph.title(node),
        graph.op_types[node],
        blame.word(node),
        _number(blame.accumulated[node]),
        exact_number(float(blame.blame_shares[node])),
        _number(outcome.node_errors[node]),
        *(_number(column[node]) for column in (blame.introduced, blame.inherited)),
        _number(share),
        _number(1 - share),
        _number(min(_channel_minima(outcome, node), default=math.nan)),
        _number(_noise_share(outcome, node)),
        *(_wish(wish) for wish in wishes),
        *_effective(outcome, node),
        blame.notes.get(node, ""),
    ]


def simulated_tensors_csv(outcome: Outcome) -> str:
    """A line per tensor: its precision, its errors over all samples together, and how they spread."""
    shares = outcome.findings.row_shares
    head = [
        *("tensor", "node", "type", "shape", "precision", *(metric.key for metric in METRICS)),
        *(("share",) if shares else ()),
        *("min_channel_sqnr_db", "median_channel_sqnr_db", "median_sample_sqnr_db", "worst_sample_sqnr_db"),
        *("worst_sample", "note"),
    ]
    over = spread(outcome.table.column(_SQNR), _SQNR.higher_is_better)
    samples = outcome.table.samples
    return csv_text(
        head,
        (
            [
                *(row.tensor, row.node, row.op_type, "×".join(map(str, row.shape)), _precision(outcome, row.tensor)),
                *(_of_row(row, metric.key) for metric in METRICS),
                *([exact_number(shares.get(place, math.nan))] if shares else []),
                *(_of_row(row, key) for key in ("min_channel_sqnr", "median_channel_sqnr")),
                *(_number(column[place]) for column in (over.median, over.worst)),
                "" if over.worst_sample[place] < 0 else str(samples[int(over.worst_sample[place])]),
                outcome.table.notes.get(row.tensor, row.note),
            ]
            for place, row in enumerate(outcome.comparison.rows)
        ),
    )


def simulated_json(
    outcome: Outcome, facts: dict[str, str], deployed: Sequence[Deployed] = (), steps: Applied | None = None
) -> str:
    """Writes JSON. `facts`: what ran it and on what, so that the same numbers can be had again. `deployed`: the plan,
    and the plan with what the verdict names in float.
    """
    blame = outcome.findings.blame
    assert blame is not None
    place = _judged_output(outcome)
    rows: dict[str, Any] = {
        "errorflow": __version__,
        "version": VERSION,
        "verdict": _VERDICTS.get(blame.model.kind, blame.model.kind),
        "text": blame.model.text,
        # Whose error the contributors' shares are parts of.
        "output": blame.blamed_at or None,
        "in_part": blame.in_part,
        "contributors": _contributors(outcome, place),
        "effective_contributors": spelled(blame.model.contributors),
        # The smallest set that was seen to bring that output back.
        "remedy": None if blame.model.remedy is None else remedy_data(blame.graph, blame.model.remedy),
        "predicted_sqnr_db": _predicted(outcome, place),
        "measured_sqnr_db": spelled(_measured(outcome, place)),
        "outputs": [_output(outcome, row) for row in _outputs(outcome)],
        # Relative errors with one side alone quantized, of outputs that are bad.
        "sides": {
            name: {"weights": spelled(each.weights), "activations": spelled(each.activations)}
            for name, each in outcome.sides.items()
        },
        "worst_sample": outcome.worst_sample,
        "samples": len(outcome.table.samples),
        "broken": [
            {"sample": each.sample, "tensor": each.tensor, "side": each.side, "what": each.what}
            for each in outcome.table.broken()
        ],
        "left in float": dict(outcome.table.notes),
        "advice": [{"key": advice.key, "text": advice.text, "why": advice.why} for advice in blame.model.advice],
        "facts": facts,
    }
    rows |= {key: deployed_json(each) for key, each in zip(("deployed", "remedy_deployed"), deployed, strict=False)}
    if steps is not None:
        rows["remedies"] = remedies_json(steps)
    return json.dumps(rows, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def simulated_lines(outcome: Outcome) -> Iterator[str]:
    """The outputs, the verdict, who makes the noise, and what to do."""
    for row in _outputs(outcome):
        said = outcome.answers.get(row.tensor)
        values = [f"{each.label} {each.text(row.value(each.key))}" for each in _SHOWN]
        yield f"{row.tensor}: " + ", ".join([*values, *(() if said is None else (said.text,))])
    for each in outcome.table.broken()[:1]:
        begins = origin(outcome.findings.graph, each.tensor)
        where = f"in the {each.side}, on sample {each.sample}{begins}"
        yield f"{each.tensor} is the first tensor that is {each.what}, {where}."
    yield from _left_lines(outcome.table.notes)
    blame = outcome.findings.blame
    if blame is not None:
        yield from blame_lines(blame)
    if outcome.noise is not None and outcome.noise.outputs:
        yield from _noise_lines(outcome, outcome.noise)


def _left_lines(notes: Mapping[str, str]) -> Iterator[str]:
    """Yields what was to be coded and is not, by reason."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in notes.items():
        by_reason.setdefault(reason, []).append(name)
    for reason, names in by_reason.items():
        more = f" and {counted(len(names) - 1, 'other', 'others')}" if len(names) > 1 else ""
        yield f"Left in float: {names[0]}{more} ({reason})."


def _noise_lines(outcome: Outcome, noise: Noise) -> Iterator[str]:
    place = _judged_output(outcome)
    predicted, measured = noise.predicted_sqnr(place), _measured(outcome, place)
    if math.isnan(measured) or not noise.sources:  # there is nothing that it could add up to
        return
    yield (
        f"Each group alone makes noise that adds up to an SQNR of {_SQNR.text(predicted)} at {noise.outputs[place]}; "
        f"measured is {_SQNR.text(measured)}{_apart(predicted, measured)}."
    )


# In decibels: what samples alone may differ by.
_NEAR = 2.0


def _apart(predicted: float, measured: float) -> str:
    if not (math.isfinite(predicted) and math.isfinite(measured)) or abs(predicted - measured) <= _NEAR:
        return ""
    return ", since outputs saturate" if measured > predicted else ", since nodes make each other worse"


def _judged_output(outcome: Outcome) -> int:
    """Chooses the output of the verdict, else the bad one with the least SQNR, else the good one with the least, by
    its place among those of the noise.
    """
    blame = outcome.findings.blame
    if blame is not None and outcome.noise is not None and blame.blamed_at in outcome.noise.outputs:
        return outcome.noise.outputs.index(blame.blamed_at)
    rows = {row.tensor: row for row in outcome.comparison.rows}
    names = [] if outcome.noise is None else list(outcome.noise.outputs)
    found = np.nan_to_num([rows[name].value("sqnr") for name in names], nan=-np.inf)
    good = [_is_good(outcome, name) for name in names]
    return min(range(len(names)), key=lambda place: (good[place], found[place])) if names else 0


def _is_good(outcome: Outcome, output: str) -> bool:
    verdict = _verdict_on(outcome, output)
    return verdict is None or verdict.kind == "good"


def _verdict_on(outcome: Outcome, output: str) -> ModelVerdict | None:
    blame, number = outcome.findings.blame, outcome.findings.graph.tensor_index(output)
    return None if blame is None else next((each for tensor, each in blame.model.outputs if tensor == number), None)


def _predicted(outcome: Outcome, place: int) -> float | str | None:
    """Finds the prediction; None: single groups were not run, or no output could be measured."""
    noise = outcome.noise
    return spelled(noise.predicted_sqnr(place)) if noise is not None and noise.outputs else None


def _measured(outcome: Outcome, place: int) -> float:
    """Measures on the same samples as the noise of single groups."""
    noise = outcome.noise
    if noise is None or not noise.outputs:
        found = [row.value("sqnr") for row in _outputs(outcome)]
        # What is no number is worse than all that is one.
        return min(found, key=lambda value: -math.inf if math.isnan(value) else value, default=math.nan)
    return _SQNR.of(noise.measured(place, outcome.table))


def _contributors(outcome: Outcome, place: int) -> list[dict[str, Any]]:
    """Lists contributors as the verdict has them; where no output is bad, by the noise that each group makes alone."""
    blame, noise = outcome.findings.blame, outcome.noise
    if blame is not None and blame.blamed is not None:
        return _blamed(outcome, blame, place)
    if noise is None or not noise.outputs:
        return []
    shares = noise.shares(place)
    order = [at for at in np.argsort(-shares, kind="stable")[:MOST].tolist() if shares[at] >= _NOTICEABLE]
    return [_contributor(outcome, noise.sources[at].node, (noise.sources[at],), float(shares[at])) for at in order]


def _blamed(outcome: Outcome, blame: Blame, place: int) -> list[dict[str, Any]]:
    """Nodes by their share of the blame, and inputs of the model by theirs."""
    names, noise = blame.graph.tensor_names, outcome.noise
    sources: dict[int, list[NoiseSource]] = {}
    if noise is not None and noise.outputs:
        for at in np.argsort(-noise.shares(place), kind="stable").tolist():
            sources.setdefault(noise.sources[at].node, []).append(noise.sources[at])
    found = [
        {
            **_contributor(outcome, each.node, sources.get(each.node, ()), each.share),
            "range": blame.model.ranges.get(each.node),
        }
        for each in contributors(blame)
    ]
    fed = [(names[leaf], share) for leaf, share in blame.model.inputs if share >= NOTICEABLE]
    found += [{"node": "", "group": name, "share": share, "tensors": [name]} for name, share in fed]
    return sorted(found, key=lambda each: -each["share"])[:MOST]


def _contributor(outcome: Outcome, node: int, sources: Sequence[NoiseSource], share: float) -> dict[str, Any]:
    """Describes a contributor; of a node without codes, what it makes."""
    graph = outcome.findings.graph
    made = [graph.tensor_names[tensor] for tensor in graph.node_outputs[node].tolist() if tensor >= 0]
    return {
        "node": graph.title(node),
        "group": sources[0].name if sources else graph.op_types[node],
        "share": share,
        "tensors": [tensor for source in sources for tensor in source.tensors] if sources else made,
    }


def _outputs(outcome: Outcome) -> Sequence[Row]:
    graph = outcome.findings.graph
    names = {graph.tensor_names[tensor] for tensor in graph.outputs.tolist()}
    return [row for row in outcome.comparison.rows if row.tensor in names]


def _output(outcome: Outcome, row: Row) -> dict[str, Any]:
    channels = row.channels
    over = outcome.table.column(_SQNR)[:, outcome.table.places[row.tensor]]
    said = outcome.answers.get(row.tensor)
    return {
        "tensor": row.tensor,
        "answers": None if said is None else {"same": said.same, "of": said.count},
        "values": {key: spelled(value) for key, value in row.values.items()},
        "sqnr_db_by_sample": [spelled(float(value)) for value in over],
        "worst_channels": []
        if channels is None
        else [{"channel": number, "sqnr_db": spelled(value)} for number, value in channels.worst],
    }


def _channel_minima(outcome: Outcome, node: int) -> Iterator[float]:
    graph = outcome.findings.graph
    for tensor in graph.node_outputs[node].tolist():
        name = graph.tensor_names[tensor] if tensor >= 0 else ""
        if name in outcome.table.places:
            value = outcome.comparison.rows[outcome.table.places[name]].value("min_channel_sqnr")
            if not math.isnan(value):
                yield value


def _noise_share(outcome: Outcome, node: int) -> float:
    noise = outcome.noise
    if noise is None or not noise.outputs:
        return math.nan
    shares = noise.shares(_judged_output(outcome))
    return float(sum(shares[at] for at, source in enumerate(noise.sources) if source.node == node))


def _precision(outcome: Outcome, tensor: str) -> str:
    number = outcome.findings.graph.tensor_index(tensor)
    how = None if number is None or tensor in outcome.table.notes else outcome.assigned.activations.get(number)
    return FLOAT if how is None else how.text


def _effective(outcome: Outcome, node: int) -> tuple[str, str]:
    """Finds the types of what the node reads and makes, each said once; and of its constants."""
    graph, assigned = outcome.findings.graph, outcome.assigned
    read = [tensor for tensor in graph.node_inputs[node].tolist() if tensor >= 0]
    made = [tensor for tensor in graph.node_outputs[node].tolist() if tensor >= 0]
    constants = set(graph.constants.tolist())
    flowing = [graph.tensor_names[tensor] for tensor in (*read, *made) if tensor not in constants]
    texts = dict.fromkeys(_precision(outcome, name) for name in flowing if name in outcome.table.places)
    weights = (assigned.constants.get(tensor) for tensor in read if tensor in constants)
    return " / ".join(texts), " / ".join(dict.fromkeys(how.precision.text for how in weights if how is not None))


def _wish(wish: object) -> str:
    return wish.text if isinstance(wish, Precision) else FLOAT


def _of_row(row: Row, key: str) -> str:
    """Empty where it was not measured; what was and is no number says so."""
    return f"{row.values[key]:.6g}" if key in row.values else ""


def _number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.6g}"
