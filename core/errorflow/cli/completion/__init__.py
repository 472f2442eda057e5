"""Completion in a shell, made from the program's own parser: one module per shell."""

from collections.abc import Callable

from errorflow.cli.completion import bash, fish, zsh
from errorflow.cli.completion.grammar import Program

# To add one: a module, and a row here.
SHELLS: dict[str, Callable[[Program], str]] = {"bash": bash.script, "zsh": zsh.script, "fish": fish.script}
