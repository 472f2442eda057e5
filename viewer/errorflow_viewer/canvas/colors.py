"""The colours that the canvas paints with, made from a theme in one place."""

from collections.abc import Sequence

from PySide6.QtGui import QColor

from errorflow.base.values import dataclass, replace
from errorflow.case.session.model import Palette
from errorflow.report.colors import DARK, LIGHT, DrawingColors, painted_in
from errorflow.report.fold import BAND_BADNESS
from errorflow.report.scale import Rgb, change_scale_of, scale_of
from errorflow.report.tints import SHADES as TINTS
from errorflow.report.tints import shade_badness
from errorflow_viewer.kit.look import FAMILIES, Theme

# How much in lightness a fleck of a few pixels must differ from what is behind it: one whose colour says something
# must be seen and keep its hue, others carry the picture alone.
LOUD_APART, QUIET_APART = 0.11, 0.17
# On a dark ground the eye tells small steps less well.
QUIET_APART_DARK = 0.25
# What has not been measured stays behind what is good.
FAINT_APART = 0.06
# The groups that it must be seen against (deeper ones are rare at such a zoom); in how many steps, and to what share,
# border is mixed in.
_GROUPS, _STEPS, _MOST = 3, 16, 0.8
# The contrast that small text must have.
READABLE = 4.5
# In how many steps badness is painted.
SHADES = 32


@dataclass(frozen=True, slots=True)
class CanvasColors:
    """Colours of everything that the canvas draws."""

    background: QColor
    # Open groups by depth; deeper ones repeat the last.
    groups: tuple[QColor, ...]
    group_border: QColor
    group_text: QColor
    # Boxes: by operator family in the order of `look.FAMILIES`, then constants, closed groups and stacks.
    families: tuple[QColor, ...]
    constant: QColor
    fold: QColor
    box_border: QColor
    box_text: QColor
    muted: QColor
    edge: QColor
    edge_strong: QColor
    selection: QColor
    # Round what a search has found.
    found: QColor
    # What has not been measured, and what is beyond the range of its type.
    unmeasured: QColor
    overflow: QColor
    # The ground of what is hatched because it has not been measured, and the lines of what cannot be compared.
    blank: QColor
    crossed: QColor
    # Badness in `SHADES` steps from good to bad, what stands for each part of a bar, and edges by what they carry.
    error: tuple[QColor, ...]
    bands: tuple[QColor, ...]
    tints: tuple[QColor, ...]
    # Round what the front has come to.
    front: QColor
    # The minimap's sheet.
    sheet: QColor
    # The same theme and palette for shapes.
    drawing: DrawingColors
    # Better and worse are apart, and the middle of `error` is what is the same.
    diverging: bool = False

    @property
    def dark(self) -> bool:
        return lightness(self.background) < 0.5

    def group(self, depth: int) -> QColor:
        return self.groups[min(depth, len(self.groups) - 1)]


def colors_of(theme: Theme, palette: Palette = "ember", diverging: bool = False) -> CanvasColors:
    """The canvas in a theme; `diverging`: what is painted is a change."""
    families = tuple(QColor(theme.families[family]) for family in FAMILIES)
    front = mixed(QColor(theme.node_text), QColor(theme.canvas), 0.36)
    scale = change_scale_of(palette, theme.dark) if diverging else scale_of(palette, theme.dark)
    return CanvasColors(
        background=QColor(theme.canvas),
        groups=tuple(QColor(group) for group in theme.groups),
        group_border=QColor(theme.group_border),
        group_text=QColor(theme.group_text),
        families=families,
        constant=QColor(theme.families["border"]),
        fold=mixed(QColor(theme.families["compute"]), QColor(theme.canvas), 0.45),
        box_border=QColor(theme.node_border),
        box_text=QColor(theme.node_text),
        muted=QColor(theme.muted),
        edge=QColor(theme.edge),
        edge_strong=QColor(theme.edge_strong),
        selection=QColor(theme.selection),
        found=mixed(QColor(theme.node_text), QColor(theme.canvas), 0.2),
        unmeasured=QColor(theme.not_measured),
        overflow=QColor(theme.overflow),
        blank=mixed(QColor(theme.not_measured), QColor(theme.groups[0]), 0.8),
        crossed=mixed(QColor(theme.not_measured), QColor(theme.node_border), 0.6),
        error=tuple(_rgb(scale.color(step / (SHADES - 1))) for step in range(SHADES)),
        bands=tuple(_rgb(scale.color(badness)) for badness in BAND_BADNESS),
        tints=tuple(_rgb(scale.color(shade_badness(shade + 1))) for shade in range(TINTS)),
        front=front,
        sheet=QColor(theme.raised),
        drawing=replace(painted_in(DARK if theme.dark else LIGHT, palette, diverging), front=front.name()),
        diverging=diverging,
    )


def _rgb(color: Rgb) -> QColor:
    return QColor(*color)


def painting_order(diverging: bool) -> tuple[int, ...]:
    """Lists all shades of badness, what must not be hidden last."""
    if not diverging:
        return tuple(range(SHADES))
    middle = (SHADES - 1) / 2
    return tuple(sorted(range(SHADES), key=lambda shade: (abs(shade - middle), shade)))


def mixed(one: QColor, other: QColor, share: float) -> QColor:
    """Mixes `one` with a share (0…1) of `other`."""
    keep = 1.0 - share
    return QColor.fromRgbF(
        one.redF() * keep + other.redF() * share,
        one.greenF() * keep + other.greenF() * share,
        one.blueF() * keep + other.blueF() * share,
    )


def lightness(color: QColor) -> float:
    """Computes how light the eye sees a colour, 0 black … 1 white (CIE L*)."""
    luminance = _luminance(color)
    return (1.16 * luminance ** (1 / 3) - 0.16) if luminance > 0.008856 else 9.033 * luminance


def _luminance(color: QColor) -> float:
    parts = (color.redF(), color.greenF(), color.blueF())
    red, green, blue = (p / 12.92 if p <= 0.04045 else float(((p + 0.055) / 1.055) ** 2.4) for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def grounds_of(colors: CanvasColors) -> tuple[float, ...]:
    """Lists how light what lies behind a fleck is."""
    return tuple(lightness(ground) for ground in (colors.background, *colors.groups[:_GROUPS]))


def fleck(fill: QColor, colors: CanvasColors, grounds: Sequence[float], apart: float = LOUD_APART) -> QColor:
    """The colour of a box too small for a border: its fill, with as much of the border as it takes to be seen."""
    for step in range(_STEPS):
        candidate = mixed(fill, colors.box_border, _MOST * step / _STEPS)
        level = lightness(candidate)
        if min(abs(level - ground) for ground in grounds) >= apart:
            return candidate
    return mixed(fill, colors.box_border, _MOST)


def ink_on(fill: QColor, colors: CanvasColors) -> QColor:
    """The text colour that reads on a fill: the theme's, its opposite, or on tones in the middle black or white."""
    opposite = QColor("#FFFFFF") if lightness(colors.box_text) < 0.5 else QColor("#14181D")
    soft = max((colors.box_text, opposite), key=lambda ink: contrast(ink, fill))
    if contrast(soft, fill) >= READABLE:
        return soft
    return max((QColor("#000000"), QColor("#FFFFFF")), key=lambda ink: contrast(ink, fill))


def contrast(one: QColor, other: QColor) -> float:
    """Computes the contrast between two colours as WCAG 2 defines it, 1 to 21."""
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)
