"""Two pipelines, step by step: where they part, and why."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base.errors import ErrorflowError, UsageError
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, field, replace
from errorflow.formats.runs import read_run
from errorflow.graph.model import Graph
from errorflow.run.both import runnable
from errorflow.run.inputs import fitting, partner
from errorflow.run.model import Inputs, wanted_of
from errorflow.run.ort import OnnxRuntime
from errorflow.study.align.explain import explain
from errorflow.study.align.model import STEPS, Alignment, AlignRow, AlignSide, AlignStep, Cause, Gap, Stage
from errorflow.study.align.opening import Pipeline, SavedArray
from errorflow.study.align.resizes import made_by

Array = NDArray[np.generic]


@dataclass(frozen=True, slots=True)
class Also:
    """Further facts about both pipelines."""

    # The original picture, as Pillow has it; None: nobody gave it.
    picture: Any = None
    # The float model; None: the same.
    model: Path | None = None
    # Other tolerances than the usual ones.
    tolerances: Mapping[Stage, float] = field(default_factory=dict)


def align(a: Pipeline, b: Pipeline, also: Also | None = None, progress: Progress = SILENT) -> Alignment:
    """Sets each array of A beside that of B."""
    also = Also() if also is None else also
    rows: list[AlignRow] = []
    for step in STEPS:
        tolerance = also.tolerances.get(step.key, step.tolerance)
        for one, other in _pairs(a.get(step.key, ()), b.get(step.key, ())):
            rows.append(_row(replace(step, tolerance=tolerance), one, other, progress))
    notes: list[str] = []
    if also.picture is not None:
        rows = [_with_picture(row, a, b, also.picture, progress) for row in rows]
    found: StageRerun | None = None
    if also.model is not None:
        found = again(also.model, a, b, progress)
        notes += found.notes
    return _together(tuple(rows), found, tuple(notes))


# The float model on the inputs of both pipelines: whether their inputs alone explain what their outputs differ in.

# Of the norm of an output: from here on a model is another one.
_OTHER = 0.01


@dataclass(frozen=True, slots=True)
class StageRerun:
    """Result of running the model again."""

    notes: tuple[str, ...]
    # A sentence where inputs alone explain the outputs; "": they do not, or it is not known.
    explained: str = ""


def again(model: Path, a: Pipeline, b: Pipeline, progress: Progress = SILENT) -> StageRerun:
    """Runs the model on each pipeline's input, and sets what it gives beside the pipeline's output."""
    graph = runnable(model, progress).graph
    notes: list[str] = []
    near: list[bool] = []
    for name, pipeline in (("A", a), ("B", b)):
        if "input" not in pipeline or "output" not in pipeline:
            continue
        try:
            apart = _apart(model, graph, pipeline, progress)
        except ErrorflowError as error:
            notes.append(f"{model.name} could not be run on the input of {name}: {error.message}")
            continue
        near.append(apart <= _OTHER)
        how = "is what" if near[-1] else f"is {apart:.1%} (relative error) away from what"
        notes.append(f"The output of {name} {how} {model.name} gives for the input of {name}.")
    explained = "Given each its own input, the model gives both outputs: the inputs alone explain them."
    return StageRerun(tuple(notes), explained if near == [True, True] else "")


def _apart(model: Path, graph: Graph, pipeline: Pipeline, progress: Progress) -> float:
    """The largest relative error of an output."""
    arrays = _inputs(graph, pipeline)
    with TemporaryDirectory(prefix="errorflow-") as folder:
        target = Path(folder) / "again.npz"
        OnnxRuntime.of(graph).run(model, Inputs(arrays), target, progress)
        run = read_run(target, progress)
        made = {graph.tensor_names[place]: run.read(graph.tensor_names[place]) for place in graph.outputs.tolist()}
    return max(_error(array, made) for array in (saved.read() for saved in pipeline["output"]))


def _inputs(graph: Graph, pipeline: Pipeline) -> dict[str, Array]:
    wanted = [want for want in wanted_of(graph) if not want.optional]
    given = {saved.name: saved for saved in pipeline["input"]}
    found: dict[str, Array] = {}
    for want in wanted:
        name = partner(want, wanted, given) if len(given) > 1 or len(wanted) > 1 else next(iter(given))
        if name is None:
            raise UsageError(f"The model wants {want.text}.", f"Save it as {STEPS[0].names[0]}_{want.name}.npy.")
        found[want.name], _ = fitting(want, given[name].read())
    return found


def _error(array: Array, made: Mapping[str, Array]) -> float:
    """Measures the error to the output that it is nearest to: names of pipelines are their own."""
    mine = array.astype(np.float64)
    others = [values.astype(np.float64) for values in made.values() if values.shape == array.shape]
    return min((_norm(other - mine) / max(_norm(other), 1e-30) for other in others), default=math.inf)


def _norm(values: NDArray[np.float64]) -> float:
    return float(np.sqrt(np.square(values).sum()))


def gap_of(a: Array, b: Array, tolerance: float) -> Gap:
    """Measures the gap between two arrays of one shape."""
    if not a.size:
        return Gap(0.0, 0.0, 0.0)
    one, other = (values.astype(np.float64) for values in (a, b))
    with np.errstate(all="ignore"):
        apart = np.abs(one - other)
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    apart[same] = 0.0
    broken = int((~np.isfinite(apart)).sum())
    finite = np.where(np.isfinite(apart), apart, 0.0)
    where = np.unravel_index(int(np.argmax(np.where(np.isfinite(apart), apart, np.inf))), a.shape)
    beyond = float((~(apart <= tolerance)).mean())
    return Gap(float(finite.max()), float(finite.mean()), beyond, tuple(int(at) for at in where), broken)


def _pairs(a: Sequence[SavedArray], b: Sequence[SavedArray]) -> Iterator[tuple[SavedArray | None, SavedArray | None]]:
    """Pairs by name; one that is alone on either side goes with the other, whatever it is called."""
    if len(a) == len(b) == 1:
        yield a[0], b[0]
        return
    others = {saved.name: saved for saved in b}
    for saved in a:
        yield saved, others.pop(saved.name, None)
    for saved in others.values():
        yield None, saved


def _row(step: AlignStep, a: SavedArray | None, b: SavedArray | None, progress: Progress) -> AlignRow:
    named = a if a is not None else b
    name = "" if named is None else named.name
    row = AlignRow(step.key, name, step.tolerance, _side(a), _side(b))
    if a is None or b is None:
        return replace(row, note=f"only {'B' if a is None else 'A'} has it")
    one, other = a.read(), b.read()
    if not (_is_number(one) and _is_number(other)):
        return replace(row, note="it does not hold numbers")
    if one.shape == other.shape:
        row = replace(row, gap=gap_of(one, other, step.tolerance))
        if row.alike:
            return row
        if row.gap is not None and row.gap.broken:
            return replace(row, note=_broken(one, other))
    cause = explain(one, other, step.tolerance, step.key, progress)
    if cause is None and row.gap is None:
        return replace(row, note=f"the shapes differ: {_text(one.shape)} and {_text(other.shape)}")
    return replace(row, cause=cause)


def _side(saved: SavedArray | None) -> AlignSide | None:
    return None if saved is None else AlignSide(saved.info.name, tuple(saved.info.shape), saved.info.dtype)


def _is_number(values: Array) -> bool:
    return values.dtype.kind in "fiub"


def _broken(a: Array, b: Array) -> str:
    counts = [int((~np.isfinite(values.astype(np.float64))).sum()) for values in (a, b)]
    return f"NaN or infinite: {counts[0]:,} values of A, {counts[1]:,} of B"


def _text(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape)) if shape else "a single value"


def _with_picture(row: AlignRow, a: Pipeline, b: Pipeline, picture: Any, progress: Progress) -> AlignRow:
    """Adds by which way each input came of the picture; that tells more than the inputs alone."""
    if row.stage != "input" or row.alike or row.a is None or row.b is None:
        return row
    sides = [
        next(saved for saved in each["input"] if saved.info.name == side.name).read()
        for each, side in ((a, row.a), (b, row.b))
    ]
    one, other = (made_by(picture, values, progress) for values in sides)
    if one is None or other is None:
        lost = [name for name, made in (("A", one), ("B", other)) if made is None]
        told = "; ".join(f"{name} was resized “{made.text}”" for name, made in (("A", one), ("B", other)) if made)
        note = f"{' and '.join(lost)} came of the picture in no way that was tried"
        return replace(row, note="; ".join(filter(None, (told, note))))
    keys, texts = _other_steps(one.cause, other.cause)
    if one.text != other.text:
        keys.append("resize")
        texts.append(f"A was resized “{one.text}”, B “{other.text}”")
    left = 0.0 if row.cause is None else row.cause.remains
    return replace(row, cause=Cause(tuple(keys), tuple(texts), 1.0, True, left)) if keys else row


def _other_steps(a: Cause, b: Cause) -> tuple[list[str], list[str]]:
    """Finds what else was done to the picture on one side only, or differently."""
    keys, texts = [], []
    ours, theirs = (dict(zip(each.keys, each.texts, strict=True)) for each in (a, b))
    for key in dict.fromkeys((*ours, *theirs)):
        one, other = (_of_picture(each.get(key, "")) for each in (ours, theirs))
        if one != other:
            keys.append(key)
            told = (f"of {name}: {text}" for name, text in (("A", one), ("B", other)) if text)
            texts.append(_SWAPPED if key == "channels" and not (one and other) else "; ".join(told))
    return keys, texts


_SWAPPED = "RGB on one side is BGR on the other"


def _of_picture(text: str) -> str:
    """Writes the text where A is the picture and B what became of it."""
    return text.replace("A is", "the picture is").replace("B is", "the input is").replace("B as", "the input as")


def _together(rows: tuple[AlignRow, ...], found: "StageRerun | None", notes: tuple[str, ...]) -> Alignment:
    bad = [row for row in rows if row.measured and not row.alike]
    steps = {step.key: step for step in STEPS}
    if not any(row.measured for row in rows):
        return Alignment(
            rows, None, "Both pipelines have nothing in common.", "", "Save the same steps of both.", notes
        )
    if not bad:
        seen = [step.label.lower() for step in STEPS if any(row.stage == step.key and row.measured for row in rows)]
        lacking = [step.label.lower() for step in STEPS if step.label.lower() not in seen]
        text = f"Both pipelines are alike: {', '.join(seen)} within the tolerance."
        return Alignment(rows, None, text, "", f"Not compared: {', '.join(lacking)}." if lacking else "", notes)
    first = bad[0]
    before = [row for row in rows if row.stage == first.stage]
    others = "" if len(before) == 1 else f" ({first.name})"
    text = f"They part at the {steps[first.stage].label.lower()}{others}."
    reason = first.cause.text if first.cause is not None else _unknown(first)
    advice = _ADVICE[first.stage]
    if found is not None and first.stage == "input" and found.explained:
        advice = f"{advice} {found.explained}"
    behind = tuple(_behind(row, first) for row in rows)
    return Alignment(behind, first.stage, text, reason, advice, notes)


def _behind(row: AlignRow, first: AlignRow) -> AlignRow:
    """Marks a row that differs because what it was made of does: no reason of its own is looked for."""
    is_own = row.stage == first.stage or not row.measured or row.alike or row.cause is not None or row.note
    return row if is_own else replace(row, note="what it was made of differs already")


def _unknown(row: AlignRow) -> str:
    return f"{row.note[0].upper()}{row.note[1:]}." if row.note else "Nothing that was tried explains it."


_ADVICE: Mapping[Stage, str] = {
    "input": "Put the preprocessing right first, and align again: only then is known what else differs.",
    "output": "The inputs are alike, so the model differs: compare both runs tensor by tensor, or simulate it.",
    "result": "Input and output are alike, so the postprocessing differs.",
}
