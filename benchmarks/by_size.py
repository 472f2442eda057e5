"""A table with a column for each size of graph, each measured in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

Row = tuple[str, str]


def print_table(
    script: str, sizes: Sequence[int], measured: Callable[[int], Sequence[Row]], label: int, value: int
) -> None:
    """What `measured` finds for the sizes on the command line, else for `sizes`; `script` is the caller's file,
    `label` and `value` how wide their columns are."""
    if sys.argv[1:2] == ["--one"]:
        for name, text in measured(int(sys.argv[2])):
            print(f"{name}\t{text}")
        return
    wanted = [int(argument) for argument in sys.argv[1:]]
    columns = [_apart(script, size) for size in wanted or sizes]
    for row in zip(*columns, strict=True):
        print(row[0][0].ljust(label), *(text.rjust(value) for _, text in row))


def _apart(script: str, size: int) -> list[Row]:
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(Path(script).resolve()), "--one", str(size)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    rows = [line.partition("\t") for line in run.stdout.splitlines() if "\t" in line]
    return [(name, text) for name, _, text in rows]
