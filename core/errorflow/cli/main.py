"""`errorflow`: the engine on the command line. To add a command: one file with a `Command`, one line in COMMANDS."""

import io
import multiprocessing
import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence

from errorflow import __version__
from errorflow.base.errors import ErrorflowError, of_machine
from errorflow.base.progress import Cancelled
from errorflow.cli.advise import ADVISE
from errorflow.cli.align import ALIGN
from errorflow.cli.calibrate import CALIBRATE
from errorflow.cli.command import Command
from errorflow.cli.compare import COMPARE
from errorflow.cli.completing import Completion
from errorflow.cli.convert import CONVERT
from errorflow.cli.curve import CURVE
from errorflow.cli.demo import DEMO
from errorflow.cli.diff import DIFF
from errorflow.cli.distribution import DISTRIBUTION
from errorflow.cli.evaluate import EVALUATE
from errorflow.cli.export import EXPORT
from errorflow.cli.file_compare import FILE_COMPARE
from errorflow.cli.given import USER_ERROR, Parser
from errorflow.cli.guide import GUIDE
from errorflow.cli.inspect import INSPECT
from errorflow.cli.listing import listed
from errorflow.cli.look import LOOK
from errorflow.cli.meter import plain
from errorflow.cli.outliers import OUTLIERS
from errorflow.cli.overflow import OVERFLOW
from errorflow.cli.render import RENDER
from errorflow.cli.report import REPORT
from errorflow.cli.results import RESULTS
from errorflow.cli.run import RUN
from errorflow.cli.runs import RUNS
from errorflow.cli.scenarios import SCENARIOS
from errorflow.cli.search import SEARCH
from errorflow.cli.sensitivity import SENSITIVITY
from errorflow.cli.session import SESSION
from errorflow.cli.simulate import SIMULATE

COMMANDS: tuple[Command, ...] = (
    INSPECT,
    RENDER,
    COMPARE,
    RUN,
    CALIBRATE,
    SIMULATE,
    EXPORT,
    SENSITIVITY,
    SEARCH,
    EVALUATE,
    CURVE,
    OUTLIERS,
    DISTRIBUTION,
    RUNS,
    DIFF,
    DEMO,
    CONVERT,
    OVERFLOW,
    FILE_COMPARE,
    ADVISE,
    ALIGN,
    LOOK,
    RESULTS,
    SCENARIOS,
    GUIDE,
    SESSION,
    REPORT,
)

SUMMARY = "Shows where a converted or quantized neural network goes wrong."
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command. Exit codes: 0 done, 2 a sentence was printed to stderr, 130 interrupted."""
    multiprocessing.freeze_support()
    _print_whatever_comes()
    options = make_parser().parse_args(arguments)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader (head, less) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ErrorflowError, MemoryError, OSError) as error:
        said = of_machine(error)
        if said is None:
            raise
        print(plain(f"errorflow: {said.message}\n{said.hint}"), file=sys.stderr)
        return USER_ERROR
    except (KeyboardInterrupt, Cancelled):
        print("errorflow: interrupted.", file=sys.stderr)
        return INTERRUPTED


def _print_whatever_comes() -> None:
    """Names from files, and the ×, → and ∞ of ours, may be beyond what a terminal or a pipe can encode."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _tell_commands(_: Namespace) -> int:
    """Lists the commands for a call without one. It did nothing, so a script whose command got lost must not go on."""
    usage = "Usage: errorflow COMMAND …"
    ways = "`errorflow COMMAND --help` says what a command takes; `errorflow-viewer` opens the window."
    print(plain(f"{SUMMARY}\n{usage}\n\n{listed(COMMANDS)}\n\n{ways}"), file=sys.stderr)
    return USER_ERROR


class _Program(Parser):
    """Parser that shows its commands in groups, which argparse does not know."""

    def format_help(self) -> str:
        options, of_commands, _ = super().format_help().partition("\ncommands:\n")
        return f"{options}\n{listed(COMMANDS)}\n" if of_commands else options


def make_parser() -> ArgumentParser:
    """Makes the parser with all commands; manual pages and completion are made from it as well."""
    parser = _Program(prog="errorflow", description=SUMMARY)
    parser.add_argument("--version", action="version", version=f"errorflow {__version__}")
    parser.add_argument("--completion", action=Completion, help="print what a shell needs for the Tab key")
    parser.set_defaults(run=_tell_commands)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=Parser)
    for row in COMMANDS:
        command = commands.add_parser(
            row.name, help=row.summary, description=row.summary, formatter_class=RawDescriptionHelpFormatter
        )
        row.arguments(command)
        command.set_defaults(run=row.run)
    return parser


if __name__ == "__main__":
    sys.exit(main())
