"""The two themes as values, the sizes, and the tone of each operator family. No widget names a colour of its own.

Quiet instrument, loud fault: everything here is calm but the error scale, which is reserved for measured error.
"""

from collections.abc import Mapping
from typing import Literal

from errorflow.base.values import dataclass
from errorflow.report import colors

# What an operator does. A family has a tone, never a hue of the error scale; the engine's own pictures know it too.
from errorflow.report.families import FAMILIES as FAMILIES
from errorflow.report.families import family_of as family_of

# Text sizes in px: labels, body, panel titles, start page.
LABEL, BODY, TITLE, DISPLAY = 11, 12, 14, 20
# The 4 px grid.
GRID, PADDING, GAP, ROW, TARGET, RADIUS = 4, 8, 12, 24, 24, 4
FONT_FAMILY = "Errorflow Sans"


@dataclass(frozen=True, slots=True)
class Banner:
    """Colours of one kind of message."""

    background: str
    border: str
    mark: str


@dataclass(frozen=True, slots=True)
class Theme:
    """Every colour of the window as #RRGGBB."""

    name: Literal["light", "dark"]
    # Chrome (toolbar, dock titles, status bar); lists and forms; cards and pop-ups.
    background: str
    surface: str
    raised: str
    hover: str
    hairline: str
    control_border: str
    # Of boxes to tick and to count in, which nothing but their outline shows.
    outline: str
    text: str
    muted: str
    disabled: str
    accent: str
    on_accent: str
    focus: str
    # Rows that are selected in lists.
    selected: str
    selected_text: str
    link: str
    # The graph.
    canvas: str
    groups: tuple[str, ...]
    group_border: str
    group_text: str
    families: Mapping[str, str]
    node_border: str
    node_text: str
    edge: str
    edge_strong: str
    selection: str
    # Messages.
    error: Banner
    warning: Banner
    info: Banner
    # States beside the error scale, which is `errorflow.report.scale`.
    not_measured: str
    overflow: str

    @property
    def dark(self) -> bool:
        return self.name == "dark"


LIGHT = Theme(
    name="light",
    background="#F3F5F8",
    surface="#FFFFFF",
    raised="#FFFFFF",
    hover="#E8EDF2",
    hairline="#DCE1E7",
    control_border="#B9C2CC",
    outline="#74808C",
    text="#1B232C",
    muted="#5A6672",
    disabled="#9AA4AE",
    accent="#2C5A86",
    on_accent="#FFFFFF",
    focus="#3070BB",
    selected="#D6E4F2",
    selected_text="#10202F",
    link="#23578C",
    canvas=colors.LIGHT.background,
    groups=colors.LIGHT.groups,
    group_border=colors.LIGHT.group_border,
    group_text=colors.LIGHT.group_text,
    families=colors.LIGHT.families,
    node_border=colors.LIGHT.box_border,
    node_text=colors.LIGHT.box_text,
    edge=colors.LIGHT.edge,
    edge_strong=colors.LIGHT.edge_strong,
    selection="#1F6FC4",
    error=Banner("#FCEBE7", "#F0BDB0", "#B93A17"),
    warning=Banner("#FDF5DF", "#EBD594", "#8A6100"),
    info=Banner("#E8F0F8", "#BFD3E6", "#2C5A86"),
    not_measured="#C3CAD2",
    overflow="#C2189B",
)

DARK = Theme(
    name="dark",
    background="#1B2026",
    surface="#20262D",
    raised="#2A313A",
    hover="#2F3741",
    hairline="#343C46",
    control_border="#505B67",
    outline="#75818E",
    text="#E2E7EC",
    muted="#9CA7B3",
    disabled="#66717D",
    accent="#86B7E8",
    on_accent="#10202F",
    focus="#5E9FE3",
    selected="#253E57",
    selected_text="#F0F5FA",
    link="#8FBEEC",
    canvas=colors.DARK.background,
    groups=colors.DARK.groups,
    group_border=colors.DARK.group_border,
    group_text=colors.DARK.group_text,
    families=colors.DARK.families,
    node_border=colors.DARK.box_border,
    node_text=colors.DARK.box_text,
    edge=colors.DARK.edge,
    edge_strong=colors.DARK.edge_strong,
    selection="#6CB2F7",
    error=Banner("#3A2522", "#6E3A2E", "#FF9075"),
    warning=Banner("#36301F", "#665526", "#E8BE5A"),
    info=Banner("#212F3D", "#37536E", "#86B7E8"),
    not_measured="#4A545F",
    overflow="#FF5FD2",
)
