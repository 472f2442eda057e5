"""Questions of the guide that choose among Ascend's flows."""

from errorflow.guides.model import GuideAnswer, GuideQuestion

QUESTIONS: tuple[GuideQuestion, ...] = (
    GuideQuestion(
        "case",
        "What got worse?",
        (
            GuideAnswer(
                "quantized", "A quantized model, and I want to know where", "Three steps, as Ascend's guide has them."
            ),
            GuideAnswer("quick", "A quantized model: a quick check first", "All of the way at once; one comparison."),
            GuideAnswer("float", "A model that was not quantized", "Only the conversion can be at fault."),
            GuideAnswer("npu-npu", "It was right on an NPU before", "Another version, another chip, or fusion."),
        ),
    ),
    GuideQuestion(
        "framework",
        "What is the original model in?",
        (
            GuideAnswer("caffe", "Caffe", "A .prototxt and a .caffemodel."),
            GuideAnswer("onnx", "ONNX", "An .onnx file, also one that was exported from PyTorch."),
            GuideAnswer("tensorflow", "TensorFlow", "A frozen graph, .pb."),
        ),
    ),
    GuideQuestion(
        "change",
        "What changed?",
        (
            GuideAnswer("version", "The version", "Of CANN, of the model, or of its tuning."),
            GuideAnswer("chip", "The chip", "The same model on another NPU."),
            GuideAnswer("fusion", "Fusion", "Whether the compiler's fused operators are right."),
        ),
    ),
)
TARGET = GuideAnswer("ascend", "Ascend NPU", "Compiled with ATC into an .om, with or without AMCT's quantization.")
