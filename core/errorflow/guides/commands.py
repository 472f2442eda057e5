"""Calls of the vendors' tools and of our own, with the user's own names."""

import re
import shlex

from errorflow.guides.facts import Facts, option, word
from errorflow.guides.files.settings import SWITCH

OUT, RESULT = "out", "result"
# Where a simulated plan and one that was searched for are written.
DECIDED, FOUND = "decided", "found"
# Longer calls are shown an option a line.
_LONG = 100
_BEFORE_OPTION = re.compile(r" (?='?--[a-zA-Z])")


def atc(facts: Facts, name: str, *, fused: bool = True) -> str:
    """Makes `out/NAME.om` of the model."""
    words = ["atc", option("--model", facts.model)]
    words += [option("--weight", facts.weights)] if facts.weights else []
    words += [f"--framework={facts.number}", option("--output", f"{OUT}/{name}")]
    words += [option("--soc_version", facts.soc_version)]
    words += [] if fused else [f"--fusion_switch_file={SWITCH}"]
    return " ".join(words)


def atc_json(name: str) -> str:
    """Prints what the compiler made of the model."""
    return f"atc --mode=1 {option('--om', f'{OUT}/{name}.om')} {option('--json', f'{name}.json')}"


def dumped_run(name: str, acl: str) -> str:
    """Runs the offline model once with the dump switched on: what warms it up would be dumped, too."""
    words = f"--input input.bin --output {RESULT} --warmup_count 0 --acl_json_path {acl}"
    return f"python3 -m ais_bench --model {word(f'{OUT}/{name}.om')} {words}"


def pulsar2_build(facts: Facts, config: str, folder: str) -> str:
    """`folder`: each build has one of its own, or it would write over the table of the one before."""
    return f"pulsar2 build --input {word(facts.model)} --output_dir {folder} --config {config}"


def errorflow(command: str, *words: str) -> str:
    return " ".join(["errorflow", command, *words])


def on_samples(command: str, facts: Facts, *more: str) -> str:
    """One of the commands that run the float model on samples."""
    return errorflow(command, word(facts.runnable), "--data", word(facts.samples), *more)


def export(facts: Facts, tool: str, folder: str = DECIDED, *more: str) -> str:
    """Hands over the plan that lies in `folder`."""
    words = ("--plan", f"{folder}/plan.json", "--to", tool, *more, "-out", f"{tool}_settings")
    return errorflow("export", word(facts.runnable), *words)


def broken(call: str) -> str:
    """As it is read best: what is long in lines that a shell takes for one."""
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
