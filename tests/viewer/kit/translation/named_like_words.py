"""A model whose nodes, tensors and files are called as texts of the interface are."""

from pathlib import Path

import numpy as np
import onnx

from errorflow.base.sample import SAMPLES

SAMPLE = next(sample for sample in SAMPLES if sample.key == "node_fault")
# Texts of the language file that stand nowhere else in a window with a comparison.
NODES = ("truncated", "finest", "Extra data", "Overwrite", "healer", "7 lines", "regrouped", "Welcome")
TENSORS = ("menlo", "corrected", "Incomplete string literal", "equalized", "zeros", "9 files", "Privacy", "ember")
CULPRIT, OUTPUT, FILE = "coarsest", "decides", "Finish"
NAMES = (*NODES, *TENSORS, CULPRIT, OUTPUT, FILE)


def named_like_words(folder: Path) -> tuple[Path, Path, Path]:
    """The model, its reference and its candidate."""
    model = onnx.load(SAMPLE.model)
    culprit = model.graph.node[12]
    others = [node for node in model.graph.node if node is not culprit]
    tensors = dict(zip((node.output[0] for node in others), TENSORS, strict=False))
    tensors["probabilities"] = OUTPUT
    for node, name in zip(reversed(others), NODES, strict=False):
        node.name = name
    culprit.name = CULPRIT
    for node in model.graph.node:
        node.input[:] = [tensors.get(name, name) for name in node.input]
        node.output[:] = [tensors.get(name, name) for name in node.output]
    model.graph.output[0].name = OUTPUT
    for value in model.graph.value_info:
        value.name = tensors.get(value.name, value.name)
    onnx.save(model, folder / f"{FILE}.onnx")
    reference = _renamed(SAMPLE.reference_run, folder / "reference.npz", tensors)
    return folder / f"{FILE}.onnx", reference, _renamed(SAMPLE.candidate_run, folder / "candidate.npz", tensors)


def _renamed(run: Path, path: Path, tensors: dict[str, str]) -> Path:
    with np.load(run) as arrays:
        np.savez(path, **{tensors.get(name, name): arrays[name] for name in arrays})
    return path
