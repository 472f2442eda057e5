"""Two drawings that differ in their colours only, as one that takes its colours from the page's theme."""

import re
from collections.abc import Mapping

from errorflow.base.values import dataclass

_COLOR = re.compile(r"#[0-9A-Fa-f]{6}\b")


@dataclass(frozen=True, slots=True)
class Themed:
    """A drawing whose colours are variables, and what these are in each theme."""

    text: str
    light: Mapping[str, str]
    dark: Mapping[str, str]


def recolored(light: str, dark: Mapping[str, str]) -> str:
    """A drawing in which each colour has its counterpart."""
    return _COLOR.sub(lambda found: dark.get(found.group(), found.group()), light)


def themed(light: str, dark: str, prefix: str) -> Themed:
    """`prefix` keeps the variables of several drawings on a page apart.

    Where the two are not alike but for their colours, the light one stays as it is.
    """
    ours, theirs = _COLOR.findall(light), _COLOR.findall(dark)
    if len(ours) != len(theirs) or _COLOR.sub("", light) != _COLOR.sub("", dark):
        return Themed(light, {}, {})
    names: dict[tuple[str, str], str] = {}
    pairs = iter(zip(ours, theirs, strict=True))

    def named(_: re.Match[str]) -> str:
        pair = next(pairs)
        name = names.setdefault(pair, f"--{prefix}{len(names)}")
        return f"var({name})"

    text = _COLOR.sub(named, light)
    return Themed(
        text, {name: pair[0] for pair, name in names.items()}, {name: pair[1] for pair, name in names.items()}
    )
