"""What an alignment takes."""

from errorflow.case.scenarios.found import Kind
from errorflow.case.scenarios.scenario import Need

_SAVED: frozenset[Kind] = frozenset(("arrays", "npy", "raw"))
_HOW = "Save preprocessed.npy, output.npy and postprocessed.npy into a folder, or an .npz with such names."
A = Need("a", "A: the pipeline that is right", "What the training code saved for one picture.", _SAVED, _HOW)
B = Need("b", "B: the pipeline to be judged", "What the board's code saved for the same one.", _SAVED, _HOW)
PICTURE = Need(
    "picture",
    "The original picture",
    "Then ways to resize are tried on it, and that of each side is named.",
    frozenset(("raw-file",)),
    "PNG, JPEG, BMP or WebP.",
    required=False,
)
MODEL = Need(
    "model",
    "The float model",
    "Is run on both inputs: then it is known whether they alone explain the outputs.",
    frozenset(("onnx",)),
    "An ONNX model.",
    required=False,
)
NEEDS = (A, B, PICTURE, MODEL)
