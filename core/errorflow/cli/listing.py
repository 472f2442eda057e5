"""The commands in groups, in the order in which one needs them: what a call without a command prints."""

import shutil
from collections.abc import Iterable, Iterator, Sequence
from textwrap import fill

from errorflow.cli.command import Command

# What is in none of them stands below the last.
GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Find the way", ("demo", "guide", "scenarios")),
    ("Look at files", ("inspect", "render", "results", "overflow", "distribution")),
    ("Compare", ("compare", "look", "file_compare", "advise", "align", "diff")),
    ("Run and quantize in simulation", ("run", "calibrate", "simulate", "runs", "evaluate")),
    ("Find what to change", ("sensitivity", "search", "curve", "outliers")),
    ("Keep and hand over", ("session", "report", "export", "convert")),
)
OTHERS = "More"
# Letters in a line at most.
WIDE = 100


def grouped(commands: Sequence[Command]) -> Iterator[tuple[str, tuple[Command, ...]]]:
    by_name = {row.name: row for row in commands}
    for title, names in GROUPS:
        yield title, tuple(by_name.pop(name) for name in names if name in by_name)
    if by_name:
        yield OTHERS, tuple(by_name.values())


def listed(commands: Sequence[Command]) -> str:
    """A line for each, or more where the terminal is narrow."""
    name, line = max(len(row.name) for row in commands), min(shutil.get_terminal_size().columns, WIDE)
    return "\n\n".join("\n".join((title, *_lines(rows, name, line))) for title, rows in grouped(commands) if rows)


def _lines(rows: Iterable[Command], name: int, line: int) -> Iterator[str]:
    for row in rows:
        text = f"  {row.name:{name}}  {row.summary.rstrip('.')}"
        yield fill(text, max(line, 2 * name), subsequent_indent=" " * (name + 4), drop_whitespace=True)
