"""Thresholds that several guides have, each a row, and what those of one vendor are made of, which lie in its room.

What is no number fails nothing: it was not measured.
"""

import math
from collections.abc import Callable
from dataclasses import replace

from errorflow.base.vendor import Rows
from errorflow.guides.model import ACCUSING, Check, Checked, SeenResult

ASCEND = "Ascend, accuracy comparison of Caffe models"
ANALYSER = "Ascend, thresholds of the accuracy analyser"
PULSAR2 = "Pulsar2, accuracy tuning"
# Ascend: of the top-N accuracy this much may go, and up to that much is looked at closer.
FINE, CLOSE = 0.01, 0.03
COSINE, RELATIVE = 0.99, 0.05

ACCURACY = (("float_accuracy", "Accuracy of the float model"), ("accuracy", "Accuracy of the quantized model"))
NOT_MEASURED = Checked("not measured", "Not measured.")


def number(seen: SeenResult, name: str) -> float:
    return seen.numbers.get(name, math.nan)


def of_number(name: str, text: Callable[[SeenResult, float], Checked]) -> Callable[[SeenResult], Checked]:
    """Makes a check of a number; of none it says that it was not measured."""

    def look(seen: SeenResult) -> Checked:
        value = number(seen, name)
        return (
            Checked("not measured", seen.texts.get(name, "Not measured.")) if math.isnan(value) else text(seen, value)
        )

    return look


def loss_of(seen: SeenResult) -> float:
    """Computes how much of the float model's accuracy is gone; NaN: one of both was not measured."""
    return number(seen, "float_accuracy") - number(seen, "accuracy")


def _loss(seen: SeenResult) -> Checked:
    loss = loss_of(seen)
    if math.isnan(loss):
        return Checked("not measured", "Nobody measured both accuracies, on the same labelled images.")
    both = f"{number(seen, 'float_accuracy'):.2%} in float, {number(seen, 'accuracy'):.2%} quantized"
    if loss <= FINE + 1e-12:
        return Checked("passed", f"{both}: a loss of {max(loss, 0):.2%} is what quantization may cost.")
    if loss <= CLOSE + 1e-12:
        return Checked("close", f"{both}: a loss of {loss:.2%} is more than 1 % and cannot be ignored.")
    return Checked("failed", f"{both}: a loss of {loss:.2%} is far beyond what quantization may cost.")


def _output(seen: SeenResult, cosine: float) -> Checked:
    named = seen.texts.get("output_cosine", "")
    where = f" ({named})" if named else ""
    if cosine < COSINE:
        return Checked("failed", f"Cosine similarity of the output{where}: {cosine:.6f}, less than 0.99.")
    relative = number(seen, "output_relative")
    if relative > RELATIVE:
        return Checked("close", f"Cosine similarity of the output{where}: {cosine:.6f}; relative error {relative:.4f}.")
    return as_blamed(seen, f"Cosine similarity of the output{where}: {cosine:.6f}", ".")


def _suspects(seen: SeenResult, count: float) -> Checked:
    lacking = seen.texts.get("unruled", "")
    rest = f" Not measured: {lacking}; `errorflow compare` with -f or -q measures them." if lacking else ""
    if not count:
        text = "No tensor is beyond any threshold of the analyser"
        return Checked("not measured", f"{text} that was measured.{rest}") if lacking else Checked("passed", f"{text}.")
    first = seen.texts.get("suspects", "")
    several = "tensor is" if count == 1 else "tensors are"
    return Checked("close", f"{count:,.0f} {several} beyond a threshold{f', first {first}' if first else ''}.{rest}")


def as_blamed(seen: SeenResult, text: str, end: str) -> Checked:
    """Calls it good as a whole, which is not all where a node is to blame."""
    if (verdict := seen.texts.get("verdict", "")).startswith("Not judged"):
        return Checked("not measured", verdict)
    told = f"{text} as a whole, but not good in every part." if seen.texts.get("part") else f"{text}{end}"
    return Checked("close" if seen.texts.get("kind", "") in ACCUSING else "passed", told)


def _kind(seen: SeenResult) -> Checked:
    kind = seen.texts.get("kind", "")
    if kind in ("", "nothing"):
        return NOT_MEASURED
    return Checked("passed" if kind == "good" else "close", seen.texts.get("verdict", ""))


def _alike(seen: SeenResult, alike: float) -> Checked:
    text = seen.texts.get("alike", "")
    return Checked("passed" if alike else "failed", text if text else "They are alike." if alike else "They differ.")


def _fewest(seen: SeenResult, met: float) -> Checked:
    count, named = number(seen, "search_parts"), seen.texts.get("search", "")
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
OUTPUT = Check(
    "output", "Output of the model", "cosine similarity at least 0.99", ANALYSER, of_number("output_cosine", _output)
)
SUSPECTS = Check(
    "suspects",
    "Suspicious tensors",
    "cosine ≥ 0.99, relative Euclidean distance ≤ 0.05, KL ≤ 0.005, RMSE ≤ 1, mean relative error ≤ 1",
    ANALYSER,
    of_number("suspects", _suspects),
    aside=True,
)
KIND = Check("kind", "Node or accumulated error", "none; it says which step comes next", ASCEND, _kind, aside=True)
ALIKE = Check(
    "alike",
    "Pre- and postprocessing",
    "inputs within 0.0001, results within 0.001",
    PULSAR2,
    of_number("alike", _alike),
)
SMALLEST_SET = Check(
    "fewest", "Smallest set", "the search meets its limit", "Errorflow, search", of_number("search_met", _fewest)
)
# Beside those of vendors' guides, for the documentation.
CHECKS = Rows(Check, "guide", tuple(each for each in tuple(globals().values()) if isinstance(each, Check)))
# What a simulation says of it, before the toolchain does.
SIMULATED = replace(OUTPUT, key="simulated", label="Output, as simulated", aside=True)
SETTLED = Check("settled", "Done by hand", "none", "", _settled)
