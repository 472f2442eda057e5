"""What steps of several flows are made of: runs, builds, and the last step."""

import json
import keyword
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from errorflow.case.scenarios import needs
from errorflow.case.scenarios.scenario import Need
from errorflow.guides import commands
from errorflow.guides.facts import Facts, python, word
from errorflow.guides.files.amct_scripts import quantize_script, search_script
from errorflow.guides.files.npy_scripts import npy_script
from errorflow.guides.files.settings import SWITCH, acl, fusion_switch
from errorflow.guides.model import Do, How, Step, Wanted, Way

CONCLUDE = "conclude"
# Everything is fed with the same values.
_SAME = "inputs.npz holds an array under the name of each input; every run of the guide is fed with these values."
_OF_SAMPLES = "Once for each sample, under the name of the input; mkdir samples before."
_BARE = "Of several inputs write a file each, and name them in the order of the model: --input first.bin,second.bin."


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


def samples(*, labelled: bool = True) -> tuple[Wanted, ...]:
    """What the float model is run on here."""
    how = How("Keep a sample", "command", partial(_kept, "samples/0.npz"), note=_OF_SAMPLES)
    return (Wanted(SAMPLES, (how,)), *((Wanted(LABELS),) if labelled else ()))


def _always(text: str) -> "partial[str]":
    return partial(_said, text)


def _said(text: str, _: Facts) -> str:
    return text


# Two pipelines around a model, set side by side.
ALIGN = Do(
    "Align two pipelines",
    "align",
    "Improve → Align two pipelines…",
    _always("errorflow align training board -out aligned"),
)


def _kept(file: str, facts: Facts) -> str:
    """What the pipeline hands the model, under the name of the input."""
    saved = f'**{{{json.dumps(facts.input_name)}: numpy.load("preprocessed.npy")}}'
    if facts.input_name.isidentifier() and not keyword.iskeyword(facts.input_name):
        saved = f'{facts.input_name}=numpy.load("preprocessed.npy")'
    return python(f'import numpy; numpy.savez("{file}", {saved})')


def _binary(facts: Facts) -> str:
    held = f"numpy.load({json.dumps(facts.inputs)})"
    return python(f'import numpy; held = {held}; held[held.files[0]].tofile("input.bin")')


def script(title: str, made: "partial[str]", file: str, note: str = "") -> tuple[How, How]:
    """The script, and the call that runs it."""
    return (
        How(title, "script", made, _always(file), note),
        How("Run it", "command", _always(f"python3 {file}")),
    )


def _npy_of_original(facts: Facts) -> str:
    return npy_script(facts, "npy_original")


def _npy_of_quantized(facts: Facts) -> str:
    return npy_script(facts.simulated, "npy_quantized")


def _run_here(facts: Facts) -> str:
    return commands.errorflow("run", word(facts.model), "--inputs", word(facts.inputs), "--npy", "-out", "npy_original")


def inputs_how() -> How:
    return How("Keep one real, preprocessed input", "command", partial(_kept, "inputs.npz"), note=_SAME)


def original_npy(framework: str, need: Need = needs.NPY_RUN) -> Wanted:
    """The tensors of the float model."""
    made = script(
        "Script that writes every tensor of the original model", partial(_npy_of_original), "dump_original.py"
    )
    here = (How("Or have Errorflow run the model", "command", _run_here),) if framework == "onnx" else ()
    return Wanted(need, (inputs_how(), *made, *here))


def quantized_npy(need: Need = needs.NPY_QUANTIZED_RUN, carried: tuple[str, str] | None = None) -> Wanted:
    """The tensors of the fake-quantized model."""
    made = script(
        "Script that writes every tensor of the fake-quantized model", partial(_npy_of_quantized), "dump_quantized.py"
    )
    return Wanted(need, made, carried)


def amct_how() -> tuple[How, ...]:
    """From the float model to the two quantized ones and the quantization information."""
    note = "calibration_data holds .npy files, a preprocessed batch each: 10 to 100 images like the real ones."
    return script("Script that quantizes with AMCT", partial(quantize_script), "quantize_amct.py", note)


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


def search_how() -> tuple[How, ...]:
    note = "The class Evaluator counts right answers of labels.npy; put your own measure there."
    title = "Script that has AMCT search for layers to leave in float"
    return script(title, partial(search_script), "search_amct.py", note)


def quantization() -> Wanted:
    return Wanted(needs.QUANTIZATION, amct_how())


@dataclass(frozen=True, slots=True)
class Build:
    """One way to compile the model for the NPU, and to run it there."""

    # What its files are told apart by, such as `_off`.
    ending: str
    quantized: bool
    fused: bool = True
    # Of another NPU than that of the facts.
    soc: str = ""
    # What is to be known before it is compiled.
    note: str = ""

    def name(self, facts: Facts) -> str:
        return f"{facts.name}{'_int8' if self.quantized else ''}{self.ending}"

    def _facts(self, facts: Facts) -> Facts:
        found = facts.deployed if self.quantized else facts
        return replace(found, soc_version=self.soc) if self.soc else found

    def compile(self, facts: Facts) -> str:
        return commands.atc(self._facts(facts), self.name(facts), fused=self.fused)

    def acl(self, facts: Facts) -> str:
        return acl(self.name(facts), f"./dump{self.ending}")

    def acl_file(self, _: Facts) -> str:
        return f"acl{self.ending}.json"

    def make_folder(self, _: Facts) -> str:
        return f"mkdir -p dump{self.ending} {commands.RESULT}"

    def run(self, facts: Facts) -> str:
        return commands.dumped_run(self.name(facts), self.acl_file(facts))

    def print(self, facts: Facts) -> str:
        return commands.atc_json(self.name(facts))

    def compare_operator(self, facts: Facts, reference: str) -> str:
        """One operator of this build, value by value."""
        named = facts.compared or (f"dump{self.ending}", reference, f"{self.name(facts)}.json")
        words = [each for option, name in zip(("-m", "-g", "-f"), named, strict=True) for each in (option, word(name))]
        return commands.errorflow("compare", *words, "-op", word(facts.node), "-out", "operator")

    def compiling(self) -> tuple[How, ...]:
        switch = () if self.fused else (How("Switch fusion off", "file", fusion_switch, _always(SWITCH)),)
        return (*switch, How("Compile the model", "command", self.compile, note=self.note))

    def dump(self, need: Need, carried: tuple[str, str] | None = None) -> Wanted:
        """What it leaves behind on the NPU."""
        how = (
            *self.compiling(),
            How("Switch the dump on", "file", self.acl, self.acl_file, "Inputs and outputs of every operator."),
            How("Make the folders that it writes into", "command", self.make_folder),
            How("Write the same input as bare values", "command", _binary, note=_BARE),
            How("Run it on the NPU with that setting", "command", self.run),
        )
        return Wanted(need, how, carried)

    def json(self, need: Need, carried: tuple[str, str] | None = None) -> Wanted:
        return Wanted(need, (How("Print what the compiler made of it", "command", self.print),), carried)


def conclude(why: str = "", *advice: str) -> Step:
    """The end of a flow: what was found out, and for whom."""
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


def single_operator(why: str, ways: tuple[Way, ...], call: Callable[[Facts], str]) -> Step:
    """Value by value: what cosine similarity does not show."""
    return Step(
        "operator",
        "Compare a single operator, value by value",
        why,
        (Do("Look at the node to blame", "worst.blamed", "Go → Node to blame", call),),
        ways,
        advice=(
            "Select the suspected node: the Inspector shows its largest absolute and relative errors value by value.",
            "A few large values hide what happens to all others; look at Values and Channels too.",
        ),
        by_hand=True,
    )
