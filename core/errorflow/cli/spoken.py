"""What a command prints, in the language that was asked for; scripts, commands and keys stay as they are."""

import re
from collections.abc import Iterable

from errorflow.base.language import ENGLISH, current, translated
from errorflow.cli.plain import plain

# What stands before the words of a line, and a key in brackets behind them.
_LINE = re.compile(r"(\s*(?:[-!?x~+✓✗] )?)(.*?)((?: \[[\w.-]+\])?)", re.DOTALL)
_SCRIPT = re.compile(r"\s*\| ")


def print_lines(lines: Iterable[str]) -> None:
    print(plain("\n".join(lines if current() is ENGLISH else map(_said, lines))))


def _said(line: str) -> str:
    found = None if _SCRIPT.match(line) else _LINE.fullmatch(line)
    return line if found is None else f"{found[1]}{translated(found[2], label=True)}{found[3]}"
