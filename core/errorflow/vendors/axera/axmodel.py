"""Reads `quant_axmodel.json`: the scale and zero point of every tensor that Pulsar2 has quantized."""

import json
import math
from collections.abc import Mapping
from pathlib import Path

from errorflow.base import FormatError, dataclass
from errorflow.base.files import Source
from errorflow.graph.qparams import QParams

MAX_BYTES = 64 * 1024 * 1024
MAX_BITS = 32
# The state of a tensor whose scale is its own and not another one's.
_OWN = "ACTIVATED"
Json = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class AxModel:
    """Scales by the tensor's name in the model; None for one that stays in floats."""

    tensors: Mapping[str, QParams | None]
    problems: tuple[str, ...] = ()


def read_axmodel(path: Path) -> AxModel:
    """Reads all tensors of the file; one whose numbers make no sense is a problem and counts as not quantized."""
    with Source(path) as source:
        if source.size > MAX_BYTES:
            raise FormatError(f"{path.name} has {source.size:,} bytes; {MAX_BYTES:,} is the limit.", "Build it again.")
        text = source.read(0, source.size)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path.name} is no JSON.", "Copy it again from Pulsar2's output folder.") from error
    configs, values = (_table(document, key) for key in ("tensor_configs", "values"))
    if not configs:
        raise FormatError(f"{path.name} lists no tensors under tensor_configs.", "Take the one from the folder quant.")
    return _model(configs, values)


def _model(configs: Json, values: Json) -> AxModel:
    """A tensor stands under every operator that touches it; the one whose own scale it has comes first."""
    found: dict[str, QParams | None] = {}
    own: set[str] = set()
    problems: list[str] = []
    for tensors in configs.values():
        for name, config in tensors.items() if isinstance(tensors, dict) else ():
            if not isinstance(config, dict):
                continue
            try:
                qparams = _qparams(config, values)
            except ValueError as error:
                problems.append(f"The scale of {name} {error}.")
                qparams = None
            before = found.get(name)
            if before is not None and qparams not in (None, before):
                problems.append(f"{name} has several scales; the first one that is its own is used.")
            is_own = config.get("state") == _OWN
            if before is None or (qparams is not None and is_own and name not in own):
                found[name] = qparams
            if is_own and qparams is not None:
                own.add(name)
    return AxModel(found, tuple(dict.fromkeys(problems)))


def _qparams(config: Json, values: Json) -> QParams | None:
    keys = (str(config.get("hash")), str(config.get("dominator")))
    entry = next((values[key] for key in keys if key in values), None)
    if not isinstance(entry, dict) or entry.get("scale") is None:
        return None
    bits = config.get("bit_width", 8)
    if not isinstance(bits, int) or not 0 < bits <= MAX_BITS:
        raise ValueError(f"has {bits} bits")
    scales = _numbers(entry.get("scale"))
    zeros = _numbers(entry.get("zero_point", 0))
    if not scales or not all(0 < scale < math.inf for scale in scales):
        raise ValueError("is no positive number")
    if len(zeros) not in (1, len(scales)) or not all(zero == math.floor(zero) for zero in zeros):
        raise ValueError("has a zero point that does not go with it")
    low = config.get("quant_min", 0)
    axis = config.get("channel_axis")
    per_channel = len(scales) > 1
    if per_channel and not isinstance(axis, int):
        raise ValueError("is given per channel, without the channels' axis")
    return QParams(
        scales=tuple(scales),
        zero_points=tuple(int(zero) for zero in zeros),
        bits=bits,
        signed=isinstance(low, int | float) and low < 0,
        axis=axis if per_channel and isinstance(axis, int) else None,
    )


def _numbers(value: object) -> list[float]:
    items = value if isinstance(value, list) else [value]
    numbers = [float(item) for item in items if isinstance(item, int | float) and math.isfinite(item)]
    if len(numbers) < len(items):
        raise ValueError("is no number")
    return numbers


def _table(document: object, key: str) -> Json:
    table = document.get(key) if isinstance(document, dict) else None
    return table if isinstance(table, dict) else {}
