"""`errorflow run MODEL --inputs …`: every tensor of an ONNX model for given inputs."""

from argparse import ArgumentParser, Namespace, _ArgumentGroup
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base.errors import UsageError
from errorflow.cli.command import Command
from errorflow.cli.meter import Meter, plain

if TYPE_CHECKING:
    from errorflow.run.both import RunInputs

SHOWN = 5
EXAMPLES = """\
examples:
  errorflow run model.onnx --inputs x.npz -out result        writes result/model.npz, to compare with -g
  errorflow run model.onnx --inputs x.npz --npy -out result  and result/model_npy, as Ascend's tools want it
  errorflow run model.onnx --random 1 -out result            on made-up inputs
"""


def add_inputs(parser: ArgumentParser | _ArgumentGroup) -> None:
    """Adds options for the inputs of a model."""
    parser.add_argument(
        "--inputs",
        nargs="+",
        default=[],
        metavar="FILE",
        help=".npz with an array per input, a folder of .npy, or files called as the inputs (.npy, .bin)",
    )
    parser.add_argument("--random", type=int, metavar="SEED", help="make up the inputs that no file has")
    parser.add_argument(
        "--threads", type=int, default=1, metavar="N", help="of one node (default: 1, which always gives the same bits)"
    )


def _arguments(parser: ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    parser.add_argument("model", metavar="MODEL", help="an ONNX model")
    add_inputs(parser)
    parser.add_argument(
        "--shapes", action="append", default=[], metavar="NAME=1x3x8x8:float32", help="of a raw .bin; repeatable"
    )
    parser.add_argument("--npy", action="store_true", help="also write a folder of operator.output.time.npy")
    parser.add_argument("-out", "--output", metavar="DIR", default=".", help="where to write (default: here)")


def _run(options: Namespace) -> int:
    from errorflow.cli.asked import folder
    from errorflow.graph.build import counted
    from errorflow.run.as_files import write_beside
    from errorflow.run.both import run_model

    model, out = Path(options.model), folder(options)
    with Meter() as meter:
        ran = run_model(model, fed_by(options), out / f"{model.stem}.npz", meter)
        notes, files = list(ran.notes), [str(ran.path)]
        if options.npy:
            place, problems = write_beside(model, ran.path, meter)
            notes, files = [*notes, *problems], [*files, str(place)]
    facts = ", ".join(f"{name} {value}" for name, value in ({} if ran.facts is None else ran.facts).items())
    print(plain(f"{counted(ran.tensors, 'tensor', 'tensors')} of {model.name} ({facts})"))
    for note in notes[:SHOWN]:
        print(plain(note.text))
    if len(notes) > SHOWN:
        print(f"and {len(notes) - SHOWN:,} more were left out")
    print(plain(f"Written: {', '.join(files)}"))
    return 0


def fed_by(options: Namespace) -> "RunInputs":
    """Reads what the options give to run a model with."""
    from errorflow.run.both import RunInputs

    if options.threads < 1:
        raise UsageError("--threads must be at least 1.", "Leave it out for one thread.")
    if options.random is not None and options.random < 0:
        raise UsageError("--random takes a number from 0 on.", "Give any, such as 1.")
    return RunInputs(tuple(map(Path, options.inputs)), tuple(options.shapes), options.random, options.threads)


RUN = Command("run", "Run an ONNX model and write down every tensor.", _arguments, _run)
