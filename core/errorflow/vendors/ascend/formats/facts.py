"""Facts that an Ascend model states about itself and about how it was made."""

from collections.abc import Mapping

from errorflow.formats.compiled import ModelText

_FACTS = (
    ("Framework", "framework_type"),
    ("SoC", "soc_version"),
    ("Target", "target_type"),
    ("ATC", "atc_version"),
    ("Operator package", "opp_version"),
    ("ATC command", "atc_cmdline"),
    ("Network outputs", "attr_model_out_nodes_name"),
    ("Streams", "stream_num"),
)
_SIZES = (("Memory", "memory_size"), ("Weights", "weight_size"))


def model_facts(model: ModelText) -> tuple[tuple[str, str], ...]:
    """Labels and values in reading order; what the file does not say is left out."""
    rows = [
        ("Model", model.name),
        *((label, _value(model.attributes, key)) for label, key in _FACTS),
        *((label, _size(model.attributes, key)) for label, key in _SIZES),
        ("Model version", model.version),
        ("Custom version", model.custom_version),
    ]
    return tuple((label, value) for label, value in rows if value)


def _size(attributes: Mapping[str, object], key: str) -> str:
    value = attributes.get(key)
    return f"{value:,} bytes" if isinstance(value, int) else ""


def _value(attributes: Mapping[str, object], key: str) -> str:
    value = attributes.get(key)
    if isinstance(value, tuple):
        return ", ".join(str(item) for item in value)
    return "" if value is None else str(value)
