"""Calls of our own commands, with the user's own names."""

import re
import shlex

from errorflow.guides.facts import Facts, word

# Where a simulated plan and one that was searched for are written.
DECIDED, FOUND = "decided", "found"
# Longer calls are shown an option a line.
_LONG = 100
_BEFORE_OPTION = re.compile(r" (?='?--[a-zA-Z])")


def errorflow(command: str, *words: str) -> str:
    return " ".join(["errorflow", command, *words])


def on_samples(command: str, facts: Facts, *more: str) -> str:
    """Writes a command that runs the float model on samples."""
    return errorflow(command, word(facts.runnable), "--data", word(facts.samples), *more)


def export(facts: Facts, tool: str, folder: str = DECIDED, *more: str) -> str:
    """Hands over the plan that lies in `folder`."""
    words = ("--plan", f"{folder}/plan.json", "--to", tool, *more, "-out", f"{tool}_settings")
    return errorflow("export", word(facts.runnable), *words)


def broken(call: str) -> str:
    """Breaks a call so that it reads best: what is long in lines that a shell takes for one."""
    if len(call) <= _LONG:
        return call
    first, *parts = _BEFORE_OPTION.split(call)
    text = first
    for part in parts:
        text += f" \\\n    {part}" if _is_closed(text) else f" {part}"
    return text


def _is_closed(text: str) -> bool:
    """Whether no quotation goes on behind it."""
    try:
        shlex.split(text)
    except ValueError:
        return False
    return True
