"""Writes the tables of the documentation that the code knows best. Run it after adding a row: python docs/tables.py"""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtCore import QSettings

from errorflow.base.files import write_atomic
from errorflow.case.scenarios import SCENARIOS, Need
from errorflow.compare.metrics.definitions import DEFINITIONS
from errorflow.compare.metrics.definitions.definition import Definition
from errorflow.compare.results import RESULTS
from errorflow.explain.blame.advice import advice_table as advice_rows
from errorflow.formats import FORMATS
from errorflow.guides.checks import CHECKS
from errorflow.guides.table import FLOWS
from errorflow.quant.calibrate import METHODS
from errorflow.quant.presets import PRESETS
from errorflow.run.samples.resizing import RESIZES
from errorflow_viewer.commands.api import CommandTable
from errorflow_viewer.kit.keymap import Keymap
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.pages.keys.shortcuts import markdown
from errorflow_viewer.window.actions import ACTIONS

README = Path(__file__).parents[1] / "README.md"
METRICS = Path(__file__).parent / "metrics.md"
START = Path(__file__).parent / "how-to" / "start-a-comparison.md"
ADVICE_PAGE = Path(__file__).parent / "advice.md"
GUIDE = Path(__file__).parent / "how-to" / "follow-the-guide.md"
CALIBRATE = Path(__file__).parent / "how-to" / "calibrate.md"
SIMULATE = Path(__file__).parent / "how-to" / "simulate.md"
RESULT_TABLES = Path(__file__).parent / "formats" / "result-tables.md"
SHORTCUTS = Path(__file__).parent / "shortcuts.md"
HOLDS = {"model": "a model", "tensors": "tensors of a run"}


def formats_table() -> str:
    """One line per format: what it is, what it holds, how to get it."""
    rows = (
        f"| {row.label}{_extensions(row.extensions)} | {HOLDS[row.holds]} | {_cell(row.obtain)} |" for row in FORMATS
    )
    return "\n".join(["| format | holds | how to get it |", "| --- | --- | --- |", *rows])


def results_table() -> str:
    """One line per kind of result table: what it is, and how to get it."""
    rows = (f"| `{row.key}` | {row.label} | {_cell(row.obtain)} |" for row in RESULTS)
    return "\n".join(["| key | table | how to get it |", "| --- | --- | --- |", *rows])


def definitions_table() -> str:
    """One line per number in other tools' tables: what it is, and which of ours."""
    head = ["| key | tool | name | formula | better | measures | ours | when it misleads |", "| --- |" + " --- |" * 7]
    return "\n".join([*head, *(_definition(row) for row in DEFINITIONS)])


def scenarios_table() -> str:
    """One line per comparison: when to take it, what it takes, and then what each of that is."""
    rows = [f"| {row.title} | {row.story} | {', '.join(map(_need, row.needs))} |" for row in SCENARIOS]
    needs = dict.fromkeys(need for row in SCENARIOS for need in row.needs)
    how = [
        f"| {need.label} | {_cell(need.what)} | {_cell(need.obtain)}{f' `{need.command}`' if need.command else ''} |"
        for need in {(need.label, need.what): need for need in needs}.values()
    ]
    head = ["| comparison | take it when | what it takes |", "| --- | --- | --- |"]
    return "\n".join([*head, *rows, "", "| what | what it is | how to get it |", "| --- | --- | --- |", *how])


def advice_table() -> str:
    """One line per advice: when it is given, what to do and why, and whose guide has it."""
    rows = ((f"`{row.key}`", row.when, row.text, row.why, row.source) for row in advice_rows())
    head = ["| key | given when | do | because | source |", "| --- |" + " --- |" * 4]
    return "\n".join([*head, *(f"| {' | '.join(map(_cell, row))} |" for row in rows)])


def flows_table() -> str:
    """One line per guide: who takes it, and its steps."""
    rows = (
        f"| `{flow.key}` | {flow.story} | {'; '.join(step.title for step in flow.steps)} | {flow.source} |"
        for flow in FLOWS
    )
    return "\n".join(["| guide | take it when | steps | follows |", "| --- |" + " --- |" * 3, *rows])


def checks_table() -> str:
    """One line per threshold, and whose it is."""
    rows = (
        f"| {check.label} | {_cell(check.rule)} | {'stands aside' if check.aside else 'decides'} | {check.source} |"
        for check in CHECKS
    )
    return "\n".join(["| check | passed when | | source |", "| --- |" + " --- |" * 3, *rows])


def methods_table() -> str:
    """One line per method of calibration: what is found by it."""
    rows = (f"| `{row.key}` | {row.label} | {_cell(row.formula)} |" for row in METHODS)
    return "\n".join(["| key | method | range |", "| --- | --- | --- |", *rows])


def resizes_table() -> str:
    """One line per way to resize pictures."""
    rows = (f"| `{row.key}` | {_cell(row.text)} |" for row in RESIZES)
    return "\n".join(["| way | what it does |", "| --- | --- |", *rows])


def presets_table() -> str:
    """One line per preset: what it stands for, and what it does not."""
    rows = (f"| `{row.key}` | {row.label} | {row.method} | {row.mimics} | {row.leaves_out} |" for row in PRESETS)
    head = ["| key | target | ranges by | does as it does | does not |", "| --- |" + " --- |" * 4]
    return "\n".join([*head, *rows])


def _need(need: Need) -> str:
    option = f" (`{need.option}`)" if need.option else ""
    return f"{need.label}{option}{'' if need.required else ', if there is one'}"


def _definition(row: Definition) -> str:
    better = {True: "↑", False: "↓", None: "–"}[row.higher_is_better]
    ours = f"`{row.equals}`" if row.equals else "–"
    measure = row.measure if row.measure else "–"
    cells = (f"`{row.key}`", row.vendor, row.name, row.formula, better, measure, ours, row.misleads)
    return f"| {' | '.join(_cell(cell) for cell in cells)} |"


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


def metrics() -> str:
    return filled(METRICS.read_text("utf-8"), "definitions", definitions_table())


def start() -> str:
    return filled(START.read_text("utf-8"), "scenarios", scenarios_table())


def advice() -> str:
    return filled(ADVICE_PAGE.read_text("utf-8"), "advice", advice_table())


def guide() -> str:
    return filled(filled(GUIDE.read_text("utf-8"), "flows", flows_table()), "checks", checks_table())


def calibrate() -> str:
    return filled(filled(CALIBRATE.read_text("utf-8"), "methods", methods_table()), "resizes", resizes_table())


def simulate() -> str:
    return filled(SIMULATE.read_text("utf-8"), "presets", presets_table())


def result_tables() -> str:
    return filled(RESULT_TABLES.read_text("utf-8"), "results", results_table())


def shortcuts() -> str:
    """All commands, with the keys that they have while the user gives them no others."""
    with TemporaryDirectory() as folder:
        settings = Settings(QSettings(str(Path(folder) / "none.ini"), QSettings.Format.IniFormat))
        return markdown(CommandTable(ACTIONS, Keymap(settings)))


if __name__ == "__main__":
    write_atomic(README, readme())
    write_atomic(START, start())
    write_atomic(RESULT_TABLES, result_tables())
    write_atomic(METRICS, metrics())
    write_atomic(ADVICE_PAGE, advice())
    write_atomic(GUIDE, guide())
    write_atomic(CALIBRATE, calibrate())
    write_atomic(SIMULATE, simulate())
    write_atomic(SHORTCUTS, shortcuts())
