"""The row of a command: its name, one line of help, its arguments, and what it does."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable

from errorflow.base.values import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """`run` returns the exit code; it may raise `ErrorflowError`, which becomes a sentence and exit code 2."""

    name: str
    summary: str
    arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], int]
