"""`errorflow render FILE -o graph.svg`: the graph of a model as a picture."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import TYPE_CHECKING

from errorflow.cli.command import Command

if TYPE_CHECKING:
    from errorflow.report.request import Expand

# Written down once more, since the layout is not loaded to answer --help.
VIEWS = ("columns", "down", "rows", "right")
LARGEST_SCALE = 16.0
# The side of a tile, from, to.
TILES = (256, 8000)


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a model")
    parser.add_argument(
        "-o", "--output", metavar="PICTURE", required=True, help="where to write it: a name in .svg, .png or .pdf"
    )
    parser.add_argument(
        "--view",
        choices=VIEWS,
        default="columns",
        help="from top to bottom in columns (default) or in one piece, or from left to right, in rows or in one piece",
    )
    parser.add_argument(
        "--expand",
        type=_expand,
        metavar="all|none|N",
        help="open all groups, none, or N levels of them (default: as many as can be read well)",
    )
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--scale", type=_scale, metavar="S", help="so many pixels per unit of the drawing")
    size.add_argument("--width", type=_pixels, metavar="PX", help="so many pixels across instead")
    parser.add_argument(
        "--tile",
        type=_tile,
        metavar="PX",
        help="cut a .png into tiles of that side, shown together by an .html page (large ones are cut anyway)",
    )
    parser.add_argument("--theme", choices=("light", "dark"), default="light", help="its colours (default: light)")
    parser.add_argument("--title", metavar="TEXT", help="what stands above the graph (default: the file's name)")
    parser.add_argument("--shapes", action="store_true", help="work out missing shapes first (ONNX)")
    parser.add_argument("--results", metavar="TABLE", help="paint it by the result table of another tool")
    parser.add_argument("--column", metavar="KEY", help="by that column of it (default: the first that can be)")


def _expand(text: str) -> "Expand":
    if text in ("all", "none"):
        return "all" if text == "all" else 0
    if not text.isdecimal() or len(text) > 3:
        raise ArgumentTypeError(f"{text!r} is none of: all, none, a number of levels")
    return int(text)


def _scale(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.01 <= value <= LARGEST_SCALE:
        raise ArgumentTypeError(f"{text!r} is no number from 0.01 to {LARGEST_SCALE:g}")
    return value


def _pixels(text: str, least: int = 16, most: int = 1_000_000) -> int:
    if not text.isdecimal() or len(text) > 9 or not least <= int(text) <= most:
        raise ArgumentTypeError(f"{text!r} is no number of pixels from {least} to {most}")
    return int(text)


def _tile(text: str) -> int:
    return _pixels(text, *TILES)


def _run(options: Namespace) -> int:
    from errorflow.cli.meter import Meter
    from errorflow.report.render import render
    from errorflow.report.request import Request

    values = {name: value for name, value in vars(options).items() if name != "run" and value is not None}
    with Meter() as meter:
        text = render(Request(**values), meter)
    print(text)
    return 0


RENDER = Command("render", "Write the graph of a model as a picture.", _arguments, _run)
