"""The user's own names, as commands and scripts have them."""

import shlex
from pathlib import Path

from errorflow.base import UsageError, dataclass
from errorflow.case.session.model import GivenFiles

SOC, NODE = "<soc_version>", "NODE"
# What the original model is in, by the ending of its file.
_ENDINGS = {".prototxt": "caffe", ".caffemodel": "caffe", ".pb": "tensorflow", ".onnx": "onnx"}
LABELS = {"caffe": "Caffe", "onnx": "ONNX", "tensorflow": "TensorFlow"}
_MODELS = {"caffe": "model.prototxt", "tensorflow": "model.pb", "onnx": "model.onnx"}


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts for commands; names that the user did not give are those that one would choose."""

    framework: str = "onnx"
    model: str = "model.onnx"
    weights: str = ""
    soc_version: str = SOC
    # A calibrated model of the vendor's tool, or a quantized one.
    quantized: str = ""
    # The operator or layer that is to blame, as far as a step has told.
    node: str = NODE
    # What costs more by the curves of weights alone and of activations alone.
    kind: str = "weight"
    # What is run or measured on, and the right answers to it.
    samples: str = "samples"
    labels: str = "labels.txt"
    # One real input, as every run is fed with it; and what the model calls its first one.
    inputs: str = "inputs.npz"
    input_name: str = "data"
    # The session that is reported in the end.
    case: str = "case.errorflow"
    # The same model in ONNX, where it is in something else.
    exported: str = ""
    # Dump, reference and compiled model of the conversion, where all three are known.
    compared: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: GivenFiles, framework: str = "", node: str = "") -> "Facts":
        """`framework`: that of the flow; "": the model's ending tells."""
        found = framework if framework else framework_of(given.model)
        model = _MODELS[found] if given.model is None else str(given.model)
        weights = "" if given.weights is None else str(given.weights)
        if not weights and found == "caffe":
            weights = str(Path(model).with_suffix(".caffemodel"))
        soc = given.soc_version if given.soc_version else SOC
        quantized = "" if given.quantized is None else str(given.quantized)
        return cls(found, model, weights, soc, quantized, node if node else NODE)

    @property
    def name(self) -> str:
        """Name that all files that are made of the model begin with."""
        return Path(self.model).stem

    @property
    def runnable(self) -> str:
        """Model that this program can run: ONNX, which other models are exported to first."""
        if self.framework == "onnx":
            return self.model
        return self.exported if self.exported else f"{self.name}.onnx"

    @property
    def int8(self) -> str:
        """A quantized ONNX model."""
        return self.quantized if self.quantized else f"{self.name}_int8.onnx"


def check_framework(model: Path | None, framework: str) -> None:
    """Commands for one framework are of no use for a model of another; an ending that says nothing is let be."""
    found = "" if model is None else _ENDINGS.get(model.suffix.lower(), "")
    if model is not None and framework and found not in ("", framework):
        raise UsageError(
            f"{model.name} is no {LABELS[framework]} model: this guide is for those.",
            "Choose the guide for what your model is in.",
        )


def framework_of(model: Path | None) -> str:
    return "onnx" if model is None else _ENDINGS.get(model.suffix.lower(), "onnx")


def word(text: str) -> str:
    """Writes a word as a shell takes it; what begins like an option is no option."""
    return shlex.quote(f"./{text}" if text.startswith("-") else text)


def python(code: str) -> str:
    """A line of Python for a shell."""
    return f"python3 -c {shlex.quote(code)}"


def option(name: str, text: str) -> str:
    """`--model=path`, quoted as a whole where it must be."""
    return shlex.quote(f"{name}={text}")
