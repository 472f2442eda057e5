"""The way in: `errorflow-viewer [files]`. Builds everything, wires it, and runs it."""

import argparse
import gc
import multiprocessing
import os
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import errorflow
from errorflow.base.errors import of_machine
from errorflow.base.language import LANGUAGES

if TYPE_CHECKING:
    from errorflow.case.scenarios.setup import Setup

# Models in place of runs are run.
_RUN = ".onnx"


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns what the process ends with."""
    multiprocessing.freeze_support()  # in a bundle a child process comes in through this door as well
    given = sys.argv[1:] if arguments is None else arguments
    if list(given) == ["--render"]:  # how a bundle starts the renderer of `errorflow render`
        from errorflow_viewer.export.main import main as render

        return render()
    try:
        options = _parse(given)
    except OSError as error:
        return _tell(of_machine(error) or error)
    if options.reset_settings:
        from errorflow_viewer.kit.resetting import run as reset

        return reset()
    if options.desktop_entry:
        from errorflow_viewer.kit.desktop_entry.options import run as run_entry

        return run_entry(options.desktop_entry, options.prefix)
    try:
        return _start(options)
    except Exception as error:  # noqa: BLE001 - the end of the process: whatever it was, it is told
        return _tell(error)


def _tell(error: Exception) -> int:
    """Says why there is no window."""
    import traceback

    from errorflow_viewer.kit import emergency, obstacles

    details = "" if obstacles.is_told(error) else traceback.format_exc()
    return emergency.tell(obstacles.of_any(error), details)


def _start(options: argparse.Namespace) -> int:
    gc.disable()  # a search for garbage in what is being loaded finds none; `jobs.py` does it from then on
    from errorflow_viewer.kit.surroundings import put_right

    put_right(os.environ)
    if options.safe:
        from errorflow_viewer.app.safe_start import leave_out

        leave_out(os.environ)
    if options.language:
        os.environ["ERRORFLOW_LANGUAGE"] = options.language  # this run's, whatever was chosen for all
    files, setup = _wanted(options), _compared(options)
    if _is_alone(options) or not _may_be_open():
        import numpy.typing  # noqa: F401 - before Qt, which reads the source of each module that comes after it
    from errorflow_viewer.app.single import have_runtime_folder, leave_runtime_folder

    given = have_runtime_folder()
    try:
        return _shown_or_handed_over(options, files, setup)
    finally:
        leave_runtime_folder(given)


def _is_alone(options: argparse.Namespace) -> bool:
    return bool(options.new_instance or options.self_test or options.safe)


def _may_be_open() -> bool:
    """Whether another start may be there to hand over to: then this one is over before it needs anything large."""
    folder = os.environ.get("XDG_RUNTIME_DIR", "")
    return not sys.platform.startswith("linux") or not folder or any(Path(folder).glob("errorflow-*.socket"))


def _shown_or_handed_over(options: argparse.Namespace, files: list[Path], setup: "Setup | None") -> int:
    from errorflow_viewer.app.single import Reply, address, hand_over

    where = None if _is_alone(options) else address()
    # Before all that a window needs is loaded: a second start is over in a moment.
    reply = Reply.NOBODY if where is None else hand_over(where, files, setup=setup, guide=options.guide)
    if reply is Reply.TAKEN:
        return 0
    from errorflow_viewer.app.running import run

    busy = reply is Reply.BUSY
    with _kept_apart(options.self_test):
        return run(files, None if busy else where, busy, options.self_test, setup, options.safe, options.guide)


def _kept_apart(is_test: bool) -> AbstractContextManager[None]:
    """A test of the installed app leaves the files and settings of the user alone."""
    if not is_test:
        return nullcontext()
    from errorflow_viewer.app.self_test import kept_apart

    return kept_apart()


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Answers --help and --version without Qt, so that they work where no window can open."""
    names = {each.partition("=")[0] for each in arguments}
    whole = not names.isdisjoint({"--compare", "--completion", "-h", "--help"}) or _lacks_a_name(arguments)
    parser = make_parser(whole)
    options = parser.parse_args(arguments)
    if options.prefix and not options.desktop_entry:
        parser.error("--prefix goes with --install-desktop-entry or --remove-desktop-entry")
    return options


def _lacks_a_name(arguments: Sequence[str]) -> bool:
    return any(not each or each.endswith("=") for each in arguments)


def _careful() -> type[argparse.ArgumentParser]:
    """The parser that refuses empty names."""
    from errorflow.cli.given import Parser

    return Parser


def make_parser(whole: bool) -> argparse.ArgumentParser:
    """`whole`: with the options of a comparison, which take a while to load."""
    kind = _careful() if whole else argparse.ArgumentParser
    parser = kind(prog="errorflow-viewer", description="Shows a model as a graph.")
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="a model to open; or a folder, or several files, that hold what is to be compared",
        type=_absolute,
    )
    parser.add_argument("--sample", action="store_true", help="open the first of the built-in samples")
    parser.add_argument(
        "--guide", action="store_true", help="open the guide, which finds a loss of accuracy step by step"
    )
    parser.add_argument("--new-instance", action="store_true", help="open a window of its own, even if one is open")
    parser.add_argument(
        "--language", choices=("system", *(each.key for each in LANGUAGES)), help="what the window speaks this time"
    )
    parser.add_argument(
        "--self-test", action="store_true", help="compare and simulate the sample in the window, say how it went, end"
    )
    parser.add_argument(
        "--safe",
        action="store_true",
        help="open a window without settings, what was open, and additions of the desktop",
    )
    parser.add_argument("--version", action="version", version=f"errorflow {errorflow.__version__}")
    parser.add_argument(
        "--reset-settings", action="store_true", help="begin anew, keep a copy of the settings as they were, and end"
    )
    _add_desktop_entry(parser)
    parser.add_argument("--compare", action="store_true", help="compare two runs: as `errorflow compare`, to look at")
    if whole:
        from errorflow.cli.compare_arguments import add_knowledge, add_runs
        from errorflow.cli.completing import Completion

        parser.add_argument("--completion", action=Completion, help="print what a shell needs for the Tab key")
        add_runs(parser, required=False)
        beside = parser.add_argument_group("what else is known")
        add_knowledge(beside)
        beside.add_argument("--inputs", metavar="FILE", help="of two ONNX models that are run (default: made up)")
    return parser


def _add_desktop_entry(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("menu of the system")
    entry = group.add_mutually_exclusive_group()
    entry.add_argument(
        "--install-desktop-entry",
        dest="desktop_entry",
        action="store_const",
        const="install",
        help="put Errorflow into the menu and have it open .errorflow and .onnx files, for this user",
    )
    entry.add_argument(
        "--remove-desktop-entry",
        dest="desktop_entry",
        action="store_const",
        const="remove",
        help="take away what --install-desktop-entry put there",
    )
    group.add_argument("--prefix", metavar="DIR", type=_absolute, help="do so below DIR/share, not for this user alone")


def _compared(options: argparse.Namespace) -> "Setup | None":
    """Reads what is to be compared, if anything is named; without a name the page asks."""
    if not options.compare:
        return None
    from errorflow.case.scenarios.setup import Setup
    from errorflow.cli.asked import setup_of

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
    from errorflow.base.sample import SAMPLES

    return [*options.files, SAMPLES[0].model]


def _absolute(text: str) -> Path:
    return Path(os.path.abspath(text))  # noqa: PTH100 - `resolve` would replace a link by what it points to


if __name__ == "__main__":
    sys.exit(main())
