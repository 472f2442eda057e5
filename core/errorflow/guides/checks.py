"""The thresholds of the vendors' guides, each a row. What is no number fails nothing: it was not measured."""

import math
from collections.abc import Callable
from dataclasses import replace

from errorflow.guides.model import ACCUSING, Check, Checked, SeenResult

ASCEND = "Ascend, accuracy comparison of Caffe models"
ANALYSER = "Ascend, thresholds of the accuracy analyser"
PULSAR2 = "Pulsar2, accuracy tuning"
HORIZON = "Horizon, precision debug of repvgg_b2_deploy"
# Ascend: of the top-N accuracy this much may go, and up to that much is looked at closer.
FINE, CLOSE = 0.01, 0.03
# How many images calibrate.
FEWEST, MOST = 10, 100
COSINE, RELATIVE = 0.99, 0.05
# Pulsar2.
END_TO_END, PER_LAYER, CALIBRATION_SIZE = 0.98, 0.999, 32
# Horizon: of the float model's accuracy so much is kept; beyond that loss settings and data come first.
KEPT, FAULTS = 0.99, 0.04
LOST, SENSITIVE = 0.8, 0.99

ENDS = (
    ("weights_end", "Cosine at the end, weights alone"),
    ("activations_end", "Cosine at the end, activations alone"),
)
ACCURACY = (("float_accuracy", "Accuracy of the float model"), ("accuracy", "Accuracy of the quantized model"))
IMAGES = (("calibration_images", "Images that calibrated"),)
_NOT_MEASURED = Checked("not measured", "Not measured.")


def _number(seen: SeenResult, name: str) -> float:
    return seen.numbers.get(name, math.nan)


def _of(name: str, text: Callable[[SeenResult, float], Checked]) -> Callable[[SeenResult], Checked]:
    """Makes a check of a number; of none it says that it was not measured."""

    def look(seen: SeenResult) -> Checked:
        value = _number(seen, name)
        return (
            Checked("not measured", seen.texts.get(name, "Not measured.")) if math.isnan(value) else text(seen, value)
        )

    return look


def loss_of(seen: SeenResult) -> float:
    """Computes how much of the float model's accuracy is gone; NaN: one of both was not measured."""
    return _number(seen, "float_accuracy") - _number(seen, "accuracy")


def kept_of(seen: SeenResult) -> float:
    """The share of the float model's accuracy that is left."""
    before = _number(seen, "float_accuracy")
    return _number(seen, "accuracy") / before if before else math.nan


def _loss(seen: SeenResult) -> Checked:
    loss = loss_of(seen)
    if math.isnan(loss):
        return Checked("not measured", "Nobody measured both accuracies, on the same labelled images.")
    both = f"{_number(seen, 'float_accuracy'):.2%} in float, {_number(seen, 'accuracy'):.2%} quantized"
    if loss <= FINE + 1e-12:
        return Checked("passed", f"{both}: a loss of {max(loss, 0):.2%} is what quantization may cost.")
    if loss <= CLOSE + 1e-12:
        return Checked("close", f"{both}: a loss of {loss:.2%} is more than 1 % and cannot be ignored.")
    return Checked("failed", f"{both}: a loss of {loss:.2%} is far beyond what quantization may cost.")


def _kept(seen: SeenResult) -> Checked:
    kept = kept_of(seen)
    if math.isnan(kept):
        return Checked("not measured", "Nobody measured both accuracies, on the same labelled images.")
    text = f"{_number(seen, 'accuracy'):.3%} of {_number(seen, 'float_accuracy'):.3%}: {kept:.2%} are kept"
    if kept >= KEPT - 1e-12:
        return Checked("passed", f"{text}.")
    if 1 - kept <= FAULTS + 1e-12:
        return Checked("close", f"{text}, less than 99 %; the loss is of a size that tuning brings back.")
    return Checked("failed", f"{text}; at more than 4 % of loss, faults of settings and data come first.")


def _images(_: SeenResult, count: float) -> Checked:
    if count < FEWEST:
        return Checked("failed", f"{count:,.0f} are too few: 10 to 100 are usual.")
    if count > MOST:
        return Checked("close", f"{count:,.0f} are more than the usual 10 to 100: it takes long and gains little.")
    return Checked("passed", f"{count:,.0f} are in the usual range of 10 to 100.")


def _output(seen: SeenResult, cosine: float) -> Checked:
    named = seen.texts.get("output_cosine", "")
    where = f" ({named})" if named else ""
    if cosine < COSINE:
        return Checked("failed", f"Cosine similarity of the output{where}: {cosine:.6f}, less than 0.99.")
    relative = _number(seen, "output_relative")
    if relative > RELATIVE:
        return Checked("close", f"Cosine similarity of the output{where}: {cosine:.6f}; relative error {relative:.4f}.")
    return _as_blamed(seen, f"Cosine similarity of the output{where}: {cosine:.6f}", ".")


def _output_horizon(seen: SeenResult, cosine: float) -> Checked:
    named = seen.texts.get("output_cosine", "")
    where = f" ({named})" if named else ""
    if cosine < LOST:
        return Checked("failed", f"Cosine similarity of the output{where}: {cosine:.6f}; below 0.8 accuracy is lost.")
    if cosine < COSINE:
        return Checked("close", f"Cosine similarity of the output{where}: {cosine:.6f}, less than 0.99.")
    return _as_blamed(seen, f"Cosine similarity of the output{where}: {cosine:.6f}", " is normal.")


def _suspects(seen: SeenResult, count: float) -> Checked:
    lacking = seen.texts.get("unruled", "")
    rest = f" Not measured: {lacking}; `errorflow compare` with -f or -q measures them." if lacking else ""
    if not count:
        text = "No tensor is beyond any threshold of the analyser"
        return Checked("not measured", f"{text} that was measured.{rest}") if lacking else Checked("passed", f"{text}.")
    first = seen.texts.get("suspects", "")
    several = "tensor is" if count == 1 else "tensors are"
    return Checked("close", f"{count:,.0f} {several} beyond a threshold{f', first {first}' if first else ''}.{rest}")


def _as_blamed(seen: SeenResult, text: str, end: str) -> Checked:
    """Calls it good as a whole, which is not all where a node is to blame."""
    if (verdict := seen.texts.get("verdict", "")).startswith("Not judged"):
        return Checked("not measured", verdict)
    told = f"{text} as a whole, but not good in every part." if seen.texts.get("part") else f"{text}{end}"
    return Checked("close" if seen.texts.get("kind", "") in ACCUSING else "passed", told)


def _kind(seen: SeenResult) -> Checked:
    kind = seen.texts.get("kind", "")
    if kind in ("", "nothing"):
        return _NOT_MEASURED
    return Checked("passed" if kind == "good" else "close", seen.texts.get("verdict", ""))


def _end_to_end(seen: SeenResult, cosine: float) -> Checked:
    named = seen.texts.get("end_to_end", "")
    text = f"Last layer{f' ({named})' if named else ''}: {cosine:.3%}"
    if cosine >= END_TO_END:
        return Checked("passed", f"{text}, at least 98 %.")
    return Checked("failed", f"{text}, less than 98 %.")


def _end_to_end_seen(seen: SeenResult) -> Checked:
    """A table that measured each layer on inputs of the float model says nothing of what comes together."""
    if math.isnan(_number(seen, "end_to_end")) and not math.isnan(_number(seen, "per_layer")):
        text = "The table is one of PerLayer, which says nothing of the whole model: take the one of EndToEnd."
        return Checked("not measured", text)
    return _of("end_to_end", _end_to_end)(seen)


def _per_layer(seen: SeenResult, worst: float) -> Checked:
    named = seen.texts.get("per_layer", "")
    text = f"Worst layer{f' ({named})' if named else ''}: {worst:.3%}"
    if worst >= PER_LAYER:
        return Checked("passed", f"{text}: all are at least 99.9 %.")
    count = _number(seen, "layers_below")
    more = f"; {count:,.0f} are below 99.9 %" if count > 1 else ""
    return Checked("failed", f"{text}, less than 99.9 %{more}.")


def _per_layer_seen(seen: SeenResult) -> Checked:
    if math.isnan(_number(seen, "per_layer")) and not math.isnan(_number(seen, "end_to_end")):
        text = "The table is one of EndToEnd, in which errors come together: take the one of PerLayer."
        return Checked("not measured", text)
    return _of("per_layer", _per_layer)(seen)


def _wide(seen: SeenResult, wide: float) -> Checked:
    if _number(seen, "layers_below") == 0:
        return Checked("passed", "No layer is below 99.9 %.")
    if wide:
        return Checked("failed", "Layers below 99.9 % have 16 bits already: more bits cannot help.")
    return Checked("passed", "The layers below 99.9 % have 8 bits: 16 bits can help.")


def _outliers(seen: SeenResult, ratio: float) -> Checked:
    named = seen.texts.get("outliers", "")
    where = f" of {named}" if named else ""
    if ratio > 0:
        return Checked(
            "close", f"{ratio:.0%} of the channels{where} are at level 3 or more: they drown beside a loud one."
        )
    return Checked("passed", "No channel is at level 3 or more.")


def _sensitive(seen: SeenResult, cosine: float) -> Checked:
    named = seen.texts.get("sensitive", "")
    if cosine >= SENSITIVE:
        return Checked("passed", "No node alone costs more than 0.01 of cosine similarity: the error accumulates.")
    count = _number(seen, "sensitive_count")
    what = "One node alone is" if count == 1 else f"{count:,.0f} nodes alone are"
    return Checked("failed", f"{what} below 0.99, worst {named} with {cosine:.6f}.")


def _alike(seen: SeenResult, alike: float) -> Checked:
    text = seen.texts.get("alike", "")
    return Checked("passed" if alike else "failed", text if text else "They are alike." if alike else "They differ.")


def _curves(seen: SeenResult, weights: float) -> Checked:
    activations = _number(seen, "activations_end")
    both = f"Cosine similarity at the output: weights alone {weights:.6f}, activations alone {activations:.6f}"
    if math.isnan(activations):
        return _NOT_MEASURED
    if min(weights, activations) >= COSINE:
        return Checked("passed", f"{both}: neither alone costs much.")
    return Checked("close", f"{both}: {'weights' if weights < activations else 'activations'} cost more.")


def _bends(seen: SeenResult, start: float) -> Checked:
    """Finds where partial quantization bends: as many nodes as lift the curve, behind which it is flat."""
    knee, most = _number(seen, "knee"), _number(seen, "kept_most")
    if math.isnan(knee):
        if start >= COSINE:
            return Checked("close", f"The output is at {start:.6f} with nothing in float: little is left to gain.")
        best = _number(seen, "kept_best")
        told = f"From {start:.6f} to {best:.6f} at best, with up to {most:,.0f} in float: no few of them do it."
        return Checked("failed", told)
    there = f"{_number(seen, 'kept_knee'):.6f}"
    at, of, before = f"{knee:,.0f}", f"{most:,.0f}", f"{start:.6f}"
    if _number(seen, "kept_knee") >= COSINE:
        return Checked("passed", f"{there} with the first {at} of {of} in float, {before} with none; more gain little.")
    return Checked("close", f"{there} with the first {at} of {of} in float, less than 0.99; {before} with none.")


def _fewest(seen: SeenResult, met: float) -> Checked:
    count, named = _number(seen, "search_parts"), seen.texts.get("search", "")
    if not met:
        return Checked("failed", "The search found no set that is good enough.")
    if not count:
        return Checked("passed", "The search found it good enough as it is.")
    return Checked("passed", f"The search found a set that is good enough with {count:,.0f} in float: {named}.")


def _settled(_: SeenResult) -> Checked:
    return Checked("not measured", "Only you can see that: choose where it leads.")


LOSS = Check(
    "loss",
    "Top-N accuracy",
    "a loss of at most 1 %; up to 3 %: look closer",
    ASCEND,
    _loss,
    asked=ACCURACY,
    counts=True,
)
IMAGE_COUNT = Check(
    "images", "Calibration images", "10 to 100", ASCEND, _of("calibration_images", _images), asked=IMAGES, aside=True
)
OUTPUT = Check(
    "output", "Output of the model", "cosine similarity at least 0.99", ANALYSER, _of("output_cosine", _output)
)
SUSPECTS = Check(
    "suspects",
    "Suspicious tensors",
    "cosine ≥ 0.99, relative Euclidean distance ≤ 0.05, KL ≤ 0.005, RMSE ≤ 1, mean relative error ≤ 1",
    ANALYSER,
    _of("suspects", _suspects),
    aside=True,
)
KIND = Check("kind", "Node or accumulated error", "none; it says which step comes next", ASCEND, _kind, aside=True)
LAST_LAYER = Check("end_to_end", "Last layer, EndToEnd", "at least 98 %", PULSAR2, _end_to_end_seen)
LAYERS = Check("per_layer", "Every layer, PerLayer", "at least 99.9 %", PULSAR2, _per_layer_seen)
WIDE = Check("wide", "Bits of the layers below", "still 8 bits", PULSAR2, _of("wide", _wide), aside=True)
OUTLIERS = Check(
    "outliers",
    "Outliers",
    "no channels at level 3 or more; the guide takes many for a reason to smooth",
    PULSAR2,
    _of("outliers", _outliers),
    aside=True,
)
ALIKE = Check(
    "alike",
    "Pre- and postprocessing",
    "inputs within 0.0001, results within 0.001",
    PULSAR2,
    _of("alike", _alike),
)
KEPT_SHARE = Check("kept", "Accuracy", "at least 99 % of the float model's", HORIZON, _kept, asked=ACCURACY)
OUTPUT_HORIZON = Check(
    "output_horizon",
    "Output of the model",
    "cosine similarity at least 0.99; below 0.8 accuracy is lost",
    "Horizon, toolchain guide",
    _of("output_cosine", _output_horizon),
    aside=True,
)
CURVES = Check(
    "curves",
    "Weights or activations",
    "cosine at the end of each curve",
    HORIZON,
    _of("weights_end", _curves),
    asked=ENDS,
)
SENSITIVE_NODES = Check(
    "sensitive", "Sensitive nodes", "each node alone at least 0.99", HORIZON, _of("sensitive", _sensitive)
)
PARTIAL = Check(
    "partial",
    "Curve of partial quantization",
    "it bends, and cosine similarity is at least 0.99 there",
    HORIZON,
    _of("kept_none", _bends),
)
SMALLEST_SET = Check(
    "fewest", "Smallest set", "the search meets its limit", "Errorflow, search", _of("search_met", _fewest)
)
# All of them, for the documentation.
CHECKS: tuple[Check, ...] = tuple(each for each in tuple(globals().values()) if isinstance(each, Check))
# What a simulation says of it, before the toolchain does.
SIMULATED = replace(OUTPUT, key="simulated", label="Output, as simulated", aside=True)
SETTLED = Check("settled", "Done by hand", "none", "", _settled)
