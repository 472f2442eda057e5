"""Parts of the steps of Ascend's flows: tensors of the original model, builds and runs on the NPU."""

import json
import re
from collections.abc import Callable
from functools import partial

from errorflow.base.values import dataclass, replace
from errorflow.case.scenarios import needs
from errorflow.case.scenarios.scenario import Need
from errorflow.guides import commands
from errorflow.guides.facts import Facts, option, python, word
from errorflow.guides.model import Do, How, Step, StepNeed, Way
from errorflow.guides.parts import always, inputs_how, script
from errorflow.vendors.ascend.guide.npy_scripts import npy_script

SWITCH = "fusion_switch.cfg"


def _text(data: object) -> str:
    return json.dumps(data, indent=4, ensure_ascii=False) + "\n"


def fusion_switch(_: Facts) -> str:
    """Switches off every fusion that ATC can do without."""
    return _text({"Switch": {"GraphFusion": {"ALL": "off"}, "UBFusion": {"ALL": "off"}}})


def acl(model: str, folder: str) -> str:
    """Writes acl.json: inputs and outputs of every operator are dumped, as an error cannot be placed without inputs."""
    listed = [{"model_name": model}]
    return _text({"dump": {"dump_path": folder, "dump_mode": "all", "dump_list": listed}})


OUT, RESULT = "out", "result"
# What ATC calls frameworks.
_NUMBERS = {"caffe": "0", "tensorflow": "3", "onnx": "5"}


def _of_amct(facts: Facts, kind: str) -> Facts:
    """Facts of the quantized model that AMCT wrote: `deploy`, for the NPU, or `fake_quant`, for the framework."""
    prefix = f"amct/{facts.name}_{kind}"
    if facts.framework == "caffe":
        weights = f"{prefix}_weights.caffemodel"
        return replace(facts, model=f"{prefix}_model.prototxt", weights=weights, quantized="")
    return replace(facts, model=f"{prefix}_model.onnx", weights="", quantized="")


def atc(facts: Facts, name: str, *, fused: bool = True) -> str:
    """Makes `out/NAME.om` of the model."""
    words = ["atc", option("--model", facts.model)]
    words += [option("--weight", facts.weights)] if facts.weights else []
    words += [f"--framework={_NUMBERS[facts.framework]}", option("--output", f"{OUT}/{name}")]
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


_BARE = "Of several inputs write a file each, and name them in the order of the model: --input first.bin,second.bin."


def _npy_of_original(facts: Facts) -> str:
    return npy_script(facts, "npy_original")


def _npy_of_quantized(facts: Facts) -> str:
    return npy_script(_of_amct(facts, "fake_quant"), "npy_quantized")


def _run_here(facts: Facts) -> str:
    return commands.errorflow("run", word(facts.model), "--inputs", word(facts.inputs), "--npy", "-out", "npy_original")


def original_npy(framework: str, need: Need = needs.NPY_RUN) -> StepNeed:
    """The tensors of the float model."""
    made = script(
        "Script that writes every tensor of the original model", partial(_npy_of_original), "dump_original.py"
    )
    here = (How("Or have Errorflow run the model", "command", _run_here),) if framework == "onnx" else ()
    return StepNeed(need, (inputs_how(), *made, *here))


def quantized_npy(need: Need = needs.NPY_QUANTIZED_RUN, carried: tuple[str, str] | None = None) -> StepNeed:
    """The tensors of the fake-quantized model."""
    made = script(
        "Script that writes every tensor of the fake-quantized model", partial(_npy_of_quantized), "dump_quantized.py"
    )
    return StepNeed(need, made, carried)


def amct_how() -> tuple[How, ...]:
    """Lists ways from the float model to the two quantized ones and the quantization information."""
    note = "calibration_data holds .npy files, a preprocessed batch each: 10 to 100 images like the real ones."
    return script("Script that quantizes with AMCT", partial(quantize_script), "quantize_amct.py", note)


def search_how() -> tuple[How, ...]:
    note = "The class Evaluator counts right answers of labels.npy; put your own measure there."
    title = "Script that has AMCT search for layers to leave in float"
    return script(title, partial(search_script), "search_amct.py", note)


def quantization() -> StepNeed:
    return StepNeed(needs.QUANTIZATION, amct_how())


def _binary(facts: Facts) -> str:
    held = f"numpy.load({json.dumps(facts.inputs)})"
    return python(f'import numpy; held = {held}; held[held.files[0]].tofile("input.bin")')


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
        found = _of_amct(facts, "deploy") if self.quantized else facts
        return replace(found, soc_version=self.soc) if self.soc else found

    def compile(self, facts: Facts) -> str:
        return atc(self._facts(facts), self.name(facts), fused=self.fused)

    def acl(self, facts: Facts) -> str:
        return acl(self.name(facts), f"./dump{self.ending}")

    def acl_file(self, _: Facts) -> str:
        return f"acl{self.ending}.json"

    def make_folder(self, _: Facts) -> str:
        return f"mkdir -p dump{self.ending} {RESULT}"

    def run(self, facts: Facts) -> str:
        return dumped_run(self.name(facts), self.acl_file(facts))

    def print(self, facts: Facts) -> str:
        return atc_json(self.name(facts))

    def compare_operator(self, facts: Facts, reference: str) -> str:
        """Writes the call that compares one operator of this build, value by value."""
        named = facts.compared or (f"dump{self.ending}", reference, f"{self.name(facts)}.json")
        words = [each for option, name in zip(("-m", "-g", "-f"), named, strict=True) for each in (option, word(name))]
        return commands.errorflow("compare", *words, "-op", word(facts.node), "-out", "operator")

    def compiling(self) -> tuple[How, ...]:
        switch = () if self.fused else (How("Switch fusion off", "file", fusion_switch, always(SWITCH)),)
        return (*switch, How("Compile the model", "command", self.compile, note=self.note))

    def dump(self, need: Need, carried: tuple[str, str] | None = None) -> StepNeed:
        """Makes the need for what it leaves behind on the NPU."""
        how = (
            *self.compiling(),
            How("Switch the dump on", "file", self.acl, self.acl_file, "Inputs and outputs of every operator."),
            How("Make the folders that it writes into", "command", self.make_folder),
            How("Write the same input as bare values", "command", _binary, note=_BARE),
            How("Run it on the NPU with that setting", "command", self.run),
        )
        return StepNeed(need, how, carried)

    def json(self, need: Need, carried: tuple[str, str] | None = None) -> StepNeed:
        return StepNeed(need, (How("Print what the compiler made of it", "command", self.print),), carried)


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


# Scripts that quantize with AMCT, and that have it search for what must not be quantized.

_MARKS = re.compile(r"\{\{|\}\}|\{(?:model|model!r|weights!r|prefix!r|arguments)\}")

_HEAD = '''\
"""Quantizes {model} with AMCT; writes a model for accuracy tests (fake_quant), one for ATC (deploy), and their files.

CALIBRATION is a folder of .npy files, each one preprocessed batch of the only input. 10 to 100 inputs that are like
the real ones are usual.
"""

import glob
import os

import numpy as np
'''

_SETTINGS = """
MODEL = {model!r}
WEIGHTS = {weights!r}
CALIBRATION = "calibration_data"
PREFIX = {prefix!r}
# Layers that stay in float, such as the first and the last one.
SKIPPED = []


def batches():
    files = sorted(glob.glob(os.path.join(CALIBRATION, "*.npy")))
    if not files:
        raise SystemExit(CALIBRATION + " holds no .npy files")
    return [np.load(path) for path in files]

"""

_CAFFE = '''
def run(model_file, weights_file, arrays):
    """The outputs of the first output blob, batch by batch."""
    net = caffe.Net(model_file, weights_file, caffe.TEST)
    name, found = net.inputs[0], []
    for array in arrays:
        net.blobs[name].reshape(*array.shape)
        net.blobs[name].data[...] = array
        found.append(net.forward()[net.outputs[0]].copy())
    return found
'''

_ONNX = '''
def run(model_file, arrays):
    """The first output, batch by batch."""
    session = ort.InferenceSession(model_file, amct.AMCT_SO)
    name = session.get_inputs()[0].name
    return [session.run(None, {{name: array}})[0] for array in arrays]
'''

_CAFFE_MAIN = """

def main():
    os.makedirs("amct", exist_ok=True)
    arrays = batches()
    config, record = "amct/config.json", "amct/scale_offset_record.txt"
    amct.create_quant_config(config, MODEL, WEIGHTS, SKIPPED, len(arrays), True)
    graph = amct.init(config, MODEL, WEIGHTS, record)
    modified, weights = "amct/modified_model.prototxt", "amct/modified_model.caffemodel"
    amct.quantize_model(graph, modified, weights)
    run(modified, weights, arrays)  # this is what calibrates
    amct.save_model(graph, "Both", PREFIX)


if __name__ == "__main__":
    main()
"""

_ONNX_MAIN = """

def main():
    os.makedirs("amct", exist_ok=True)
    arrays = batches()
    config, record = "amct/config.json", "amct/scale_offset_record.txt"
    amct.create_quant_config(
        config_file=config, model_file=MODEL, skip_layers=SKIPPED, batch_num=len(arrays), activation_offset=True
    )
    modified = "amct/modified_model.onnx"
    amct.quantize_model(config_file=config, model_file=MODEL, modified_onnx_file=modified, record_file=record)
    run(modified, arrays)  # this is what calibrates
    amct.save_model(modified, record, PREFIX)


if __name__ == "__main__":
    main()
"""

_EVALUATOR = '''

# Of the samples in EVALUATION, a whole number each; a sample is right when its largest output has that place.
EVALUATION, LABELS = "evaluation_data", "labels.npy"
# How much of the top-1 accuracy may be lost.
MOST_LOST = 0.01


class Evaluator(AutoCalibrationEvaluatorBase):
    """Put your own measure into `evaluate`: a number of which more is better."""

    def calibration(self, {arguments}):
        run({arguments}, batches())

    def evaluate(self, {arguments}):
        files = sorted(glob.glob(os.path.join(EVALUATION, "*.npy")))
        outputs = run({arguments}, [np.load(path) for path in files])
        answers = np.concatenate([output.reshape(len(output), -1).argmax(1) for output in outputs])
        return float((answers == np.load(LABELS)[: len(answers)]).mean())

    def metric_eval(self, original_metric, new_metric):
        loss = original_metric - new_metric
        return loss <= MOST_LOST, loss


def main():
    os.makedirs("amct", exist_ok=True)
    config, record = "amct/config.json", "amct/scale_offset_record.txt"
'''

_CAFFE_SEARCH = """\
    amct.create_quant_config(config, MODEL, WEIGHTS, SKIPPED, len(batches()), True)
    amct.accuracy_based_auto_calibration(
        MODEL, WEIGHTS, Evaluator(), config, record, PREFIX, strategy="BinarySearch", sensitivity="CosineSimilarity"
    )


if __name__ == "__main__":
    main()
"""

_ONNX_SEARCH = """\
    amct.create_quant_config(
        config_file=config, model_file=MODEL, skip_layers=SKIPPED, batch_num=len(batches()), activation_offset=True
    )
    amct.accuracy_based_auto_calibration(
        model_file=MODEL,
        model_evaluator=Evaluator(),
        config_file=config,
        record_file=record,
        save_dir=PREFIX,
        strategy="BinarySearch",
        sensitivity="CosineSimilarity",
    )


if __name__ == "__main__":
    main()
"""
_IMPORTS = {
    "caffe": "import amct_caffe as amct\nimport caffe\n",
    "onnx": "import amct_onnx as amct\nimport onnxruntime as ort\n",
}
_RUNS = {"caffe": _CAFFE, "onnx": _ONNX}
_MAINS = {"caffe": _CAFFE_MAIN, "onnx": _ONNX_MAIN}
_SEARCHES = {"caffe": _CAFFE_SEARCH, "onnx": _ONNX_SEARCH}
_ARGUMENTS = {"caffe": "model_file, weights_file", "onnx": "model_file"}


def quantize_script(facts: Facts) -> str:
    """create_quant_config, quantize_model and save_model, with the run between them that calibrates."""
    kind = _kind(facts)
    return _filled(_HEAD + _IMPORTS[kind] + _SETTINGS + _RUNS[kind] + _MAINS[kind], facts)


def search_script(facts: Facts) -> str:
    """accuracy_based_auto_calibration, with an evaluator that counts right answers."""
    kind = _kind(facts)
    base = f"from amct_{kind}.common.auto_calibration import AutoCalibrationEvaluatorBase\n"
    return _filled(_HEAD + _IMPORTS[kind] + base + _SETTINGS + _RUNS[kind] + _EVALUATOR + _SEARCHES[kind], facts)


def _kind(facts: Facts) -> str:
    return "caffe" if facts.framework == "caffe" else "onnx"


def _filled(text: str, facts: Facts) -> str:
    # In a docstring a name is a text of its own; what could end it is not written there.
    shown = "".join(letter if letter.isalnum() or letter in "._-/" else "_" for letter in facts.model)
    values = {
        "{{": "{",
        "}}": "}",
        "{model}": shown,
        "{model!r}": repr(facts.model),
        "{weights!r}": repr(facts.weights),
        "{prefix!r}": repr(f"amct/{facts.name}"),
        "{arguments}": _ARGUMENTS[_kind(facts)],
    }
    return _MARKS.sub(lambda found: values[found[0]], text)
