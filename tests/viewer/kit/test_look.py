"""The themes: complete, readable, and with colour kept for error."""

from dataclasses import fields

import pytest
from PySide6.QtGui import QColor

from errorflow_viewer.kit.look import DARK, FAMILIES, LIGHT, Banner, Theme, family_of

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def luminance(color: str) -> float:
    """As WCAG 2 defines it."""
    tone = QColor(color)
    parts = (tone.redF(), tone.greenF(), tone.blueF())
    red, green, blue = (p / 12.92 if p <= 0.04045 else float(((p + 0.055) / 1.055) ** 2.4) for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@THEMES
@pytest.mark.parametrize("ground", ["background", "surface", "raised", "canvas", "hover"])
@pytest.mark.parametrize("ink", ["text", "muted", "link"])
def test_text_can_be_read_on_every_ground(theme: Theme, ground: str, ink: str) -> None:
    assert contrast(getattr(theme, ink), getattr(theme, ground)) >= 4.5


@THEMES
def test_text_can_be_read_where_it_is_selected_or_on_a_button(theme: Theme) -> None:
    assert contrast(theme.selected_text, theme.selected) >= 4.5
    assert contrast(theme.on_accent, theme.accent) >= 4.5


@THEMES
@pytest.mark.parametrize("kind", ["error", "warning", "info"])
def test_messages_can_be_read(theme: Theme, kind: str) -> None:
    banner: Banner = getattr(theme, kind)
    assert contrast(theme.text, banner.background) >= 4.5
    assert contrast(banner.mark, banner.background) >= 3


@THEMES
@pytest.mark.parametrize("family", FAMILIES)
def test_nodes_are_grey_and_their_text_can_be_read(theme: Theme, family: str) -> None:
    fill = QColor(theme.families[family])
    assert contrast(theme.node_text, theme.families[family]) >= 4.5
    assert fill.hsvSaturationF() <= 0.35


@THEMES
def test_a_group_is_told_from_the_one_around_it(theme: Theme) -> None:
    levels = [luminance(color) for color in (theme.canvas, *theme.groups)]
    assert levels == sorted(levels, reverse=not theme.dark)
    assert len(set(levels)) == len(levels)


@THEMES
def test_every_colour_is_one(theme: Theme) -> None:
    for row in fields(theme):
        value = getattr(theme, row.name)
        if isinstance(value, str) and row.name != "name":
            assert QColor(value).isValid()


@pytest.mark.parametrize(
    ("op_type", "family"),
    [("Conv", "compute"), ("Relu", "activate"), ("AscendQuant", "quantize"), ("If", "control"), ("Nonsense", "other")],
)
def test_operators_have_a_family(op_type: str, family: str) -> None:
    assert family_of(op_type) == family
    assert family in FAMILIES
