"""AMCT's quantization setting in JSON, layer by layer."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self, TypeVar

from errorflow.base import FormatError, Progress, UsageError, WrongFileError, dataclass, field, fields, replace
from errorflow.base.files import Source
from errorflow.graph.model import Graph
from errorflow.quant.plan import FLOAT
from errorflow.quant.precision import Precision
from errorflow.quant.switching import facts_of
from errorflow.report.toolchains.model import Decision, LeftOut, Reading, Toolchain, Want, WrittenFiles
from errorflow.report.toolchains.wanting import in_graph, plan_of
from errorflow.vendors.ascend.amct.layers import ACTIVATIONS, BASE, WEIGHTS, layers_of, wants_read

FILE = "amct_quant_config.json"


# AMCT's quantization setting in JSON: for the whole model, then one object per layer. It is read and written again.
#
# What is not known here is kept, so that nothing is lost on the way.

MAX_BYTES = 64 * 1024 * 1024
_HINT = "Take the file that AMCT's create_quant_config wrote."
_REST = "others"
Json = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ActivationSetting:
    """Settings by which a layer's data are quantized."""

    num_bits: int | None = None
    act_algo: str | None = None
    asymmetric: bool | None = None
    # Of the algorithm `ifmr`.
    max_percentile: float | None = None
    min_percentile: float | None = None
    search_range: tuple[float, ...] | None = None
    search_step: float | None = None
    # Of `hfmg`.
    num_of_bins: int | None = None
    others: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WeightSetting:
    """Settings by which a layer's weights are quantized."""

    num_bits: int | None = None
    wts_algo: str | None = None
    channel_wise: bool | None = None
    # Of the algorithm `ada_quantize`.
    num_iteration: int | None = None
    reg_param: float | None = None
    beta_range: tuple[float, ...] | None = None
    warm_start: float | None = None
    others: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LayerSetting:
    """Settings of one layer; None is what the file leaves out."""

    quant_enable: bool = True
    dmq_balancer_param: float | None = None
    activation_quant_params: ActivationSetting | None = None
    weight_quant_params: WeightSetting | None = None
    others: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QuantConfig:
    """The whole setting."""

    version: int | None = None
    batch_num: int | None = None
    activation_offset: bool | None = None
    do_fusion: bool | None = None
    skip_fusion_layers: tuple[str, ...] | None = None
    layers: Mapping[str, LayerSetting] = field(default_factory=dict)
    others: Json = field(default_factory=dict)

    @property
    def enabled(self) -> tuple[str, ...]:
        """The layers that are quantized."""
        return tuple(name for name, layer in self.layers.items() if layer.quant_enable)

    def switched(self, names: Iterable[str], on: bool) -> Self:
        """The same with these layers quantized, or not; a `KeyError` for one that is not in it."""
        changed = {name: replace(self.layers[name], quant_enable=on) for name in names}
        return replace(self, layers={**self.layers, **changed})

    def to_json(self) -> dict[str, object]:
        """Writes settings as AMCT takes them: layers stand beside the model's own settings."""
        own = {key: value for key, value in _plain(self).items() if key != "layers"}
        return own | {name: _plain(layer) for name, layer in self.layers.items()}


def read_config(path: Path) -> QuantConfig:
    """The setting in a file; a `FormatError` names the layer and field that are not as they should be."""
    with Source(path) as source:
        if source.size > MAX_BYTES:
            raise FormatError(f"{source.name} has {source.size:,} bytes; {MAX_BYTES:,} is the limit.", _HINT)
        text = source.read(0, source.size)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path.name} is no JSON.", _HINT) from error
    if not isinstance(document, dict):
        raise WrongFileError(f"{path.name} is no setting of AMCT.", _HINT)
    return parse_config(document, path.name)


def config_text(config: QuantConfig) -> str:
    """The whole file."""
    return json.dumps(config.to_json(), indent=4, ensure_ascii=False) + "\n"


def parse_config(document: Json, name: str) -> QuantConfig:
    """The same from JSON that is read already; `name` is for the sentence where it is wrong."""
    layers = {key: value for key, value in document.items() if isinstance(value, dict) and _is_layer(value)}
    if not layers:
        raise WrongFileError(f"{name} lists no layer with quant_enable.", _HINT)
    own = {key: value for key, value in document.items() if key not in layers}
    made = _made(QuantConfig, own, name)
    return replace(made, layers={key: _layer(value, f"{key} in {name}") for key, value in layers.items()})


def _is_layer(value: Json) -> bool:
    return any(key in value for key in ("quant_enable", "activation_quant_params", "weight_quant_params"))


def _layer(value: Json, where: str) -> LayerSetting:
    data, weights = value.get("activation_quant_params"), value.get("weight_quant_params")
    own = {key: item for key, item in value.items() if not (item is data or item is weights)}
    made = _made(LayerSetting, own, where)
    return replace(
        made,
        activation_quant_params=None if data is None else _made(ActivationSetting, data, where),
        weight_quant_params=None if weights is None else _made(WeightSetting, weights, where),
    )


Setting = TypeVar("Setting", QuantConfig, LayerSetting, ActivationSetting, WeightSetting)
_CHECKS = {
    "bool": lambda value: isinstance(value, bool),
    "int": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "float": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "str": lambda value: isinstance(value, str),
}


def _made(kind: type[Setting], values: object, where: str) -> Setting:
    """A setting of its known fields; the others are kept as they are."""
    if not isinstance(values, dict):
        raise FormatError(f"{where}: its parameters are no object.", _HINT)
    known = {item.name: _type_name(item.type) for item in fields(kind) if item.name not in (_REST, "layers")}
    taken: dict[str, Any] = {}
    for key in known.keys() & values.keys():
        taken[key] = _checked(values[key], known[key], f"{where}: {key}")
    taken[_REST] = {key: value for key, value in values.items() if key not in known}
    return kind(**taken)


def _type_name(kind: object) -> str:
    """`int | None` for an optional field, `bool` for one that is always there."""
    return kind.__name__ if isinstance(kind, type) else str(kind)


def _checked(value: object, kind: str, where: str) -> object:
    """The value if it is of the type that the field has."""
    wanted = kind.removesuffix(" | None")
    if wanted.startswith("tuple["):
        element = wanted.removeprefix("tuple[").split(",")[0]
        if isinstance(value, list) and all(_CHECKS[element](item) for item in value):
            return tuple(value)
    elif _CHECKS[wanted](value):
        return value
    raise FormatError(f"{where} is {json.dumps(value)[:60]}, which it cannot be.", _HINT)


def _plain(setting: QuantConfig | LayerSetting | ActivationSetting | WeightSetting) -> dict[str, object]:
    found: dict[str, object] = {}
    for item in fields(setting):
        value = getattr(setting, item.name)
        if item.name == _REST or value is None:
            continue
        if isinstance(value, ActivationSetting | WeightSetting):
            value = _plain(value)
        found[item.name] = list(value) if isinstance(value, tuple) else value
    return found | dict(setting.others)


# What create_quant_config writes where nobody asks for anything else.
_DATA = ActivationSetting(8, "ifmr", True, 0.999999, 0.999999, (0.7, 1.3), 0.01)
_WEIGHTS = WeightSetting(8, "arq_quantize", True)
_NEW = "`batch_num` is 1: set it to the number of batches that AMCT calibrates with."


def _write(decision: Decision, base: Path | None) -> WrittenFiles:
    layers = layers_of(decision)
    lost, notes = list(layers.left_out), list(layers.notes)
    if base is None:
        made = {name: _setting(want, _new(want)) for name, want in layers.named.items()}
        if not made:
            raise UsageError("The model has no layer with a name that AMCT quantizes.", "Name its nodes first.")
        config = QuantConfig(1, 1, True, True, (), made)
        notes.append(_NEW)
    else:
        given = read_config(base)
        known = {name: want for name, want in layers.named.items() if name in given.layers}
        changed = {name: _setting(want, given.layers[name]) for name, want in known.items()}
        config = replace(given, layers={**given.layers, **changed})
        told = {each.name for each in lost}
        for name, want in layers.named.items():
            if name not in known and not want.is_float and name not in told:
                node = layers.names.index(name)
                lost.append(LeftOut(decision.graph.title(node), f"{base.name} has no such layer.", FLOAT, node))
        notes.append(f"{base.name} was the start: what else stands in it is kept.")
    return WrittenFiles({FILE: config_text(config)}, left_out=tuple(lost), notes=tuple(notes))


def _new(want: Want) -> LayerSetting:
    return LayerSetting(True, None, _DATA, None if want.weights is None else _WEIGHTS)


def _setting(want: Want, before: LayerSetting) -> LayerSetting:
    """The layer as it was, but for what was decided."""
    data, weights = want.activations, want.weights
    if not isinstance(data, Precision):
        return replace(before, quant_enable=False)
    flow = _DATA if before.activation_quant_params is None else before.activation_quant_params
    flow = replace(flow, num_bits=data.bits, asymmetric=not data.symmetric)
    fixed = before.weight_quant_params
    if isinstance(weights, Precision):
        fixed = replace(_WEIGHTS if fixed is None else fixed, num_bits=weights.bits, channel_wise=weights.per_channel)
    return replace(before, quant_enable=True, activation_quant_params=flow, weight_quant_params=fixed)


def _read(path: Path, graph: Graph, progress: Progress) -> Reading:  # noqa: ARG001 - the signature of readers
    config = read_config(path)
    nodes, notes = in_graph(graph, config.layers)
    offset = config.activation_offset is not False
    facts = facts_of(graph)
    settings = {node: config.layers[name] for name, node in nodes.items()}
    wants = wants_read(graph, lambda node: _want(settings.get(node), offset, facts.weighted[node]))
    return Reading(plan_of(graph, BASE, wants), notes)


def _want(setting: LayerSetting | None, offset: bool, has_weights: bool) -> Want:
    """A layer that the setting does not name is not quantized."""
    if setting is None or not setting.quant_enable:
        return Want(FLOAT, FLOAT if has_weights else None)
    flow, fixed = setting.activation_quant_params, setting.weight_quant_params
    bits = 8 if flow is None or flow.num_bits is None else flow.num_bits
    uneven = offset if flow is None or flow.asymmetric is None else flow.asymmetric
    data = replace(ACTIVATIONS, dtype=f"int{bits if bits in (4, 8, 16) else 8}", symmetric=not uneven)
    if not has_weights:
        return Want(data)
    wide = 8 if fixed is None or fixed.num_bits not in (4, 8, 16) else fixed.num_bits
    each = fixed is None or fixed.channel_wise is not False
    return Want(data, replace(WEIGHTS, dtype=f"int{wide}", per_channel=each))


AMCT = Toolchain(
    "amct",
    "Ascend AMCT, setting by layer",
    "the quantization setting in JSON: quant_enable, bits, offset, scale per channel",
    _write,
    _read,
    lambda name, head: name.endswith(".json") and '"quant_enable"' in head,
    takes_base=True,
)
