"""Methods of calibration on the samples of a simulation: what each would do to a tensor."""

from collections.abc import Iterable

from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, replace
from errorflow.quant.assign import Assigned
from errorflow.quant.calibrate.asked import ALL, methods_of
from errorflow.quant.calibrate.seen import Method
from errorflow.quant.fitting import fitted
from errorflow.quant.plan import ACTIVATIONS, Plan
from errorflow.quant.precision import Precision
from errorflow.run.calibrating import Calibrated, CalibrationRequest, calibrate
from errorflow.run.collecting import SeenTensor
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.bench import Bench

# In decibel: methods that are nearer to each other than that are equally good.
NEAR = 0.05


@dataclass(frozen=True, slots=True)
class JudgedRange:
    """The range that a method finds, the share of values that it clips, and what codes of a precision make of it."""

    method: Method
    low: float
    high: float
    clipped: float
    # NaN: nobody asked for codes of that precision.
    sqnr: float


@dataclass(frozen=True, slots=True)
class Differing:
    """A tensor with what is used of it and what would be best; `gain` is how far these are apart, in decibel."""

    tensor: str
    precision: Precision
    used: JudgedRange | None
    best: JudgedRange
    worst: JudgedRange
    gain: float


def plain(precision: Precision) -> Precision:
    """Makes a precision with one scale, as one range is judged by."""
    return replace(precision, per_channel=False)


def precisions_under(plan: Plan, assigned: Assigned) -> tuple[Precision, ...]:
    """Lists the precisions of activations under a plan, each once, those of most of them first."""
    first = plan.activations if isinstance(plan.activations, Precision) else ACTIVATIONS
    return tuple(dict.fromkeys(map(plain, (first, *assigned.activations.values()))))


def compare_methods(bench: Bench, judges: Iterable[Precision], progress: Progress = SILENT) -> Calibrated:
    """Compares methods in one pass over the samples that calibrated; `judges` are the codes that ranges are judged
    by.
    """
    basis, model = bench.basis, bench.simulated
    seen = bench.calibration.samples
    first = seen if seen > 0 else basis.samples
    every = tuple(judges)
    wish = CalibrationRequest(methods_of([ALL]), every[0] if every else ACTIVATIONS, first, every)
    return calibrate(model.path, model.graph, basis.asked, wish, progress)


def method_used(bench: Bench, tensor: str) -> str:
    """The key of the one that its range is by."""
    return dict(bench.basis.methods).get(tensor, bench.calibration.method)


def with_method(basis: Basis, key: str, tensor: str = "") -> Basis:
    """Calibrated by another method: all tensors, or that one alone."""
    found = replace(basis, calibration=None, own=False)
    if not tensor:
        return replace(found, method=key, methods=())
    rest = tuple(pick for pick in basis.methods if pick[0] != tensor)
    return replace(found, methods=(*rest, (tensor, key)))


def set_elsewhere(bench: Bench, plan: Plan, assigned: Assigned, tensor: str) -> str:
    """Says why another method for this tensor alone would change nothing; "": it would."""
    graph, ranges = bench.engine.graph, bench.calibration.ranges
    number = graph.tensor_index(tensor)
    source = None if number is None else assigned.scale_of.get(number)
    if source is not None and source != number:
        return f"Its scale is that of {graph.tensor_names[source]}."
    if plan.fitted and fitted(graph, plan.types, ranges).get(tensor) != ranges.get(tensor):
        return "The plan gives it the range of its Relu, Clip or Softmax."
    return ""


def judged(found: Calibrated, tensor: SeenTensor, precision: Precision) -> tuple[JudgedRange, ...]:
    """Method by method; none where the tensor had no finite value."""
    at = found.judges.index(plain(precision)) if plain(precision) in found.judges else -1
    return tuple(
        JudgedRange(method, each.low, each.high, each.clipped, each.sqnr[at] if at >= 0 else float("nan"))
        for method, each in zip(found.methods, tensor.found, strict=False)
    )


def best_of(rows: Iterable[JudgedRange]) -> JudgedRange | None:
    """The first of those that are as good as the best; None: none was judged."""
    known = [row for row in rows if row.sqnr == row.sqnr]
    top = max((row.sqnr for row in known), default=0.0)
    return next((row for row in known if row.sqnr == top or row.sqnr >= top - NEAR), None)


def differing(found: Calibrated, bench: Bench, assigned: Assigned) -> tuple[Differing, ...]:
    """The tensors that are coded, those first whose method costs them most."""
    graph = bench.engine.graph
    precisions = {graph.tensor_names[tensor]: how for tensor, how in assigned.activations.items()}
    rows = []
    for tensor in found.tensors:
        how = precisions.get(tensor.name)
        every = () if how is None else judged(found, tensor, how)
        best = best_of(every)
        if how is None or best is None:
            continue
        worst = min((row for row in every if row.sqnr == row.sqnr), key=lambda row: row.sqnr)
        used = next((row for row in every if row.method.key == method_used(bench, tensor.name)), None)
        base = worst if used is None else used
        gain = 0.0 if best.sqnr == base.sqnr else best.sqnr - base.sqnr
        rows.append(Differing(tensor.name, how, used, best, worst, max(gain, 0.0)))
    return tuple(sorted(rows, key=lambda row: -row.gain))
