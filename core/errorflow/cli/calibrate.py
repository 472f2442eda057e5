"""`errorflow calibrate MODEL --data …`: the range of each tensor, by one method or several."""

import math
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base.errors import FileError, UsageError
from errorflow.base.files import is_folder, write_atomic
from errorflow.cli.command import Command
from errorflow.cli.meter import Meter, plain
from errorflow.cli.of_session import taking_samples

if TYPE_CHECKING:
    from errorflow.run.calibrating import CalibrationRequest
    from errorflow.run.samples.asked import SampleSpec

SHOWN = 8
# More are made for minutes before anything runs.
MOST_THREADS = 256
OUT, TABLE = "calibration.json", "tensors.csv"
EXAMPLES = """\
examples:
  errorflow calibrate model.onnx --data calibration_data           a folder of .npy per input
  errorflow calibrate model.onnx --data x.npz --method all         every method, and where they differ
  errorflow calibrate model.onnx --data photos --resize letterbox --std 255 --dim N=1
  errorflow calibrate model_int8.onnx --data x.npz                 quantized already: the float model in it
"""


def add_samples(parser: ArgumentParser) -> None:
    """Adds the options of samples, which a model is fed with run after run."""
    group = parser.add_argument_group("samples")
    group.add_argument(
        "--data",
        nargs="+",
        default=[],
        metavar="PATH",
        help="a folder per input of .npy; a folder of .npy, .npz, .bin or pictures; .npz, .npy, .bin, .tar of pictures",
    )
    group.add_argument("--samples", type=int, metavar="N", help="take the first N (default: all)")
    group.add_argument("--random", type=int, metavar="SEED", help="make samples up instead: no verdict on real data")
    group.add_argument(
        "--dim", action="append", default=[], metavar="NAME=SIZE", help="a size that the model leaves open; repeatable"
    )
    group.add_argument("--mean", default="", metavar="M,M,M", help="of pictures: subtracted from pixels of 0 … 255")
    group.add_argument("--std", default="", metavar="S,S,S", help="of pictures: what they are divided by then")
    group.add_argument("--layout", choices=("NCHW", "NHWC"), help="of pictures (default: as the model's shape says)")
    group.add_argument("--colour", choices=("rgb", "bgr"), default="rgb", help="order of channels (default: rgb)")
    group.add_argument(
        "--resize", default="", metavar="WAY", help="of pictures: letterbox, stretch-bilinear, …, or none"
    )


def asked_by(options: Namespace) -> "SampleSpec":
    """The samples that the options of `add_samples` name."""
    from errorflow.run.samples.asked import LARGEST, MADE_UP, Pictures, SampleSpec
    from errorflow.run.samples.sizes import parse_dims

    if options.samples is not None and not 1 <= options.samples <= LARGEST:
        raise UsageError(f"--samples must be at least 1, and {LARGEST:,} at most.", "Leave it out to take all.")
    if options.random is not None and not 0 <= options.random <= LARGEST:
        raise UsageError(f"--random takes a number from 0 to {LARGEST:,}.", "Give any, such as 1.")
    if options.random is not None and options.data:
        raise UsageError("--data and --random cannot both be given.", "Leave out --random to take what was given.")
    layout = "" if options.layout is None else options.layout
    pictures = Pictures(
        _numbers("mean", options.mean), _numbers("std", options.std), layout, options.colour, options.resize
    )
    count = MADE_UP if options.samples is None else options.samples
    return SampleSpec(tuple(options.data), parse_dims(options.dim), pictures, options.random, count)


def some_notes(notes: Sequence[str]) -> Iterator[str]:
    """The first, and how many more there are."""
    yield from notes[:SHOWN]
    if len(notes) > SHOWN:
        yield f"and {len(notes) - SHOWN:,} more were left out"


def _numbers(name: str, text: str) -> tuple[float, ...]:
    try:
        found = tuple(float(part) for part in text.split(",")) if text else ()
    except ValueError:
        found = (math.nan,)
    if not all(map(math.isfinite, found)):
        raise UsageError(f"--{name} takes numbers, and “{text[:40]}” is none.", "Write them as 1,2.5,3.")
    return found


def _arguments(parser: ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    parser.add_argument(
        "model", metavar="MODEL", help="a float ONNX model, the float one in a quantized model, or a session"
    )
    add_samples(parser)
    parser.add_argument(
        "--method",
        "--methods",
        dest="methods",
        action="append",
        default=[],
        metavar="KEY,…",
        help="minmax (default), moving-average, percentile, percentile-99.9, mse, entropy, all",
    )
    parser.add_argument("--type", default="uint8", help="of the codes that the ranges are for (default: uint8)")
    parser.add_argument(
        "--per-channel", action="store_true", help=f"also write the range of each channel into {OUT}, for plans"
    )
    parser.add_argument(
        "--reference", type=Path, metavar="MODEL", help="of a quantized MODEL: the float one, for its weights"
    )
    parser.add_argument("--symmetric", action="store_true", help="codes go as far to both sides of zero")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="of one node (default: 1)")
    parser.add_argument("-out", "--out", metavar="FILE", default=OUT, help=f"default: {OUT}; {TABLE} is written beside")


def _run(options: Namespace) -> int:
    from errorflow.graph.build import counted
    from errorflow.quant.calibrate.saved import save_calibrations
    from errorflow.report.calibration import calibration_csv, calibration_lines
    from errorflow.study.simulate.floated import calibrated, floated

    asked, wish = asked_by(options), _wish(options)
    out = _target(options)
    with Meter() as meter, floated(Path(options.model), options.reference, meter) as opened:
        found, graph = calibrated(opened, asked, wish, meter), opened.model.graph
    save_calibrations(out, found.calibrations)
    table = out.with_name(TABLE)
    write_atomic(table, calibration_csv(found, graph))
    first = found.calibrations[0]
    what = f"{counted(len(first.ranges), 'tensor', 'tensors')} of {Path(options.model).name}"
    print(plain(f"{what} on {counted(first.samples, 'sample', 'samples')}. {first.facts['samples']}"))
    for line in some_notes(found.notes):
        print(plain(line))
    print(plain("\n".join([*calibration_lines(found), f"Written: {out}, {table}"])))
    return 0


def _wish(options: Namespace) -> "CalibrationRequest":
    from errorflow.quant.calibrate.asked import methods_of
    from errorflow.quant.precision import Precision
    from errorflow.run.calibrating import JUDGES, CalibrationRequest

    if not 1 <= options.threads <= MOST_THREADS:
        raise UsageError(f"--threads must be at least 1, and {MOST_THREADS} at most.", "Leave it out for one thread.")
    precision = Precision(options.type, symmetric=options.symmetric)
    judges = tuple(dict.fromkeys((precision, *JUDGES)))
    methods = methods_of(options.methods if options.methods else ["minmax"])
    return CalibrationRequest(methods, precision, options.samples, judges, options.threads, options.per_channel)


def _target(options: Namespace) -> Path:
    """The file for the ranges, whose folder is made."""

    out = Path(options.out)
    out = out / OUT if is_folder(out) else out
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        given = {Path(path).resolve() for path in (*options.data, options.model)}
    except OSError as error:
        raise FileError(f"The folder {out.parent} could not be made.", "Choose another one with --out.") from error
    if not given.isdisjoint((out.resolve(), out.with_name(TABLE).resolve())):
        raise UsageError(f"The result {out} would take the place of what is given.", "Write it elsewhere with --out.")
    return out


CALIBRATE = Command(
    "calibrate", "Find the range of each tensor of a model, by one method or several.", _arguments, taking_samples(_run)
)
