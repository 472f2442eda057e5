"""The colours of a drawing in its two themes. Everything is calm: colour is for error, which `scale` paints."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from errorflow.base.values import dataclass, replace
from errorflow.case.session.model import Palette
from errorflow.report import scale
from errorflow.report.scale import ColorScale, change_scale_of, scale_of

ThemeName = Literal["light", "dark"]


@dataclass(frozen=True, slots=True)
class DrawingColors:
    """Colours of everything in a drawing, as #RRGGBB."""

    background: str
    text: str
    muted: str
    # Open groups by depth; deeper ones repeat the last.
    groups: tuple[str, ...]
    group_border: str
    group_text: str
    # Boxes by operator family, and closed groups.
    families: Mapping[str, str]
    fold: str
    box_border: str
    box_text: str
    edge: str
    edge_strong: str
    # Edges along which nothing flows, but one node waits for the other.
    control_edge: str
    # What stands for "not measured": its ground and its stripes.
    unknown: tuple[str, str]
    # Of badness.
    error: ColorScale
    # Round what is beyond the range of its type.
    overflow: str
    # Round what the front has come to, and where it begins.
    front: str

    def group(self, depth: int) -> str:
        return self.groups[min(depth, len(self.groups) - 1)]


def mixed(one: str, other: str, share: float) -> str:
    """Mixes `one` with a share (0…1) of `other`."""
    parts = zip(bytes.fromhex(one[1:]), bytes.fromhex(other[1:]), strict=True)
    return "#{:02X}{:02X}{:02X}".format(*(round(a * (1 - share) + b * share) for a, b in parts))


LIGHT = DrawingColors(
    background="#FAFBFC",
    text="#1B232C",
    muted="#5A6672",
    groups=("#F2F5F8", "#EAEFF4", "#E2E9F0", "#DAE3EB", "#D2DCE6", "#CBD6E1"),
    group_border="#CDD6DF",
    group_text="#505B66",
    families=MappingProxyType(
        {
            "compute": "#B4C3D2",
            "normalize": "#CBD6DF",
            "activate": "#D5DCE4",
            "combine": "#DDE3E9",
            "reduce": "#C6CFDB",
            "move": "#EBEFF3",
            "quantize": "#C9C9DC",
            "control": "#BDBFD3",
            "border": "#FFFFFF",
            "other": "#E1E5EA",
        }
    ),
    fold=mixed("#B4C3D2", "#FAFBFC", 0.45),
    box_border="#93A1AF",
    box_text="#1B232C",
    edge="#A3AFBB",
    edge_strong="#5F6D7B",
    control_edge=mixed("#A3AFBB", "#F2F5F8", 0.6),
    unknown=("#F4F5F7", "#C9CED6"),
    error=scale.LIGHT,
    overflow="#C2189B",
    front=mixed("#1B232C", "#FAFBFC", 0.5),
)

DARK = DrawingColors(
    background="#171B20",
    text="#E2E7EC",
    muted="#9CA7B3",
    groups=("#1D2228", "#232930", "#293038", "#2F3740", "#353E48", "#3B4550"),
    group_border="#3A434E",
    group_text="#A9B4BF",
    families=MappingProxyType(
        {
            "compute": "#566779",
            "normalize": "#475461",
            "activate": "#404B57",
            "combine": "#3A444F",
            "reduce": "#4A5567",
            "move": "#2E363F",
            "quantize": "#4F4F68",
            "control": "#575A78",
            "border": "#1D2228",
            "other": "#363F49",
        }
    ),
    fold=mixed("#566779", "#171B20", 0.45),
    box_border="#6F7D8C",
    box_text="#E2E7EC",
    edge="#5C6874",
    edge_strong="#9CA9B6",
    control_edge=mixed("#5C6874", "#1D2228", 0.6),
    unknown=("#20262D", "#4A545F"),
    error=scale.DARK,
    overflow="#FF5FD2",
    front=mixed("#E2E7EC", "#171B20", 0.5),
)

THEMES: Mapping[ThemeName, DrawingColors] = MappingProxyType({"light": LIGHT, "dark": DARK})


def painted_in(colors: DrawingColors, palette: Palette, diverging: bool = False) -> DrawingColors:
    """The same theme with error in another palette; `diverging`: with a change in it."""
    if diverging:
        return replace(colors, error=change_scale_of(palette, colors.background == DARK.background))
    return (
        colors if palette == "ember" else replace(colors, error=scale_of(palette, colors.background == DARK.background))
    )
