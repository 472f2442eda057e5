"""The way in: `errorflow-viewer [files]`. Builds everything, wires it, and runs it."""

import argparse
import multiprocessing
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import errorflow
from errorflow.language import LANGUAGES

if TYPE_CHECKING:
    from errorflow.scenarios.setup import Setup

# Models in place of runs are run.
_RUN = ".onnx"


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns what the process ends with."""
    multiprocessing.freeze_support()  # in a bundle a child process comes in through this door as well
    given = sys.argv[1:] if arguments is None else arguments
    if list(given) == ["--render"]:  # how a bundle starts the renderer of `errorflow render`
        from errorflow_viewer.export.main import main as render

        return render()
    options = _parse(given)
    if options.language:
        os.environ["ERRORFLOW_LANGUAGE"] = options.language  # this run's, whatever was chosen for all
    files, setup = _wanted(options), _compared(options)
    alone = options.new_instance or options.self_test
    from errorflow_viewer.single import Reply, address, hand_over, have_runtime_folder

    have_runtime_folder()
    where = None if alone else address()
    # Before all that a window needs is loaded: a second start is over in a moment.
    reply = Reply.NOBODY if where is None else hand_over(where, files, setup=setup)
    if reply is Reply.TAKEN:
        return 0
    from errorflow_viewer.running import run

    return run(
        files, None if reply is Reply.BUSY else where, reply is Reply.BUSY, self_test=options.self_test, setup=setup
    )


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Answers --help and --version without Qt, so that they work where no window can open."""
    parser = argparse.ArgumentParser(prog="errorflow-viewer", description="Shows a model as a graph.")
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="a model to open; or a folder, or several files, that hold what is to be compared",
        type=_absolute,
    )
    parser.add_argument("--sample", action="store_true", help="open the first of the built-in samples")
    parser.add_argument("--new-instance", action="store_true", help="open a window of its own, even if one is open")
    parser.add_argument(
        "--language", choices=("system", *(each.key for each in LANGUAGES)), help="what the window speaks this time"
    )
    parser.add_argument(
        "--self-test", action="store_true", help="open the window, draw a sample, say how it went, and end"
    )
    parser.add_argument("--version", action="version", version=f"Errorflow {errorflow.__version__}")
    parser.add_argument("--compare", action="store_true", help="compare two runs: as `errorflow compare`, to look at")
    if "--compare" in arguments or not {"-h", "--help"}.isdisjoint(arguments):
        from errorflow.cli.compare_arguments import add_knowledge, add_runs

        add_runs(parser, required=False)
        beside = parser.add_argument_group("what else is known")
        add_knowledge(beside)
        beside.add_argument("--inputs", metavar="FILE", help="of two ONNX models that are run (default: made up)")
    return parser.parse_args(arguments)


def _compared(options: argparse.Namespace) -> "Setup | None":
    """What is to be compared, if anything is named; without a name the page asks."""
    if not options.compare:
        return None
    from errorflow.cli.asked import setup_of
    from errorflow.scenarios.setup import Setup

    given = setup_of(options)
    files = {need: _absolute(str(path)) for need, path in given.files.items()}
    sides = files.get("candidate"), files.get("reference")
    if given.file("simulator") is None and all(path is not None and path.suffix == _RUN for path in sides):
        files = {"quantized": sides[0], "original": sides[1]}  # type: ignore[dict-item]  # neither is None
        given = Setup("onnx", files, given.shapes)
    if options.inputs:
        files["inputs"] = _absolute(options.inputs)
    return Setup(given.scenario, files, given.shapes)


def _wanted(options: argparse.Namespace) -> list[Path]:
    """The files to open, named or built in."""
    if not options.sample:
        return list(options.files)
    from errorflow.sample import SAMPLES

    return [*options.files, SAMPLES[0].model]


def _absolute(text: str) -> Path:
    return Path(os.path.abspath(text))  # noqa: PTH100 - `resolve` would replace a link by what it points to


if __name__ == "__main__":
    sys.exit(main())
