"""Numbers for the checks, from finished work."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from errorflow.compare.metrics.definitions.errorflow import VENDOR as OWN
from errorflow.compare.model import Comparison
from errorflow.compare.summary import THRESHOLDS, summarize
from errorflow.guides.checks import COSINE, RELATIVE
from errorflow.guides.model import SeenResult

if TYPE_CHECKING:
    from errorflow.compare.results.table import Column, ResultTable
    from errorflow.explain.blame.model import Blame
    from errorflow.explain.findings.model import Findings
    from errorflow.explain.outliers.model import OutlierTable
    from errorflow.study.rank.curves import Curves
    from errorflow.study.rank.model import Ranking
    from errorflow.study.search.model import Search
    from errorflow.study.simulate.trial import Accuracy

NAMED = 3
# Of Pulsar2's table: layers below this are not good, and these types have 16 bits.
_GOOD_LAYER, _WIDE = 0.999, ("U16", "S16")
_SENSITIVE = 0.99
_UNKNOWN = "Not judged: which tensor is the output is not known; give --model."
# The curves of one half of the quantization, by their labels.
_ALONE = {"weights only": "weights", "activations only": "activations"}
# The first column of the table of outliers that the guide speaks of.
_LEVEL, _AT_LEVEL = "pulsar2.outliers.level.3", 3.0


def together(seen: Iterable[SeenResult]) -> SeenResult:
    """Joins all of it; what comes later counts."""
    numbers: dict[str, float] = {}
    texts: dict[str, str] = {}
    for each in seen:
        numbers |= each.numbers
        texts |= each.texts
    return SeenResult(numbers, texts)


def of_findings(findings: "Findings") -> SeenResult:
    """Finds the numbers of two runs that were compared on a graph."""
    blame = findings.blame
    return together(
        (of_ends(findings), of_comparison(findings.comparison), SeenResult() if blame is None else of_blame(blame))
    )


def of_comparison(comparison: Comparison) -> SeenResult:
    """Finds what the vendor's thresholds point at, without a graph."""
    summary = summarize(comparison)
    if not summary.measured:
        return SeenResult()
    rules = {threshold.label for threshold in THRESHOLDS}
    most = max((each for each in summary.suspects if each.rule in rules), key=lambda each: each.count, default=None)
    beyond = (len(summary.beyond), summary.beyond[0].tensor) if summary.beyond else (0, "")
    count, first = beyond if most is None else (most.count, most.tensor)
    numbers = {"suspects": float(count), "measured": float(summary.measured)}
    return SeenResult(numbers, {"suspects": first, "unruled": ", ".join(summary.unruled)})


def of_ends(findings: "Findings") -> SeenResult:
    """Finds the worst of the model's outputs, or where those were not measured of what came last."""
    evidence = None if findings.blame is None else findings.blame.evidence
    tensors = findings.graph.outputs.tolist() if evidence is None else [tensor for tensor, _ in evidence.ends]
    numbers, texts = {}, {}
    for name, key, worst in (("output_cosine", "cosine", min), ("output_relative", "relative_l2", max)):
        scale = next((scale for scale in findings.scales if scale.key == key), None)
        if scale is None:
            continue
        values = findings.measured(scale).values
        found = [(float(values[tensor]), tensor) for tensor in tensors if not math.isnan(values[tensor])]
        if found:
            value, tensor = worst(found)
            numbers[name], texts[name] = value, findings.graph.tensor_names[tensor]
    known = [row for row in findings.comparison.rows if "cosine" in row.values]
    lines = [(row.tensor, row.op_type, row.values["cosine"], row.value("relative_l2")) for row in known]
    return SeenResult(numbers, texts) if tensors else _of_last(lines)


def _of_last(rows: Sequence[tuple[str, str, float, float]]) -> SeenResult:
    """Judges without known outputs: of operators in their order the last, else all have to be good."""
    if last := next((row for row in reversed(rows) if row[1]), None):
        return SeenResult({"output_cosine": last[2]}, {"output_cosine": f"{last[0]}, the last tensor"})
    if len(rows) > 1 and any(not row[2] >= COSINE or row[3] > RELATIVE for row in rows):
        return SeenResult({"output_cosine": math.nan}, {"output_cosine": _UNKNOWN})
    name, _, cosine, relative = min(rows, key=lambda row: row[2], default=("", "", math.nan, math.nan))
    where = f"{name}, the worst of all tensors"
    return (
        SeenResult({"output_cosine": cosine, "output_relative": relative}, {"output_cosine": where})
        if rows
        else SeenResult()
    )


def of_blame(blame: "Blame") -> SeenResult:
    """Names whose error it is, and the nodes that bring most."""
    verdict = blame.model
    nodes = [blame.graph.node_names[each.node] for each in verdict.top[:NAMED]]
    texts = {"kind": verdict.kind, "verdict": verdict.text, "nodes": ", ".join(filter(None, nodes))}
    return SeenResult({}, {**texts, "part": "bad" if blame.in_part else ""})


# Tables of other tools


def of_tables(tables: Sequence["ResultTable"]) -> SeenResult:
    """Finds the numbers of all tables of a file."""
    return together(map(_of_table, tables))


def _of_table(table: "ResultTable") -> SeenResult:
    found = [_of_column(table, column) for column in table.columns if column.definition.equals == "cosine"]
    level = next((column for column in table.columns if column.key == _LEVEL), None)
    if level is not None:
        worst = table.worst(level, 1)
        if worst:
            found.append(SeenResult({"outliers": worst[0].values[level.key]}, {"outliers": worst[0].name}))
    return together(found)


def _of_column(table: "ResultTable", column: "Column") -> SeenResult:
    rows = [row for row in table.rows if not math.isnan(row.values.get(column.key, math.nan))]
    if not rows:
        return SeenResult()
    values = [row.values[column.key] for row in rows]
    worst = min(range(len(rows)), key=values.__getitem__)
    measure = column.definition.measure
    if measure == "node":
        below = [row for row, value in zip(rows, values, strict=True) if value < _GOOD_LAYER]
        wide = [row for row in below if row.extra.get("QDType", "").upper() in _WIDE]
        numbers = {"per_layer": values[worst], "layers_below": float(len(below))}
        return SeenResult(
            {**numbers, "wide": float(bool(below) and len(wide) == len(below))}, {"per_layer": rows[worst].name}
        )
    if measure == "impact":
        below = [row for row, value in zip(rows, values, strict=True) if value < _SENSITIVE]
        return SeenResult(
            {"sensitive": values[worst], "sensitive_count": float(len(below))}, {"sensitive": rows[worst].name}
        )
    if measure == "accumulated":
        if table.vendor == OWN:
            key, near = column.key, f"{column.key.rpartition('.')[0]}.relative_l2"
            own = _of_last([(row.name, row.op_type, row.values[key], row.values.get(near, math.nan)) for row in rows])
            number, where = own.numbers["output_cosine"], own.texts["output_cosine"]
            return SeenResult({**own.numbers, "end_to_end": number}, {**own.texts, "end_to_end": where})
        last, where = values[-1], rows[-1].name
        return SeenResult({"end_to_end": last, "output_cosine": last}, {"end_to_end": where, "output_cosine": where})
    return SeenResult()


# Accuracy


def of_accuracy(found: "Accuracy") -> SeenResult:
    """Finds the accuracy of the first output, as a session keeps it."""
    key = next(iter(found.right), "")
    if not key or not found.samples or key not in found.original_right:
        return SeenResult()
    before, after = (right[key] / found.samples for right in (found.original_right, found.right))
    return SeenResult({"float_accuracy": before, "accuracy": after})


# Rankings and curves


def of_ranking(ranking: "Ranking") -> SeenResult:
    """The nodes that alone bring the output below the guide's threshold."""
    keys, impact = [metric.key for metric in ranking.metrics], ranking.values.get("impact")
    if "cosine" not in keys or impact is None:
        return SeenResult()
    import numpy as np

    cosines = impact[keys.index("cosine")]
    if not cosines.size or np.isnan(cosines).all():
        return SeenResult()
    with np.errstate(all="ignore"):
        worst = np.nanmin(np.where(np.isnan(cosines), np.inf, cosines).reshape(len(ranking.parts), -1), axis=1)
    at = int(worst.argmin())
    return SeenResult(
        {"sensitive": float(worst[at]), "sensitive_count": float((worst < _SENSITIVE).sum())},
        {"sensitive": ranking.parts[at].name},
    )


def of_curves(curves: "Curves") -> SeenResult:
    """Finds, along the depth, where the curves of weights and of activations alone end; along a ranking, where they
    bend.
    """
    if "cosine" not in curves.metrics:
        return SeenResult()
    return of_curve_ends(_ends_alone(curves)) if curves.kind == "cumulative" else _of_recovery(curves)


def _ends_alone(curves: "Curves") -> dict[str, float]:
    import numpy as np

    at, ends = curves.metrics.index("cosine"), dict[str, float]()
    for curve in curves.curves:
        kind = _ALONE.get(curve.label, "")
        last = curve.values[at, -1] if kind and curve.values.shape[1] else np.zeros(0)
        if kind and kind not in ends and last.size and not np.isnan(last).all():
            ends[kind] = float(np.nanmin(last))
    return ends


def _of_recovery(curves: "Curves") -> SeenResult:
    """Finds the recovery of the output that is worst with nothing kept, once all of it is measured."""
    import numpy as np

    from errorflow.study.rank.curves_knee import knee_of

    along = [curve for curve in curves.curves if curve.measure == "recovery"]
    means = [(curve, curves.over(curve, "cosine").mean) for curve in along]
    known = [(curve, mean) for curve, mean in means if mean.size > 1 and not np.isnan(mean[0])]
    if not known or not curves.complete:
        return SeenResult()
    curve, mean = min(known, key=lambda each: float(each[1][0]))
    found, numbers = (
        knee_of(curves, curve, "cosine"),
        {"kept_none": float(mean[0]), "kept_best": float(np.nanmax(mean))},
    )
    numbers["kept_most"] = float(mean.size - 1)
    return SeenResult(numbers if found is None else {**numbers, "knee": float(found.at), "kept_knee": found.value})


def of_curve_ends(ends: Mapping[str, float]) -> SeenResult:
    """The last values of the curves of weights and of activations alone."""
    known = {f"{kind}_end": value for kind, value in ends.items() if kind in ("weights", "activations")}
    return SeenResult(known) if len(known) == 2 else SeenResult()


def of_alignment(alike: bool | None, text: str) -> SeenResult:
    """Whether two pipelines agree."""
    return SeenResult() if alike is None else SeenResult({"alike": float(alike)}, {"alike": text})


# Searches


def of_search(search: "Search") -> SeenResult:
    """Whether parts were found that are enough, once that is known, and which."""
    best = search.best
    if best is None or not (search.met or search.complete):
        return SeenResult()
    # With nothing left that is quantized it is good, and of no use.
    met = search.met and not best.is_original
    names = [part.name for part, _ in search.chosen(best)]
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    numbers = {"search_met": float(met), "search_parts": float(len(names))}
    return SeenResult(numbers, {"search": f"{', '.join(names[:NAMED])}{more}"})


# Outliers


def of_outliers(table: "OutlierTable") -> SeenResult:
    """Finds the tensor with most channels at the level that Pulsar2's guide speaks of, as its build counts them."""
    if not table.rows:
        return SeenResult()
    worst = max(table.rows, key=lambda row: row.share(_AT_LEVEL))
    return SeenResult({"outliers": worst.share(_AT_LEVEL)}, {"outliers": worst.tensor})
