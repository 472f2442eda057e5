"""`errorflow convert -d DUMP`: what is in a dump of an NPU, as files that other programs read."""

import re
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.cli.command import Command
from errorflow.cli.meter import Meter
from errorflow.cli.tool_exit import with_tool_codes
from errorflow.compare.match.codes import WRONG_OPTIONS, WRONG_SHAPE, RefusedError

if TYPE_CHECKING:
    from errorflow.report.convert_all import ConversionOutcome
    from errorflow.report.converted import ConversionRequest

# At most so many sentences about broken dumps; all are in the list of failed files.
_MOST_SENTENCES = 20


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "-d", "--dump_file", metavar="DUMP", required=True, help="a dump file, several with commas, or a folder of them"
    )
    parser.add_argument("-f", "--format", metavar="FORMAT", help="bring tensors into this layout, such as NCHW")
    parser.add_argument("-s", "--shape", metavar="1,3,8,8", help="the shape that the tensor has in the model; needs -f")
    one = parser.add_mutually_exclusive_group()
    one.add_argument("-o", "--output_tensor", metavar="K", help="only output K; needs -f")
    one.add_argument("-i", "--input_tensor", metavar="K", help="only input K; needs -f")
    parser.add_argument(
        "-c", "--custom_script_path", metavar="DIR", help="your own converters: DIR/format_convert; runs them; needs -f"
    )
    parser.add_argument("-out", "--output", metavar="DIR", default=".", help="where to write (default: here)")
    parser.add_argument("-v", "--version", type=int, choices=(1, 2), help="accepted and ignored, as by msaccucmp")
    parser.add_argument(
        "-t",
        "--type",
        choices=("npy", "bin", "msnpy", "pt"),
        default="npy",
        help="npy (default), bin: the values only, msnpy: npy named for MindSpore, pt: for torch.load",
    )
    parser.add_argument("--workers", type=int, default=0, metavar="N", help="threads (default: one per core)")


def _run(options: Namespace) -> int:
    from errorflow.report.convert_all import convert_dumps, dumps_in

    dumps, one = dumps_in(options.dump_file)
    wish = _wish(options, one)
    with Meter() as meter:
        outcome = convert_dumps(dumps, wish, one=one, workers=options.workers, progress=meter)
    _print(outcome, wish.out)
    return outcome.code


def _wish(options: Namespace, one: bool) -> "ConversionRequest":
    from errorflow.formats.convert import LAYOUTS, Converters
    from errorflow.report.converted import ConversionRequest

    out, needing = Path(options.output), ("output_tensor", "input_tensor", "shape", "custom_script_path")
    if options.format is None:
        if any(getattr(options, name) is not None for name in needing):
            alone = "-o, -i, -s and -c have a meaning only together with -f."
            raise RefusedError(alone, "Add -f NCHW, for example.", WRONG_OPTIONS)
        return ConversionRequest(out, options.type)
    if options.format not in LAYOUTS:
        known = f"These are known: {', '.join(LAYOUTS)}."
        raise RefusedError(f"There is no layout {options.format}.", known, WRONG_OPTIONS)
    custom = None if options.custom_script_path is None else Converters.of(options.custom_script_path)
    for problem in () if custom is None else custom.problems:
        print(f"errorflow: {problem}", file=sys.stderr)
    if not one:
        return ConversionRequest(out, options.type, options.format, custom=custom)
    side, index = _side(options)
    return ConversionRequest(out, options.type, options.format, _shape(options.shape), side, index, custom)


def _side(options: Namespace) -> tuple[str, int]:
    for side, text in (("output", options.output_tensor), ("input", options.input_tensor)):
        if text:
            if not re.fullmatch(r"[0-9]{1,9}", text):
                raise RefusedError(f"{text} is no number of a tensor.", "Give 0 for the first one.", WRONG_OPTIONS)
            return side, int(text)
    return "", 0


def _shape(text: str | None) -> tuple[int, ...]:
    if not text:
        return ()
    sizes = tuple(map(int, text.split(","))) if re.fullmatch(r"([0-9]{1,18},)+[0-9]{1,18}", text) else ()
    if not sizes or 0 in sizes:
        raise RefusedError(f"{text} is no shape.", "Write at least two sizes, as in 1,3,224,224.", WRONG_SHAPE)
    return sizes


def _print(outcome: "ConversionOutcome", out: Path) -> None:
    failures = [(made.dump.name, what, error) for made in outcome.failed for what, error in made.failures]
    for name, what, error in failures[:_MOST_SENTENCES]:
        print(f"errorflow: {name}{f', {what}' if what else ''}: {error.message}\n{error.hint}", file=sys.stderr)
    if len(failures) > _MOST_SENTENCES:
        print(f"errorflow: {len(failures) - _MOST_SENTENCES:,} more could not be converted.", file=sys.stderr)
    dumps = len(outcome.written)
    files = "file" if outcome.files == 1 else "files"
    print(f"{outcome.files:,} {files} from {dumps:,} {'dump' if dumps == 1 else 'dumps'} written to {out}.")


CONVERT = Command(
    "convert", "Write the tensors of NPU dumps as .npy, .bin or .pt files.", _arguments, with_tool_codes(_run)
)
