"""Ascend: quantization, conversion, fusion, one after the other; a quick check; and models that are not quantized."""

from collections.abc import Callable
from dataclasses import replace

from errorflow.case.scenarios import needs
from errorflow.guides import checks, commands
from errorflow.guides.facts import LABELS, Facts, word
from errorflow.guides.model import Do, Flow, Step, StepNeed, Way
from errorflow.guides.parts import CONCLUDE, conclude, decided, measure, samples
from errorflow.vendors.ascend.guide import checks as own
from errorflow.vendors.ascend.guide.parts import (
    Build,
    amct_how,
    original_npy,
    quantization,
    quantized_npy,
    search_how,
    single_operator,
)

_A_MODEL = {"caffe": "a Caffe model", "onnx": "an ONNX model", "tensorflow": "a TensorFlow model"}
SOURCE = "Ascend: accuracy comparison of Caffe models"
_SOURCES = {
    "onnx": "Ascend: accuracy comparison of Caffe models, which applies to ONNX models alike",
    "tensorflow": "Ascend: accuracy comparison of Caffe models, which applies to TensorFlow models alike",
}
_FLOAT, _FUSED, _UNFUSED = Build("", False), Build("_on", True), Build("_off", True, fused=False)
_QUICK = Build("", True)
_OUTPUT = (checks.OUTPUT, checks.SUSPECTS, checks.KIND)
_COMPARE = Do("Compare")
# What is run here is run by ONNX Runtime.
_EXPORTED = {"caffe": ("Errorflow itself runs ONNX models: for its own commands, export the model to ONNX.",)}
_NOT_ALL = (
    "Cosine similarity cannot say everything: where numbers are good and results are not, a single operator is "
    "compared value by value."
)
# A saturated output looks the same whatever came before it.
_ONE_SAMPLE = (
    "The output of one sample is similar, which says little about the top-N accuracy: write both accuracies down or "
    "measure them, or go on without them."
)


def _evaluate(facts: Facts) -> str:
    return commands.on_samples("evaluate", facts, "--labels", word(facts.labels), "--preset", "amct")


def _search(facts: Facts) -> str:
    return commands.on_samples(
        "search",
        facts,
        "--preset",
        "amct",
        "--labels",
        word(facts.labels),
        "--max-drop",
        "0.01",
        "--amct",
        "-out",
        commands.FOUND,
    )


def _export_found(facts: Facts) -> str:
    return commands.export(facts, "amct", commands.FOUND)


def _export_decided(facts: Facts) -> str:
    return commands.export(facts, "amct")


def _quantization(framework: str) -> Step:
    return Step(
        "quantization",
        "Quantization: original against quantized model",
        "Both models run in their framework, so that all they differ in comes from quantization. What it may cost is "
        "1 % of the top-N accuracy; more has to be found before an NPU comes into play.",
        (_COMPARE, measure(_evaluate)),
        (
            Way("passed", "conversion", "Quantization costs no more than it may: the conversion is looked at next."),
            Way("undecided", "conversion", _ONE_SAMPLE),
            Way("close", "requantize", "A small loss cannot be ignored: the settings of quantization come first."),
            Way("node error", "node", "Few nodes bring the error: leaving them in float brings back most."),
            Way("inputs differ", "quantization", "The runs were fed differently: dump both again with the same input."),
            Way("failed", "requantize", "Quantization itself costs too much: its data and its settings come first."),
        ),
        "quantized",
        (
            quantized_npy(needs.NPY_QUANTIZED_CANDIDATE),
            original_npy(framework),
            quantization(),
            StepNeed(needs.ORIGINAL),
            *((StepNeed(needs.NETWORK),) if framework == "caffe" else ()),
        ),
        (checks.LOSS, checks.OUTPUT, own.IMAGE_COUNT, checks.SUSPECTS, checks.KIND),
        (
            "The top-N accuracy over many labelled images counts, 10,000 to 100,000 of them; without it the output's "
            "similarity is all there is.",
            *_EXPORTED.get(framework, ()),
        ),
    )


def _requantize(framework: str) -> Step:
    return Step(
        "requantize",
        "Quantize again with other settings",
        "Small losses in many operators come from quantization as a whole. Its data and its settings are changed until "
        "the accuracy is met.",
        (
            Do("Find the smallest set", "search.find", "Improve → Find the smallest set…", _search),
            Do("Export the setting", "decision.export", "Improve → Export the decision → AMCT", _export_found),
        ),
        (
            Way("passed", "quantization", "What it gained is measured in the same way as before."),
            Way("failed", CONCLUDE, "No setting meets the accuracy: the case goes to support."),
        ),
        wanted=samples(),
        checks=(own.IMAGE_COUNT, checks.SMALLEST_SET),
        advice=(
            "Check that the calibration data is like what the model will see, and 10 to 100 images.",
            "Take the input and the output layers out of quantization by hand: it generally brings back some accuracy.",
            "Let accuracy_based_auto_calibration find the layers to leave in float, with your own measure.",
            *_EXPORTED.get(framework, ()),
        ),
        how=(*search_how(), *amct_how()),
        by_hand=True,
    )


def _conversion() -> Step:
    return Step(
        "conversion",
        "Conversion: quantized model against the NPU, fusion off",
        "The same quantized model in its framework and on the NPU. Fusion is switched off, so that every operator can "
        "be compared with its own.",
        (_COMPARE,),
        (
            Way("passed", "fusion", "The conversion is right operator by operator: what is left is what fusion does."),
            Way("doubt", "operator", _NOT_ALL),
            Way("close", "operator", "One measure is good and another is not: a single operator says more."),
            Way("node error", "node", "The error is large on few nodes: they go to support, and out of quantization."),
            Way("accumulated error", "requantize", "Many operators lose a little: quantize again with other settings."),
            Way("inputs differ", "conversion", "The runs were fed differently: dump both again with the same input."),
            Way(
                "failed", "operator", "Whose error it is cannot be told: a single operator is compared value by value."
            ),
        ),
        "npu-fake-quantized",
        (
            _UNFUSED.dump(needs.NPU_QUANTIZED_RUN),
            quantized_npy(carried=("quantization", "candidate")),
            _UNFUSED.json(needs.FUSION),
            StepNeed(needs.SCALES),
            StepNeed(needs.FLOAT_ORIGINAL),
        ),
        _OUTPUT,
        ("AMCT's quantization operators are fused by ATC; with fusion on, operators have no partner of their own.",),
    )


def _node(back: str) -> Step:
    return Step(
        "node",
        "Leave the node in float, and hand it to support",
        "An error of few nodes: giving them more bits costs little. What quantization cannot explain is the operator's "
        "or the compiler's fault.",
        (
            Do("Export the setting", "decision.export", "Improve → Export the decision → AMCT", _export_decided),
            Do("Look at the node to blame", "worst.blamed", "Go → Node to blame"),
        ),
        (
            Way("passed", back, "The model was quantized again without the node: it is compared once more."),
            Way("failed", CONCLUDE, "The node is wrong in float too: its logs, inputs and outputs go to support."),
        ),
        checks=(checks.SETTLED, checks.SIMULATED),
        advice=(
            "Set quant_enable to false for the node in AMCT's configuration, or add it to SKIPPED in the script.",
            "Collect the logs of ATC and of the run for support before they are written over.",
        ),
        how=(decided("amct"), *amct_how()),
        by_hand=True,
    )


def _of_quantized(facts: Facts) -> str:
    return _UNFUSED.compare_operator(facts, "npy_quantized")


def _of_float(facts: Facts) -> str:
    return _FLOAT.compare_operator(facts, "npy_original")


def _operator(after: str, call: Callable[[Facts], str]) -> Step:
    return single_operator(
        _NOT_ALL,
        (
            Way("passed", after, "The operator is right value by value."),
            Way("failed", CONCLUDE, "The operator is wrong: its values and the logs go to support."),
        ),
        call,
    )


def _fusion() -> Step:
    return Step(
        "fusion",
        "Fusion: on against off",
        "The same model on the same NPU, with and without fusion: whether fused operators compute what the single ones "
        "do.",
        (_COMPARE,),
        (
            Way("passed", CONCLUDE, "Quantization, conversion and fusion are right: look behind the model."),
            Way("doubt", "operator", _NOT_ALL),
            Way("failed", CONCLUDE, "Fusion changes the result: the fused operator goes to support."),
        ),
        "npu-npu",
        (
            _FUSED.dump(needs.NPU_AFTER),
            _UNFUSED.dump(needs.NPU_BEFORE, ("conversion", "candidate")),
            _FUSED.json(replace(needs.OPEN_FUSION, required=True)),
            _UNFUSED.json(replace(needs.CLOSED_FUSION, required=True), ("conversion", "fusion")),
        ),
        _OUTPUT,
        ("fusion_result.json, which ATC writes, says which passes took effect.",),
        optional=True,
    )


def quantized_flow(framework: str) -> Flow:
    label = LABELS[framework]
    return Flow(
        f"ascend-{framework}",
        f"{label} model, quantized with AMCT, on Ascend: three steps",
        f"You have {_A_MODEL[framework]} that AMCT quantized, and it lost accuracy on the NPU.",
        "Ascend",
        (
            _quantization(framework),
            _requantize(framework),
            _conversion(),
            _node("quantization"),
            _operator("fusion", _of_quantized),
            _fusion(),
            conclude(),
        ),
        {"target": "ascend", "case": "quantized", "framework": framework},
        framework,
        _SOURCES.get(framework, SOURCE),
        names_chip=True,
    )


def quick_flow(framework: str) -> Flow:
    label = LABELS[framework]
    step = Step(
        "quick",
        "Original model against the quantized model on the NPU",
        "All of the way at once: whether anything was lost between the float model and the NPU. It does not tell "
        "where.",
        (_COMPARE, measure(_evaluate)),
        (
            Way("passed", CONCLUDE, "Nothing that counts was lost on the way: look behind the model."),
            Way("undecided", CONCLUDE, _ONE_SAMPLE),
            Way("close", f"ascend-{framework}/quantization", "Something was lost: the three steps tell where."),
            Way("inputs differ", "quick", "The runs were fed differently: dump both again with the same input."),
            Way("failed", f"ascend-{framework}/quantization", "Accuracy was lost: the three steps tell where."),
        ),
        "npu-quantized",
        (
            _QUICK.dump(needs.NPU_QUANTIZED_RUN),
            original_npy(framework),
            _QUICK.json(needs.FUSION),
            quantization(),
            StepNeed(needs.SCALES),
            StepNeed(needs.FLOAT_ORIGINAL),
        ),
        (checks.LOSS, *_OUTPUT),
        _EXPORTED.get(framework, ()),
    )
    return Flow(
        f"ascend-{framework}-quick",
        f"{label} model, quantized with AMCT, on Ascend: quick check",
        f"You have {_A_MODEL[framework]} and its quantized build on the NPU, and want to know if anything was lost.",
        "Ascend",
        (step, conclude()),
        {"target": "ascend", "case": "quick", "framework": framework},
        framework,
        _SOURCES.get(framework, SOURCE),
        names_chip=True,
    )


def float_flow(framework: str) -> Flow:
    label = LABELS[framework]
    step = Step(
        "conversion",
        "Original model against the NPU",
        "The model was not quantized: whatever differs comes from the conversion, or from the shorter floats of the "
        "NPU.",
        (_COMPARE,),
        (
            Way("passed", CONCLUDE, "The NPU computes what the original does: look before and behind the model."),
            Way("doubt", "operator", _NOT_ALL),
            Way("close", "operator", "One measure is good and another is not: a single operator says more."),
            Way(
                "node error",
                "operator",
                "The error is large on few nodes: the first of them is looked at value by value.",
            ),
            Way(
                "accumulated error",
                CONCLUDE,
                "Many operators lose a little, as shorter floats do: try another precision.",
            ),
            Way("inputs differ", "conversion", "The runs were fed differently: dump both again with the same input."),
            Way(
                "failed", "operator", "Whose error it is cannot be told: a single operator is compared value by value."
            ),
        ),
        "npu",
        (
            _FLOAT.dump(needs.NPU_RUN),
            original_npy(framework),
            _FLOAT.json(needs.FUSION),
            StepNeed(needs.FLOAT_ORIGINAL),
        ),
        _OUTPUT,
    )
    return Flow(
        f"ascend-{framework}-float",
        f"{label} model on Ascend, not quantized",
        f"You have {_A_MODEL[framework]} that was converted without quantization and gives other results on the NPU.",
        "Ascend",
        (step, _operator(CONCLUDE, _of_float), conclude()),
        {"target": "ascend", "case": "float", "framework": framework},
        framework,
        _SOURCES.get(framework, SOURCE),
        names_chip=True,
    )


ASCEND: tuple[Flow, ...] = (
    quantized_flow("caffe"),
    quantized_flow("onnx"),
    quick_flow("caffe"),
    quick_flow("onnx"),
    float_flow("caffe"),
    float_flow("onnx"),
    float_flow("tensorflow"),
)
