"""Writes the tables of the documentation that the code knows best. Run it after adding a row: python docs/tables.py"""

import re
from pathlib import Path

from errorflow.files import write_atomic
from errorflow.formats import FORMATS

README = Path(__file__).parents[1] / "README.md"
HOLDS = {"model": "a model", "tensors": "tensors of a run"}


def formats_table() -> str:
    """One line per format: what it is, what it holds, how to get it."""
    rows = (
        f"| {row.label}{_extensions(row.extensions)} | {HOLDS[row.holds]} | {_cell(row.obtain)} |" for row in FORMATS
    )
    return "\n".join(["| format | holds | how to get it |", "| --- | --- | --- |", *rows])


def _extensions(names: tuple[str, ...]) -> str:
    return f" (`{'`, `'.join(names)}`)" if names else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "\\<")


def filled(text: str, name: str, table: str) -> str:
    """`text` with what stands between the two marks of that name replaced."""
    start, end = f"<!-- {name} -->\n", f"\n<!-- /{name} -->"
    return re.sub(
        f"({re.escape(start)}).*?({re.escape(end)})", lambda found: found[1] + table + found[2], text, flags=re.S
    )


def readme() -> str:
    return filled(README.read_text("utf-8"), "formats", formats_table())


if __name__ == "__main__":
    write_atomic(README, readme())
