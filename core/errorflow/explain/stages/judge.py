"""Joins three comparisons by tensor, and says for each and for all which step is at fault."""

import math
from collections.abc import Collection, Iterator, Sequence

from errorflow.base.values import dataclass
from errorflow.compare.limits import Limit
from errorflow.compare.metrics import METRICS
from errorflow.compare.model import Comparison, Row
from errorflow.compare.summary import DECIDING
from errorflow.explain.stages.model import Fault, Stages, StageTensor
from errorflow.graph.build import counted

_COSINE = next(metric for metric in METRICS if metric.key == "cosine")
# The reference's name and what it is measured against, by the stage.
_BETWEEN = {"quantization": "float and simulator", "deployment": "simulator and board"}
# An error that is so much smaller than the other neither adds to it nor cancels it.
_BESIDE = 0.1


@dataclass(frozen=True, slots=True)
class _Runs:
    """Rows by the names of tensors in the float model, the simulator and the board's run."""

    quantization: dict[str, Row]
    deployment: dict[str, Row]
    total: dict[str, Row]

    @classmethod
    def of(cls, quantization: Comparison, deployment: Comparison, total: Comparison) -> "_Runs":
        return cls(_by_reference(quantization), _by_reference(deployment), _by_reference(total))


def judge(
    quantization: Comparison,
    deployment: Comparison,
    total: Comparison,
    *,
    outputs: Collection[str] = (),
    limits: Sequence[Limit] = DECIDING,
) -> Stages:
    """`quantization` has the simulator's run against the float model's, `deployment` the board's against the
    simulator's, `total` the board's against the float model's. `outputs` are tensors of the float model.
    """
    runs = _Runs.of(quantization, deployment, total)
    names = dict.fromkeys((*runs.total, *runs.quantization))
    tensors = tuple(_joined(name, runs, limits) for name in names)
    tensors += tuple(_without_float(runs, {each.simulator for each in tensors}, limits))
    known = [each for each in tensors if each.fault]
    deciding = [each for each in known if each.tensor in outputs]
    firsts = [_first(known, stage, limits) for stage in ("quantization", "deployment")]
    fault = _together(deciding if deciding else known)
    return Stages(
        tensors,
        fault,
        _sentence(fault, firsts, deciding, known),
        firsts[0],
        firsts[1],
        tuple(deciding if deciding else known),
    )


def _by_reference(comparison: Comparison) -> dict[str, Row]:
    """Maps references to rows: of several rows about one tensor the first that was measured."""
    found: dict[str, Row] = {}
    for row in comparison.rows:
        if row.reference is None:
            continue
        name = row.reference.name
        if name not in found or (row.values and not found[name].values):
            found[name] = row
    return found


def _joined(name: str, runs: _Runs, limits: Sequence[Limit]) -> StageTensor:
    first, total = runs.quantization.get(name), runs.total.get(name)
    simulator = first.candidate.name if first is not None and first.candidate is not None else ""
    return _tensor(name, simulator, first, runs.deployment.get(simulator if simulator else name), total, limits)


def _without_float(runs: _Runs, joined: Collection[str], limits: Sequence[Limit]) -> Iterator[StageTensor]:
    """Yields what only the simulator and the board have."""
    for name, row in runs.deployment.items():
        if row.values and name not in joined and name not in runs.quantization and name not in runs.total:
            yield _tensor(name, name, None, row, None, limits)


def _tensor(
    name: str, simulator: str, first: Row | None, second: Row | None, total: Row | None, limits: Sequence[Limit]
) -> StageTensor:
    board = next((row.candidate.name for row in (total, second) if row is not None and row.candidate is not None), "")
    fault, note = _fault(*(_is_beyond(row, limits) for row in (first, second, total)))
    if not fault:
        reasons = [row.note for row in (first, second, total) if row is not None and row.note]
        note = reasons[0] if reasons else "not in all of the three runs"
    rows = _measured(first), _measured(second), _measured(total)
    return StageTensor(name, simulator, board, *rows, fault=fault, angle=_angle(*rows), note=note)


def _measured(row: Row | None) -> Row | None:
    return row if row is not None and row.values else None


def _is_beyond(row: Row | None, limits: Sequence[Limit]) -> bool | None:
    """Whether a row is beyond the limits; None: it was not measured."""
    return any(limit.broken_by(row) for limit in limits) if row is not None and row.values else None


def _fault(first: bool | None, second: bool | None, total: bool | None) -> tuple[Fault, str]:
    """Finds the steps that exceed the limits; None: not measured."""
    if first is not None and second is not None:
        return _of_both(first, second, total)
    if total is None or (first is None and second is None):
        return "", ""
    known, other = (first, "deployment") if second is None else (second, "quantization")
    here: Fault = "quantization" if second is None else "deployment"
    missing = "the other step was not measured here"
    if known:
        return here, missing
    if total:
        return ("deployment" if other == "deployment" else "quantization"), f"{missing}, and this one is within limits"
    return "none", missing


def _of_both(first: bool, second: bool, total: bool | None) -> tuple[Fault, str]:
    if first and second:
        return "both", "the two errors cancel: the board is within the limits" if total is False else ""
    if first or second:
        fault: Fault = "quantization" if first else "deployment"
        return fault, "the other step makes it good again" if total is False else ""
    return ("both", "each step is within the limits, and together they are not") if total else ("none", "")


def _angle(first: Row | None, second: Row | None, total: Row | None) -> float:
    """The cosine between the two errors, from e² = q² + d² + 2·q·d·cos; NaN where that cannot be told, or where
    one of them is next to nothing beside the other.

    Relative errors have different units: those of the float's tensor and of the simulator's. How long one is in the
    other follows from cosine and relative error.
    """
    if first is None or second is None or total is None:
        return math.nan
    q, d, e = (row.value("relative_l2") for row in (first, second, total))
    length = _length(first, second, total)
    if not all(map(math.isfinite, (q, d, e, length))):
        return math.nan
    d *= length
    if min(q, d) <= _BESIDE * max(q, d):
        return math.nan
    return max(-1.0, min(1.0, (e * e - q * q - d * d) / (2 * q * d)))


def _length(first: Row, second: Row, total: Row) -> float:
    """The simulator's norm in units of the float's: of those that fit, the one that explains the board's."""
    steps = [(x, y) for x in _norms(second) for y in _norms(total)]
    return min(
        _norms(first), key=lambda norm: min((abs(norm * x - y) for x, y in steps), default=0.0), default=math.nan
    )


def _norms(row: Row) -> list[float]:
    """The candidate's norms, in units of the reference's, that go with cosine and relative error."""
    cosine, error = row.value("cosine"), row.value("relative_l2")
    inner = cosine * cosine - 1 + error * error
    if not math.isfinite(inner):
        return []
    root = math.sqrt(max(0.0, inner))
    return [norm for norm in (cosine + root, cosine - root) if norm >= 0]


def _together(tensors: Sequence[StageTensor]) -> Fault:
    """The steps at fault for any of the tensors."""
    faults = {each.fault for each in tensors}
    if not faults:
        return ""
    if "both" in faults or {"quantization", "deployment"} <= faults:
        return "both"
    return "quantization" if "quantization" in faults else "deployment" if "deployment" in faults else "none"


def _first(tensors: Sequence[StageTensor], stage: str, limits: Sequence[Limit]) -> StageTensor | None:
    for each in tensors:
        row = each.quantization if stage == "quantization" else each.deployment
        if row is not None and _is_beyond(row, limits):
            return each
    return None


def _sentence(
    fault: Fault, firsts: Sequence[StageTensor | None], deciding: Sequence[StageTensor], known: Sequence[StageTensor]
) -> str:
    what = (
        f"at the output {deciding[0].tensor}"
        if len(deciding) == 1
        else f"at the {len(deciding):,} outputs"
        if deciding
        else f"over {counted(len(known), 'tensor', 'tensors')}"
    )
    starts = dict(zip(("quantization", "deployment"), map(_start, ("quantization", "deployment"), firsts), strict=True))
    if not fault:
        return "Nothing can be said of the steps: no tensor is in all of the three runs."
    if fault == "none":
        inside = [f"{name} differ from {start} on" for name, start in _inner(starts)]
        more = f"; inside, {' and '.join(inside)}" if inside else ""
        return f"Neither step is at fault {what}{more}."
    if fault == "both":
        return f"Both steps are at fault {what}: {_joined_starts(starts)}."
    other = "deployment" if fault == "quantization" else "quantization"
    good = f"{_BETWEEN[other]} agree" if not starts[other] else f"{_BETWEEN[other]} differ inside only"
    begins = f" from {starts[fault]} on" if starts[fault] else ""
    return f"The {fault} is at fault {what}: {_BETWEEN[fault]} differ{begins}, {good}."


def _inner(starts: dict[str, str]) -> Iterator[tuple[str, str]]:
    return ((_BETWEEN[stage], start) for stage, start in starts.items() if start)


def _joined_starts(starts: dict[str, str]) -> str:
    found = [f"{name} differ from {start} on" for name, start in _inner(starts)]
    return ", ".join(found) if found else "each is within its limits, and together they are not"


def _start(stage: str, first: StageTensor | None) -> str:
    if first is None:
        return ""
    row = first.quantization if stage == "quantization" else first.deployment
    assert row is not None
    return f"{first.tensor} (cosine {_COSINE.text(row.value('cosine'))})"
