"""The patterns of an SVG: what was not measured or cannot be compared, and values that are no numbers."""

from errorflow.report.colors import DrawingColors, mixed

_BLACK, _WHITE = "#000", "#FFF"


def patterns(colors: DrawingColors) -> str:
    """`unknown` is hatched, `crossed` hatched both ways; `broken` is a check, `infinite` slanting stripes."""
    ground, stripe = colors.unknown
    hatch = f'<rect width="6" height="6" fill="{ground}"/><rect width="2" height="6" fill="{stripe}"/>'
    strong = mixed(stripe, colors.box_border, 0.6)
    cross = f'<rect width="2" height="6" fill="{strong}"/><rect width="6" height="2" fill="{strong}"/>'
    check = f'<rect width="4" height="4" fill="{_WHITE}"/><path d="M0 0h2v2h-2zM2 2h2v2h-2z" fill="{_BLACK}"/>'
    stripes = f'<rect width="8" height="8" fill="{_WHITE}"/><rect width="4" height="8" fill="{_BLACK}"/>'
    return (
        _pattern("unknown", 6, hatch, slanting=True)
        + _pattern("crossed", 6, hatch + cross, slanting=True)
        + _pattern("broken", 4, check)
        + _pattern("infinite", 8, stripes, slanting=True)
    )


def _pattern(name: str, side: int, inside: str, *, slanting: bool = False) -> str:
    turned = ' patternTransform="rotate(45)"' if slanting else ""
    size = f'width="{side}" height="{side}" patternUnits="userSpaceOnUse"'
    return f'<pattern id="{name}" {size}{turned}>{inside}</pattern>'
