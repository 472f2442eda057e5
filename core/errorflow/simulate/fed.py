"""What is odd about the samples that errors are measured on, also beside those that calibration saw."""

from collections.abc import Mapping, Sequence

from errorflow.quant.ranges import Calibration
from errorflow.run.model import Array
from errorflow.run.samples.fitting import Part
from errorflow.run.samples.watching import beyond, looked_at, oddities


def odd_inputs(evaluated: Part, samples: Sequence[Mapping[str, Array]], calibration: Calibration) -> tuple[str, ...]:
    """Sentences. `samples` are those of `evaluated`, which were read already."""
    seen = [fed for number, arrays in enumerate(samples) for fed in looked_at(evaluated.name(number), arrays)]
    ranges = {fed.name: calibration.ranges.get(fed.name) for fed in seen}
    known = {name: (found.low, found.high) for name, found in ranges.items() if found is not None}
    return (*beyond(seen, known), *oddities(seen))
