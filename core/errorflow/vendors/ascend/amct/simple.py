"""Reads AMCT's simplified setting (protobuf text): what all layers share, and what some have of their own."""

from collections.abc import Mapping
from pathlib import Path

from errorflow.base import SILENT, FormatError, Progress, WrongFileError, dataclass, field
from errorflow.base.files import Source
from errorflow.base.values import word_list
from errorflow.formats.prototext import TextMessage, parse

MAX_BYTES = 16 * 1024 * 1024
_HINT = "Take a simplified configuration as AMCT's documentation describes it."
_KNOWN = frozenset(
    word_list(
        "batch_num activation_offset joint_quant skip_layers skip_layer_types do_fusion skip_fusion_layers "
        "common_config override_layer_types override_layer_configs tensor_quantize"
    )
)


@dataclass(frozen=True, slots=True)
class Override:
    """The setting of the layers, or of the types of layers, that are named in it."""

    names: tuple[str, ...]
    setting: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class SimpleConfig:
    """The whole file; settings of algorithms are plain mappings under the names of their fields."""

    batch_num: int | None = None
    activation_offset: bool | None = None
    do_fusion: bool | None = None
    skip_layers: tuple[str, ...] = ()
    skip_layer_types: tuple[str, ...] = ()
    skip_fusion_layers: tuple[str, ...] = ()
    common: Mapping[str, object] = field(default_factory=dict)
    by_type: tuple[Override, ...] = ()
    by_layer: tuple[Override, ...] = ()
    # Fields that are not known here, as plain values.
    others: Mapping[str, object] = field(default_factory=dict)


def read_simple_config(path: Path, progress: Progress = SILENT) -> SimpleConfig:
    """The setting in a file."""
    with Source(path) as source:
        if source.size > MAX_BYTES:
            raise FormatError(f"{source.name} has {source.size:,} bytes; {MAX_BYTES:,} is the limit.", _HINT)
        text = source.read(0, source.size).decode("utf-8", "backslashreplace")
    message = parse(text, path.name, progress)
    if not any(key in _KNOWN for key, _ in message.fields):
        raise WrongFileError(f"{path.name} is no simplified configuration of AMCT.", _HINT)
    return _config(message)


def _config(message: TextMessage) -> SimpleConfig:
    numbers = message.numbers("batch_num")
    return SimpleConfig(
        batch_num=numbers[-1] if numbers else None,
        activation_offset=_flag(message, "activation_offset"),
        do_fusion=_flag(message, "do_fusion"),
        skip_layers=tuple(message.texts("skip_layers")),
        skip_layer_types=tuple(message.texts("skip_layer_types")),
        skip_fusion_layers=tuple(message.texts("skip_fusion_layers")),
        common=_plain(message.message("common_config")),
        by_type=tuple(_override(item, "layer_type") for item in message.messages("override_layer_types")),
        by_layer=tuple(_override(item, "layer_name") for item in message.messages("override_layer_configs")),
        others=_plain(TextMessage([(key, value) for key, value in message.fields if key not in _TYPED])),
    )


_TYPED = _KNOWN - {"joint_quant", "tensor_quantize"}


def _override(message: TextMessage, key: str) -> Override:
    rest = TextMessage([(name, value) for name, value in message.fields if name != key])
    return Override(tuple(message.texts(key)), _plain(rest))


def _flag(message: TextMessage, name: str) -> bool | None:
    value = message.last(name)
    return value if isinstance(value, bool) else None


def _plain(message: TextMessage) -> dict[str, object]:
    """Fields as they are; one that stands there more than once is a list."""
    found: dict[str, list[object]] = {}
    for name, value in message.fields:
        found.setdefault(name, []).append(_plain(value) if isinstance(value, TextMessage) else value)
    return {name: values if len(values) > 1 else values[0] for name, values in found.items()}
