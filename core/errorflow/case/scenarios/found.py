"""Kinds of files and folders, as far as comparing is concerned."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

from errorflow.base.values import dataclass

Kind = Literal[
    "npu",
    "npu-quantized",
    "npy",
    "npy-quantized",
    "arrays",
    "raw",
    "raw-file",
    "array",
    "onnx",
    "onnx-quantized",
    "atc-json",
    "om",
    "model",
    "quant-info",
    "record",
    "table",
    "session",
]

KINDS: Final[Mapping[Kind, str]] = {
    "npu": "dump of an NPU",
    "npu-quantized": "dump of a quantized model on an NPU",
    "npy": "original model's .npy files",
    "npy-quantized": "quantized model's .npy files",
    "arrays": "run with named tensors",
    "raw": "folder of raw tensors",
    "raw-file": "file of bare values",
    "array": "single array",
    "onnx": "ONNX model in float",
    "onnx-quantized": "quantized ONNX model",
    "atc-json": "ATC JSON",
    "om": "offline model (.om)",
    "model": "model",
    "quant-info": "AMCT quantization information",
    "record": "AMCT scale and offset record",
    "table": "result table",
    "session": "session",
}
# All of them, in a sentence.
LOOKED_FOR = (
    "Looked for were runs (dumps of an NPU, .npy and .npz files, folders of raw tensors), models (ONNX, ATC JSON, "
    ".om), files of AMCT, result tables and sessions."
)


@dataclass(frozen=True, slots=True)
class FoundFile:
    """`label` names its format, `detail` says how much of it there is."""

    path: Path
    kind: Kind
    label: str = ""
    detail: str = ""
    # What it calls itself, such as the graph's name in an ATC JSON.
    names: tuple[str, ...] = ()
    # A model's inputs, or the tensors of an archive that could be meant for them; where nobody looked, nothing.
    tensors: tuple[str, ...] = ()
    # Of a model's inputs, as one writes them for files of bare values: NAME=1x3x8x8:float32.
    shapes: tuple[str, ...] = ()
    # What its operators are called in names of files: of a dump, a folder of .npy files or a model.
    operators: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """Description in a few words."""
        what = self.label if self.label else KINDS[self.kind]
        return f"{what}, {self.detail}" if self.detail else what


@dataclass(frozen=True, slots=True)
class Discovered:
    """Everything that was found below some paths, in the order of looking."""

    paths: tuple[Path, ...]
    found: tuple[FoundFile, ...]
    # What could not be looked into, each in a sentence.
    problems: tuple[str, ...] = ()

    def of(self, *kinds: Kind) -> tuple[FoundFile, ...]:
        return tuple(each for each in self.found if each.kind in kinds)

    def shown(self, path: Path) -> str:
        """A path as it looks from where was searched."""
        for top in self.paths:
            if path != top and path.is_relative_to(top):
                return path.relative_to(top).as_posix()
        return path.name


NOTHING = Discovered((), ())
