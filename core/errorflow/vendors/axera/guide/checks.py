"""Thresholds of Pulsar2's guide."""

import math

from errorflow.guides.checks import PULSAR2, number, of_number
from errorflow.guides.model import Check, Checked, SeenResult

END_TO_END, PER_LAYER, CALIBRATION_SIZE = 0.98, 0.999, 32


def _end_to_end(seen: SeenResult, cosine: float) -> Checked:
    named = seen.texts.get("end_to_end", "")
    text = f"Last layer{f' ({named})' if named else ''}: {cosine:.3%}"
    if cosine >= END_TO_END:
        return Checked("passed", f"{text}, at least 98 %.")
    return Checked("failed", f"{text}, less than 98 %.")


def _end_to_end_seen(seen: SeenResult) -> Checked:
    """A table that measured each layer on inputs of the float model says nothing of what comes together."""
    if math.isnan(number(seen, "end_to_end")) and not math.isnan(number(seen, "per_layer")):
        text = "The table is one of PerLayer, which says nothing of the whole model: take the one of EndToEnd."
        return Checked("not measured", text)
    return of_number("end_to_end", _end_to_end)(seen)


def _per_layer(seen: SeenResult, worst: float) -> Checked:
    named = seen.texts.get("per_layer", "")
    text = f"Worst layer{f' ({named})' if named else ''}: {worst:.3%}"
    if worst >= PER_LAYER:
        return Checked("passed", f"{text}: all are at least 99.9 %.")
    count = number(seen, "layers_below")
    more = f"; {count:,.0f} are below 99.9 %" if count > 1 else ""
    return Checked("failed", f"{text}, less than 99.9 %{more}.")


def _per_layer_seen(seen: SeenResult) -> Checked:
    if math.isnan(number(seen, "per_layer")) and not math.isnan(number(seen, "end_to_end")):
        text = "The table is one of EndToEnd, in which errors come together: take the one of PerLayer."
        return Checked("not measured", text)
    return of_number("per_layer", _per_layer)(seen)


def _wide(seen: SeenResult, wide: float) -> Checked:
    if number(seen, "layers_below") == 0:
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


LAST_LAYER = Check("end_to_end", "Last layer, EndToEnd", "at least 98 %", PULSAR2, _end_to_end_seen)
LAYERS = Check("per_layer", "Every layer, PerLayer", "at least 99.9 %", PULSAR2, _per_layer_seen)
WIDE = Check("wide", "Bits of the layers below", "still 8 bits", PULSAR2, of_number("wide", _wide), aside=True)
OUTLIERS = Check(
    "outliers",
    "Outliers",
    "no channels at level 3 or more; the guide takes many for a reason to smooth",
    PULSAR2,
    of_number("outliers", _outliers),
    aside=True,
)
CHECKS = (LAST_LAYER, LAYERS, WIDE, OUTLIERS)
