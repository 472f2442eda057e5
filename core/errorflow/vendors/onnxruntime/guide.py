"""Plain ONNX: two models that are run here, and what can be done about what they differ in."""

from errorflow.case.scenarios import needs
from errorflow.guides import checks, commands
from errorflow.guides.facts import Facts, word
from errorflow.guides.model import Do, Flow, GuideAnswer, How, Step, StepNeed, Way
from errorflow.guides.parts import CONCLUDE, conclude, inputs_how, measure, samples

_QUANTIZE = '''\
"""Quantizes an ONNX model with ONNX Runtime. calibration_data holds .npz files, a sample each, by names of inputs."""

import glob

import numpy as np
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_static


class Reader(CalibrationDataReader):
    def __init__(self):
        self.files = iter(sorted(glob.glob("calibration_data/*.npz")))

    def get_next(self):
        path = next(self.files, None)
        return None if path is None else dict(np.load(path))


quantize_static({model!r}, {quantized!r}, Reader(), quant_format=QuantFormat.QDQ, per_channel=True)
'''


def _quantize(facts: Facts) -> str:
    return _QUANTIZE.format(model=facts.model, quantized=facts.int8)


def _compare(facts: Facts) -> str:
    both = ("-m", word(facts.int8), "-g", word(facts.model))
    return commands.errorflow("compare", *both, "--inputs", word(facts.inputs))


def _rank(facts: Facts) -> str:
    return commands.on_samples("sensitivity", facts, "--metric", "cosine", "--out", "ranking")


def _search(facts: Facts) -> str:
    return commands.on_samples(
        "search", facts, "--labels", word(facts.labels), "--max-drop", "0.01", "-out", commands.FOUND
    )


def _simulate(facts: Facts) -> str:
    return commands.on_samples("simulate", facts, "--method", "mse", "-out", "simulated")


def _evaluate(facts: Facts) -> str:
    return commands.on_samples("evaluate", facts, "--labels", word(facts.labels), "--against", word(facts.int8))


def _export(facts: Facts) -> str:
    return commands.export(facts, "qdq", commands.FOUND, "--data", word(facts.samples))


def _first() -> Step:
    return Step(
        "compare",
        "Float against quantized model",
        "Both models are run here on the same input: whether anything was lost, and at which node.",
        (Do("Compare", call=_compare),),
        (
            Way("passed", "accuracy", "The output is good: the task itself is measured."),
            Way("close", "accuracy", "The output is nearly good: the task itself is measured."),
            Way("node error", "nodes", "Few nodes bring the error: which ones, and what leaving them in float gains."),
            Way(
                "accumulated error",
                "calibration",
                "Many nodes bring the error together: how all is quantized is changed.",
            ),
            Way("inputs differ", "compare", "The models were fed differently: give both the same inputs."),
            Way("failed", "nodes", "Which nodes bring the error is asked next."),
        ),
        "onnx",
        (
            StepNeed(needs.FLOAT_MODEL),
            StepNeed(
                needs.QUANTIZED_MODEL,
                (
                    How("Script that quantizes with ONNX Runtime", "script", _quantize, lambda _: "quantize_onnx.py"),
                    How("Run it", "command", lambda _: "python3 quantize_onnx.py"),
                ),
            ),
            StepNeed(needs.INPUTS, (inputs_how(),)),
        ),
        (checks.OUTPUT, checks.SUSPECTS, checks.KIND),
    )


def _steps() -> tuple[Step, ...]:
    return (
        _first(),
        Step(
            "calibration",
            "Another calibration",
            "Where many nodes lose a little, what they share is changed: the method, the data, a scale per channel.",
            (Do("Simulate", "simulate", "File → Simulate…", _simulate),),
            (
                Way("passed", "accuracy", "The simulated output is good: the task itself is measured."),
                Way("close", "nodes", "Nearly: the nodes that matter most get more bits."),
                Way("node error", "nodes", "Few nodes are left that bring the error."),
                Way("failed", "nodes", "Calibration alone is not enough: the nodes that matter most get more bits."),
            ),
            wanted=samples(labelled=False),
            checks=(checks.OUTPUT, checks.KIND),
            advice=("Change the method in the panel Simulate, or smooth outliers; the graph shows what it gained.",),
        ),
        Step(
            "nodes",
            "Which nodes matter",
            "Each node is quantized alone, and the fewest are searched that must not be for the result to be good.",
            (
                Do("Rank the nodes", "rank", "Improve → Which nodes matter?", _rank),
                Do("Find the smallest set", "search.find", "Improve → Find the smallest set…", _search),
                Do("Export the model", "decision.export", "Improve → Export the decision → QDQ", _export),
            ),
            (
                Way("passed", "accuracy", "Quantized again without them: the task itself is measured."),
                Way("failed", CONCLUDE, "Too many nodes would have to stay in float: what was found is put together."),
            ),
            wanted=samples(),
            checks=(checks.SMALLEST_SET,),
            by_hand=True,
        ),
        Step(
            "accuracy",
            "Accuracy of the task",
            "Similarity is not accuracy: both models are measured on labelled samples.",
            (measure(_evaluate),),
            (
                Way("passed", CONCLUDE, "The loss is what quantization may cost."),
                Way("failed", "nodes", "The task loses more than it may: which nodes matter is asked next."),
            ),
            wanted=samples(),
            checks=(checks.LOSS,),
        ),
        conclude(),
    )


ONNX: tuple[Flow, ...] = (
    Flow(
        "onnx",
        "ONNX: float against quantized",
        "You have a float and a quantized ONNX model, and the quantized one is worse.",
        "ONNX",
        _steps(),
        {"target": "onnx"},
        "onnx",
        "The methods of the guides above, on models that are run here",
        quantized="Quantized model:",
    ),
)
TARGET = GuideAnswer("onnx", "Only as ONNX, or elsewhere", "A float and a quantized ONNX model, which are run here.")
ROWS = (*ONNX, TARGET)
