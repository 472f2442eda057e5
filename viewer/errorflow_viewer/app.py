"""The way in: `errorflow-viewer [files]`. Builds everything, wires it, and runs it."""

import argparse
import multiprocessing
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import errorflow


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns what the process ends with."""
    multiprocessing.freeze_support()  # in a bundle a child process comes in through this door as well
    given = sys.argv[1:] if arguments is None else arguments
    if list(given) == ["--render"]:  # how a bundle starts the renderer of `errorflow render`
        from errorflow_viewer.export.main import main as render

        return render()
    options = _parse(given)
    files = _wanted(options)
    alone = options.new_instance or options.self_test
    from errorflow_viewer.single import Reply, address, hand_over, have_runtime_folder

    have_runtime_folder()
    where = None if alone else address()
    # Before all that a window needs is loaded: a second start is over in a moment.
    reply = Reply.NOBODY if where is None else hand_over(where, files)
    if reply is Reply.TAKEN:
        return 0
    from errorflow_viewer.running import run

    return run(files, None if reply is Reply.BUSY else where, reply is Reply.BUSY, self_test=options.self_test)


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Answers --help and --version without Qt, so that they work where no window can open."""
    parser = argparse.ArgumentParser(prog="errorflow-viewer", description="Shows a model as a graph.")
    parser.add_argument("files", nargs="*", metavar="FILE", help="models to open", type=_absolute)
    parser.add_argument("--sample", action="store_true", help="open the first of the built-in samples")
    parser.add_argument("--new-instance", action="store_true", help="open a window of its own, even if one is open")
    parser.add_argument(
        "--self-test", action="store_true", help="open the window, draw a sample, say how it went, and end"
    )
    parser.add_argument("--version", action="version", version=f"Errorflow {errorflow.__version__}")
    return parser.parse_args(arguments)


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
