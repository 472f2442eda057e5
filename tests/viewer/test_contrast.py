"""Whatever is written can be read in both themes, and what is no text can be made out (WCAG 2.2, AA)."""

from typing import get_args

import pytest

from errorflow.case.session.model import Palette
from errorflow_viewer.canvas.colors import SHADES, colors_of, ink_on
from errorflow_viewer.kit.look import DARK, FAMILIES, LIGHT, Theme
from errorflow_viewer.kit.style import stylesheet
from viewer.kit.test_look import contrast

TEXT, PARTS = 4.5, 3.0
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
GROUNDS = ("background", "surface", "raised", "canvas", "hover")
# `#RRGGBB` of what is behind, by what is written on it: all that the style sheet puts together.
PAIRS = (
    ("text", (*GROUNDS, "selected")),
    ("muted", (*GROUNDS, "selected")),
    ("link", (*GROUNDS, "selected")),
    ("selected_text", ("selected",)),
    ("on_accent", ("accent", "focus")),
)


@THEMES
@pytest.mark.parametrize(("ink", "grounds"), PAIRS, ids=lambda value: value if isinstance(value, str) else "")
def test_text_can_be_read_in_every_state(theme: Theme, ink: str, grounds: tuple[str, ...]) -> None:
    for ground in grounds:
        assert contrast(getattr(theme, ink), getattr(theme, ground)) >= TEXT, ground


@THEMES
@pytest.mark.parametrize("kind", ["error", "warning", "info"])
@pytest.mark.parametrize("ink", ["text", "muted", "link"])
def test_text_can_be_read_on_messages(theme: Theme, kind: str, ink: str) -> None:
    assert contrast(getattr(theme, ink), getattr(theme, kind).background) >= TEXT


@THEMES
@pytest.mark.parametrize("kind", ["error", "warning", "info"])
def test_a_sign_can_be_made_out_wherever_it_stands(theme: Theme, kind: str) -> None:
    mark = getattr(theme, kind).mark
    for ground in (theme.background, theme.surface, theme.raised, getattr(theme, kind).background):
        assert contrast(mark, ground) >= PARTS


@THEMES
@pytest.mark.parametrize("ground", ["background", "surface", "raised", "hover", "canvas"])
def test_rings_and_outlines_of_fields_can_be_made_out(theme: Theme, ground: str) -> None:
    for part in (theme.focus, theme.outline, theme.accent, theme.selection):
        assert contrast(part, getattr(theme, ground)) >= PARTS


@THEMES
def test_a_ring_can_be_made_out_on_a_row_that_is_selected(theme: Theme) -> None:
    assert contrast(theme.focus, theme.selected) >= PARTS
    assert contrast(theme.accent, theme.selected) >= PARTS


@THEMES
def test_fields_have_the_outline_that_can_be_made_out(theme: Theme) -> None:
    rules = stylesheet(theme).replace("\n", " ")
    for field in ("QLineEdit {", 'QPlainTextEdit[role="field"] {'):
        assert f"border: 1px solid {theme.outline};" in rules[rules.index(field) :].split("}")[0]


@THEMES
@pytest.mark.parametrize("diverging", [False, True], ids=["error", "change"])
@pytest.mark.parametrize("palette", get_args(Palette))
def test_text_can_be_read_on_every_shade_of_error(theme: Theme, palette: Palette, diverging: bool) -> None:
    colors = colors_of(theme, palette, diverging)
    for shade in range(SHADES):
        fill = colors.error[shade]
        assert contrast(ink_on(fill, colors).name(), fill.name()) >= TEXT, (shade, fill.name())


@THEMES
def test_text_can_be_read_on_every_box_and_group(theme: Theme) -> None:
    colors = colors_of(theme)
    for fill in (*colors.families, colors.constant, colors.fold, colors.blank):
        assert contrast(ink_on(fill, colors).name(), fill.name()) >= TEXT
    for ground in (colors.background, *colors.groups):
        assert contrast(colors.group_text.name(), ground.name()) >= TEXT
    assert len(colors.families) == len(FAMILIES)


@THEMES
def test_edges_rings_and_marks_can_be_made_out_on_the_graph(theme: Theme) -> None:
    colors = colors_of(theme)
    for ground in (colors.background, *colors.groups):
        for part in (colors.selection, colors.edge_strong, colors.front, colors.found, colors.overflow):
            assert contrast(part.name(), ground.name()) >= PARTS, (part.name(), ground.name())


@THEMES
def test_text_on_the_legend_can_be_read(theme: Theme) -> None:
    colors = colors_of(theme)
    for ink in (colors.muted, colors.box_text):
        assert contrast(ink.name(), colors.sheet.name()) >= TEXT
