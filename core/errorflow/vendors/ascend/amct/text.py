"""Writes what AMCT reads as protobuf text: simplified settings, and records of scales."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from errorflow.formats.amct.record import BITS, LayerRecord, ScaleRecord
from errorflow.graph.qparams import QParams
from errorflow.vendors.ascend.amct.simple import SimpleConfig

_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_STEP = "  "


def simple_text(config: SimpleConfig, comments: Sequence[str] = ()) -> str:
    """The simplified setting, as `read_simple_config` reads it."""
    lines = [f"# {' '.join(line.split())}" for line in comments]
    single = {name: getattr(config, name) for name in ("batch_num", "activation_offset", "do_fusion")}
    lines += _fields({name: value for name, value in single.items() if value is not None})
    lines += _fields({name: list(getattr(config, name)) for name in ("skip_layers", "skip_layer_types")})
    lines += _fields({"skip_fusion_layers": list(config.skip_fusion_layers)})
    if config.common:
        lines += _fields({"common_config": config.common})
    for key, who, overrides in (
        ("override_layer_types", "layer_type", config.by_type),
        ("override_layer_configs", "layer_name", config.by_layer),
    ):
        for each in overrides:
            lines += _fields({key: {who: list(each.names), **each.setting}})
    return "\n".join([*lines, *_fields(config.others)]) + "\n"


def record_text(record: ScaleRecord) -> str:
    """Scales and offsets, as `read_record` reads them. Codes must be signed, as AMCT's are."""
    lines = [line for layer in record.layers.values() for line in _fields({"record": _layer(layer)})]
    return "\n".join(lines) + "\n"


def _layer(layer: LayerRecord) -> Mapping[str, object]:
    value: dict[str, object] = {}
    if layer.activation is not None:
        value |= _qparams(layer.activation, "scale_d", "offset_d")
    if layer.weights is not None:
        value |= _qparams(layer.weights, "scale_w", "offset_w")
    if layer.shift_bits:
        value["shift_bit"] = list(layer.shift_bits)
    if layer.balance_factors:
        value["tensor_balance_factor"] = [np.float32(factor) for factor in layer.balance_factors]
    if layer.skip_fusion:
        value["skip_fusion"] = True
    for key, qparams in (("act_type", layer.activation), ("wts_type", layer.weights)):
        if qparams is not None and qparams.bits != BITS:
            value[key] = _Word(f"INT{qparams.bits}")
    return {"key": layer.key, "value": value}


def _qparams(qparams: QParams, scale: str, offset: str) -> dict[str, object]:
    zeros = [int(zero) for zero in np.broadcast_to(qparams.zero_points, len(qparams.scales))]
    return {scale: [np.float32(number) for number in qparams.scales], offset: zeros}


class _Word(str):
    """A name that stands without quotes."""


def _fields(values: Mapping[str, object], indent: str = "") -> Iterator[str]:
    for name, value in values.items():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, Mapping):
                yield f"{indent}{name} {{"
                yield from _fields(each, indent + _STEP)
                yield f"{indent}}}"
            else:
                yield f"{indent}{name}: {_plain(each)}"


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, _Word) or not isinstance(value, str):
        return str(value)
    return f'"{"".join(_escaped(letter) for letter in value)}"'


def _escaped(letter: str) -> str:
    return _SHORT.get(letter, letter if letter.isprintable() else "".join(f"\\{byte:03o}" for byte in letter.encode()))
