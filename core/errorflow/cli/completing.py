"""The option that prints what a shell needs to complete commands; nothing of it is loaded before it is asked for."""

import sys
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Sequence
from typing import Any

# The rows of `completion.SHELLS`.
_SHELLS = ("bash", "zsh", "fish")


class Completion(Action):
    """Ends the program, as --help does."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:
        super().__init__(option_strings, dest, choices=_SHELLS, metavar="SHELL", help=f"{help}: {', '.join(_SHELLS)}")

    def __call__(self, parser: ArgumentParser, _: Namespace, values: Any, option_string: str | None = None) -> None:
        """`option_string`: argparse gives it by name, in no case of use here."""
        del option_string
        from errorflow.cli.completion import SHELLS
        from errorflow.cli.completion.grammar import program_of

        sys.stdout.write(SHELLS[values](program_of(parser)))
        parser.exit()
