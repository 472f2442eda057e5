"""What the guide asks to choose among Ascend's flows."""

from errorflow.guides.model import Answer, Question

QUESTIONS: tuple[Question, ...] = (
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
TARGET = Answer("ascend", "Ascend NPU", "Compiled with ATC into an .om, with or without AMCT's quantization.")
