"""Thresholds of Horizon's guide."""

import math

from errorflow.guides.checks import ACCURACY, COSINE, NOT_MEASURED, as_blamed, number, of_number
from errorflow.guides.model import Check, Checked, SeenResult

# Of the float model's accuracy so much is kept; beyond that loss settings and data come first.
KEPT, FAULTS = 0.99, 0.04
LOST, SENSITIVE = 0.8, 0.99
ENDS = (
    ("weights_end", "Cosine at the end, weights alone"),
    ("activations_end", "Cosine at the end, activations alone"),
)
SOURCE = "Horizon, precision debug of repvgg_b2_deploy"


def kept_of(seen: SeenResult) -> float:
    """The share of the float model's accuracy that is left."""
    before = number(seen, "float_accuracy")
    return number(seen, "accuracy") / before if before else math.nan


def _kept(seen: SeenResult) -> Checked:
    kept = kept_of(seen)
    if math.isnan(kept):
        return Checked("not measured", "Nobody measured both accuracies, on the same labelled images.")
    text = f"{number(seen, 'accuracy'):.3%} of {number(seen, 'float_accuracy'):.3%}: {kept:.2%} are kept"
    if kept >= KEPT - 1e-12:
        return Checked("passed", f"{text}.")
    if 1 - kept <= FAULTS + 1e-12:
        return Checked("close", f"{text}, less than 99 %; the loss is of a size that tuning brings back.")
    return Checked("failed", f"{text}; at more than 4 % of loss, faults of settings and data come first.")


def _output_horizon(seen: SeenResult, cosine: float) -> Checked:
    named = seen.texts.get("output_cosine", "")
    where = f" ({named})" if named else ""
    if cosine < LOST:
        return Checked("failed", f"Cosine similarity of the output{where}: {cosine:.6f}; below 0.8 accuracy is lost.")
    if cosine < COSINE:
        return Checked("close", f"Cosine similarity of the output{where}: {cosine:.6f}, less than 0.99.")
    return as_blamed(seen, f"Cosine similarity of the output{where}: {cosine:.6f}", " is normal.")


def _sensitive(seen: SeenResult, cosine: float) -> Checked:
    named = seen.texts.get("sensitive", "")
    if cosine >= SENSITIVE:
        return Checked("passed", "No node alone costs more than 0.01 of cosine similarity: the error accumulates.")
    count = number(seen, "sensitive_count")
    what = "One node alone is" if count == 1 else f"{count:,.0f} nodes alone are"
    return Checked("failed", f"{what} below 0.99, worst {named} with {cosine:.6f}.")


def _curves(seen: SeenResult, weights: float) -> Checked:
    activations = number(seen, "activations_end")
    both = f"Cosine similarity at the output: weights alone {weights:.6f}, activations alone {activations:.6f}"
    if math.isnan(activations):
        return NOT_MEASURED
    if min(weights, activations) >= COSINE:
        return Checked("passed", f"{both}: neither alone costs much.")
    return Checked("close", f"{both}: {'weights' if weights < activations else 'activations'} cost more.")


def _bends(seen: SeenResult, start: float) -> Checked:
    """Finds where partial quantization bends: as many nodes as lift the curve, behind which it is flat."""
    knee, most = number(seen, "knee"), number(seen, "kept_most")
    if math.isnan(knee):
        if start >= COSINE:
            return Checked("close", f"The output is at {start:.6f} with nothing in float: little is left to gain.")
        best = number(seen, "kept_best")
        told = f"From {start:.6f} to {best:.6f} at best, with up to {most:,.0f} in float: no few of them do it."
        return Checked("failed", told)
    there = f"{number(seen, 'kept_knee'):.6f}"
    at, of, before = f"{knee:,.0f}", f"{most:,.0f}", f"{start:.6f}"
    if number(seen, "kept_knee") >= COSINE:
        return Checked("passed", f"{there} with the first {at} of {of} in float, {before} with none; more gain little.")
    return Checked("close", f"{there} with the first {at} of {of} in float, less than 0.99; {before} with none.")


KEPT_SHARE = Check("kept", "Accuracy", "at least 99 % of the float model's", SOURCE, _kept, asked=ACCURACY)
OUTPUT_HORIZON = Check(
    "output_horizon",
    "Output of the model",
    "cosine similarity at least 0.99; below 0.8 accuracy is lost",
    "Horizon, toolchain guide",
    of_number("output_cosine", _output_horizon),
    aside=True,
)
CURVES = Check(
    "curves",
    "Weights or activations",
    "cosine at the end of each curve",
    SOURCE,
    of_number("weights_end", _curves),
    asked=ENDS,
)
SENSITIVE_NODES = Check(
    "sensitive", "Sensitive nodes", "each node alone at least 0.99", SOURCE, of_number("sensitive", _sensitive)
)
PARTIAL = Check(
    "partial",
    "Curve of partial quantization",
    "it bends, and cosine similarity is at least 0.99 there",
    SOURCE,
    of_number("kept_none", _bends),
)
CHECKS = (KEPT_SHARE, OUTPUT_HORIZON, CURVES, SENSITIVE_NODES, PARTIAL)
