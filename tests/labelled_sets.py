"""Labelled samples of the digits that the small nets of the sample know, in all forms that a user may have them in."""

from pathlib import Path

import numpy as np

from errorflow.base.sample import SAMPLES

NODE_FAULT = next(sample for sample in SAMPLES if sample.key == "node_fault")
COUNT = 24
# How sure the first answer is, on average.
SURE = """
def evaluate(run):
    print("looking at", len(run), "samples")
    return sum(float(run.outputs(i)["probabilities"].max()) for i in run.samples) / len(run)


def good_enough(original, new):
    return original - new <= 0.05, original - new
"""
RAISES = """
def evaluate(run):
    raise ValueError("the weather is bad")


def good_enough(original, new):
    return True, 0.0
"""
# Never ends by itself.
ENDLESS = """
import time


def evaluate(run):
    while True:
        time.sleep(0.01)


def good_enough(original, new):
    return True, 0.0
"""


def images(count: int = COUNT) -> np.ndarray:
    with np.load(NODE_FAULT.evaluation) as archive:
        return np.asarray(archive[archive.files[0]][:count])


def classes(count: int = COUNT) -> list[int]:
    with np.load(NODE_FAULT.evaluation.with_name("digits_labels.npz")) as archive:
        return [int(label) for label in archive["label"][:count]]


def samples_file(folder: Path, count: int = COUNT) -> Path:
    path = folder / "samples.npz"
    np.savez(path, allow_pickle=False, image=images(count))
    return path


def labels_file(folder: Path, labels: list[int]) -> Path:
    path = folder / "labels.txt"
    path.write_text("\n".join(map(str, labels)), "utf-8")
    return path


def folder_per_class(folder: Path, count: int = COUNT) -> Path:
    root = folder / "by_class"
    for number, (image, label) in enumerate(zip(images(count), classes(count), strict=True)):
        (root / str(label)).mkdir(parents=True, exist_ok=True)
        np.save(root / str(label) / f"{number}.npy", image)
    return root


def evaluator_file(folder: Path, text: str = SURE) -> Path:
    path = folder / "sure.py"
    path.write_text(text, "utf-8")
    return path
