from itertools import pairwise

import pytest

from errorflow.case.session.model import PALETTES, Palette
from errorflow.report import colors
from errorflow.report.colors import painted_in
from errorflow.report.scale import LIGHT, SCALES, Rgb, luminance, scale_of

# Machado, Oliveira and Fernandes 2009: what full protanopia, deuteranopia and tritanopia leave of linear RGB.
VISION = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def _seen(color: Rgb, vision: str) -> float:
    linear = [(c / 255) ** 2.2 for c in color]
    mixed = [sum(w * c for w, c in zip(row, linear, strict=True)) for row in VISION[vision]]
    red, green, blue = (min(255, max(0, round(255 * max(0.0, c) ** (1 / 2.2)))) for c in mixed)
    return luminance((red, green, blue))


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("palette", PALETTES)
def test_worse_is_always_further_from_the_background(palette: Palette, dark: bool, vision: str) -> None:
    scale, sign = scale_of(palette, dark), 1 if dark else -1
    seen = [_seen(scale.color(step / 20), vision) for step in range(21)]

    # A step that nobody could see would be none.
    assert all(sign * (b - a) > 0.003 for a, b in pairwise(seen))


@pytest.mark.parametrize("palette", PALETTES)
def test_the_worst_glows_on_dark_ground_and_is_no_white_frame(palette: Palette) -> None:
    worst = scale_of(palette, dark=True).color(1.0)
    background = colors.DARK.background
    ground = luminance((int(background[1:3], 16), int(background[3:5], 16), int(background[5:], 16)))

    assert (luminance(worst) + 0.05) / (ground + 0.05) > 4.5
    assert luminance(worst) < 0.5
    assert 1 - min(worst) / max(worst) > 0.55, "the share of colour in it"


def test_every_palette_has_its_scales() -> None:
    assert set(SCALES) == set(PALETTES)
    assert len({scale.stops[1:] for scales in SCALES.values() for scale in scales}) == 2 * len(PALETTES)


@pytest.mark.parametrize("palette", PALETTES)
def test_a_theme_is_painted_in_any_palette(palette: Palette) -> None:
    for theme, dark in ((colors.LIGHT, False), (colors.DARK, True)):
        assert painted_in(theme, palette).error is scale_of(palette, dark)


@pytest.mark.parametrize("value", [-1.0, 0.0])
def test_good_is_the_first_color(value: float) -> None:
    assert LIGHT.hex(value) == "#E9EEF3"


@pytest.mark.parametrize("value", [1.0, 7.0])
def test_bad_is_the_last_color(value: float) -> None:
    assert LIGHT.hex(value) == "#7B1E3A"
