"""`errorflow render FILE -o graph.svg`: the graph of a model as a picture."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import TYPE_CHECKING

from errorflow.cli.command import Command
from errorflow.cli.meter import Meter

if TYPE_CHECKING:
    from errorflow.report.request import Expand

# Written down once more, since the layout is not loaded to answer --help.
VIEWS = ("columns", "down", "rows", "right")
PALETTES = ("ember", "blue-orange", "single")
PRESETS = ("default", "float16", "int8-classification", "int8-detection", "ascend")
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
    size.add_argument("--scale", type=scale_of, metavar="S", help="so many pixels per unit of the drawing")
    size.add_argument("--width", type=_pixels, metavar="PX", help="so many pixels across instead")
    parser.add_argument(
        "--tile",
        type=_tile,
        metavar="PX",
        help="cut a .png into tiles of that side, shown together by an .html page (large ones are cut anyway)",
    )
    parser.add_argument("--theme", choices=("light", "dark"), default="light", help="its colours (default: light)")
    parser.add_argument("--title", metavar="TEXT", help="what stands above the graph (default: the file's name)")
    parser.add_argument(
        "--no-caption",
        dest="caption",
        action="store_false",
        help="leave out what was compared, date and versions: the same graph always gives the same file then",
    )
    parser.add_argument("--shapes", action="store_true", help="work out missing shapes first (ONNX)")
    _add_painting(parser)


def _add_painting(parser: ArgumentParser) -> None:
    what = parser.add_argument_group("painted by error")
    what.add_argument("--results", metavar="TABLE", help="by the result table of another tool")
    what.add_argument("--column", metavar="KEY", help="by that column of it (default: the one of --metric)")
    what.add_argument(
        "--compared",
        metavar="TABLE",
        help="by the tensors.csv that `errorflow compare` or `simulate` wrote, or a session",
    )
    what.add_argument(
        "--against", metavar="TABLE", help="by what changed from this table to the one of --compared: better or worse"
    )
    what.add_argument("-m", "--my_dump_path", dest="candidate", metavar="RUN", help="by this run against that of -g")
    what.add_argument("-g", "--golden_dump_path", dest="reference", metavar="RUN", help="the run that is right")
    what.add_argument(
        "-f", "--fusion_rule_file", dest="fusion", metavar="FILE", help="the model on the NPU (.om or its JSON)"
    )
    what.add_argument(
        "-q", "--quant_fusion_rule_file", dest="quantization", metavar="FILE", help="AMCT's quantization information"
    )
    how = parser.add_argument_group("how it is painted")
    how.add_argument("--metric", metavar="KEY", help="such as cosine, sqnr or share, of blame (default: relative_l2)")
    how.add_argument("--limits", action="append", metavar="KEY=GOOD,BAD", help="such as cosine=0.99,0.9; repeatable")
    how.add_argument("--preset", choices=PRESETS, help="limits that suit a task")
    how.add_argument("--palette", choices=PALETTES, help="colours of error (default: ember)")
    how.add_argument(
        "--swap", action="store_true", help="fill nodes by what each introduces, with what has come together as the bar"
    )


def _expand(text: str) -> "Expand":
    if text in ("all", "none"):
        return "all" if text == "all" else 0
    if not text.isdecimal() or len(text) > 3:
        raise ArgumentTypeError(f"{text!r} is none of: all, none, a number of levels")
    return int(text)


def scale_of(text: str) -> float:
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
    from errorflow.report.render import render
    from errorflow.report.request import Request

    values = {name: value for name, value in vars(options).items() if name != "run" and value is not None}
    values["limits"] = tuple(values.get("limits", ()))
    with Meter() as meter:
        text = render(Request(**values), meter)
    print(text)
    return 0


RENDER = Command("render", "Write the graph of a model as a picture.", _arguments, _run)
