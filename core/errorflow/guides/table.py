"""The flows there are, and the questions that lead to one.

To add one: a file in `flows`, its rows in FLOWS, and where nothing leads to it yet an answer in QUESTIONS; then run
`python docs/tables.py`.
"""

from collections.abc import Mapping

from errorflow.base.errors import UsageError
from errorflow.guides.flows.ascend import ASCEND
from errorflow.guides.flows.horizon import HORIZON
from errorflow.guides.flows.npu_npu import NPU_NPU
from errorflow.guides.flows.onnx import ONNX
from errorflow.guides.flows.pulsar2 import PULSAR2
from errorflow.guides.model import Answer, Flow, Question

FLOWS: tuple[Flow, ...] = (*ASCEND, *NPU_NPU, *PULSAR2, *HORIZON, *ONNX)
QUESTIONS: tuple[Question, ...] = (
    Question(
        "target",
        "Where does the model run?",
        (
            Answer("ascend", "Ascend NPU", "Compiled with ATC into an .om, with or without AMCT's quantization."),
            Answer("pulsar2", "Axera, with Pulsar2", "Quantized and compiled with pulsar2 build."),
            Answer("horizon", "Horizon or D-Robotics", "Converted with hb_mapper or hb_compile."),
            Answer("onnx", "Only as ONNX, or elsewhere", "A float and a quantized ONNX model, which are run here."),
        ),
    ),
    Question(
        "case",
        "What got worse?",
        (
            Answer(
                "quantized", "A quantized model, and I want to know where", "Three steps, as Ascend's guide has them."
            ),
            Answer("quick", "A quantized model: a quick check first", "All of the way at once; one comparison."),
            Answer("float", "A model that was not quantized", "Only the conversion can be at fault."),
            Answer("npu-npu", "It was right on an NPU before", "Another version, another chip, or fusion."),
        ),
    ),
    Question(
        "framework",
        "What is the original model in?",
        (
            Answer("caffe", "Caffe", "A .prototxt and a .caffemodel."),
            Answer("onnx", "ONNX", "An .onnx file, also one that was exported from PyTorch."),
            Answer("tensorflow", "TensorFlow", "A frozen graph, .pb."),
        ),
    ),
    Question(
        "change",
        "What changed?",
        (
            Answer("version", "The version", "Of CANN, of the model, or of its tuning."),
            Answer("chip", "The chip", "The same model on another NPU."),
            Answer("fusion", "Fusion", "Whether the compiler's fused operators are right."),
        ),
    ),
)


def flow_of(key: str) -> Flow:
    """The row of that name."""
    found = next((flow for flow in FLOWS if flow.key == key), None)
    if found is None:
        raise UsageError(f"There is no guide {key[:40]}.", f"Choose one of {', '.join(flow.key for flow in FLOWS)}.")
    return found


def fitting(answers: Mapping[str, str]) -> tuple[Flow, ...]:
    """The flows that these answers allow."""
    return tuple(
        flow for flow in FLOWS if all(flow.answers.get(question) == answer for question, answer in answers.items())
    )


def next_question(answers: Mapping[str, str]) -> tuple[Question, tuple[Answer, ...]] | None:
    """What is asked next, with the answers that lead somewhere; None: one flow is left."""
    flows = fitting(answers)
    for question in QUESTIONS:
        if question.key in answers or not all(question.key in flow.answers for flow in flows):
            continue
        known = {flow.answers[question.key] for flow in flows}
        return question, tuple(answer for answer in question.answers if answer.key in known)
    return None
