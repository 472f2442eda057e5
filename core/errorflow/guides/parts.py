"""Parts that steps of several vendors' flows are made of: samples, decisions, and the last step."""

import json
import keyword
from collections.abc import Callable
from functools import partial
from pathlib import Path

from errorflow.case.scenarios.scenario import Need
from errorflow.guides import commands
from errorflow.guides.facts import Facts, python, word
from errorflow.guides.model import Do, How, Step, StepNeed

CONCLUDE = "conclude"
# Everything is fed with the same values.
_SAME = "inputs.npz holds an array under the name of each input; every run of the guide is fed with these values."
_OF_SAMPLES = "Once for each sample, under the name of the input; mkdir samples before."


SAMPLES = Need(
    "samples",
    "Samples",
    "Preprocessed inputs that are like the real ones: an .npz per sample, or a folder of .npy per input.",
    frozenset(("arrays", "array")),
    "Save what your pipeline hands the model, under the names of the model's inputs.",
    also=frozenset(("raw", "raw-file")),
)
LABELS = Need(
    "labels",
    "Labels",
    "The right answer to each sample: a class per line in the order of the samples' names, or name,class in a .csv.",
    frozenset(),
    "Write them beside the samples; what is in folders per class needs none.",
    required=False,
    also=frozenset(("array",)),
)


def samples(*, labelled: bool = True) -> tuple[StepNeed, ...]:
    """Lists what the float model is run on here."""
    how = How("Keep a sample", "command", partial(_kept, "samples/0.npz"), note=_OF_SAMPLES)
    return (StepNeed(SAMPLES, (how,)), *((StepNeed(LABELS),) if labelled else ()))


def always(text: str) -> "partial[str]":
    return partial(_said, text)


def _said(text: str, _: Facts) -> str:
    return text


# Two pipelines around a model, set side by side.
ALIGN = Do(
    "Align two pipelines",
    "align",
    "Improve → Align two pipelines…",
    always("errorflow align training board -out aligned"),
)


def _kept(file: str, facts: Facts) -> str:
    """Names what the pipeline hands the model, under the name of the input."""
    saved = f'**{{{json.dumps(facts.input_name)}: numpy.load("preprocessed.npy")}}'
    if facts.input_name.isidentifier() and not keyword.iskeyword(facts.input_name):
        saved = f'{facts.input_name}=numpy.load("preprocessed.npy")'
    return python(f'import numpy; numpy.savez("{file}", {saved})')


def script(title: str, made: "partial[str]", file: str, note: str = "") -> tuple[How, How]:
    """The script, and the call that runs it."""
    return (How(title, "script", made, always(file), note), How("Run it", "command", always(f"python3 {file}")))


def inputs_how() -> How:
    return How("Keep one real, preprocessed input", "command", partial(_kept, "inputs.npz"), note=_SAME)


def decided(preset: str, bits: int | None = None, note: str = "") -> How:
    """The plan of leaving the node in float or giving it more bits, which is simulated and can be handed over."""

    def call(facts: Facts) -> str:
        change = ("--keep-float", word(facts.node)) if bits is None else ("--bits", word(f"{facts.node}={bits}"))
        return commands.on_samples("simulate", facts, "--preset", preset, *change, "-out", commands.DECIDED)

    return How("Try it on samples, and keep the plan", "command", call, note=note)


def measure(call: Callable[[Facts], str]) -> Do:
    """Counts right answers on labelled samples."""
    instead = "Open the float ONNX model first, or write both accuracies down above."
    return Do("Measure the accuracy", "evaluate", "Improve → Evaluate…", call, instead)


def conclude(why: str = "", *advice: str) -> Step:
    """Makes the end of a flow: what was found out, and its reader."""
    text = "What was found is put together, for yourself or for those who are to mend it."
    return Step(
        CONCLUDE,
        "Verdict and ticket",
        why if why else text,
        (
            Do("Show the verdict", "verdict.page", "View → Verdict page", _report),
            Do("Make the ticket", "ticket", "File → Export → Ticket…", _ticket),
        ),
        (),
        advice=advice,
    )


def _report(facts: Facts) -> str:
    return commands.errorflow("report", word(facts.case), "-o", word(f"{Path(facts.case).stem}.html"))


def _ticket(facts: Facts) -> str:
    return commands.errorflow("report", word(facts.case), "-o", word(f"{Path(facts.case).stem}.zip"))
