"""The built-in sample: small trained nets with planted faults, both runs of each, and the truth about them.

To add one: a `Member` in resources/make_sample/members.py, and a row here.
"""

import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from errorflow.base.values import dataclass


@dataclass(frozen=True, slots=True)
class SampleAccuracy:
    """Accuracy of a task: in float, in int8, and in int8 with the restoring nodes and tensors left in float."""

    in_float: float
    quantized: float
    restored: float


@dataclass(frozen=True, slots=True)
class Truth:
    """Facts about a sample that were planted, and what was measured when it was built."""

    # What was done to the net; "" for the unharmed twin.
    fault: str
    # The right verdict on each output: "good", "node error" or "accumulated error".
    verdicts: Mapping[str, str]
    # The nodes that are to blame.
    culprits: tuple[str, ...]
    # What brings the task back when it is left in float: the weights of these nodes, in this order, and these tensors.
    restoring_nodes: tuple[str, ...]
    restoring_tensors: tuple[str, ...]
    # What `accuracy` counts, in words.
    measure: str
    accuracy: SampleAccuracy
    # The accuracy with none, one, two … of the restoring nodes and tensors left in float.
    recovery: tuple[float, ...]
    # The cosine of each output over the evaluation inputs.
    cosine_quantized: Mapping[str, float]
    cosine_restored: Mapping[str, float]
    # The largest difference between a float output and that of the twin without the fault.
    twin_difference: float
    # The evaluation input whose tensors the two runs hold, its label, and the answers of both runs to it.
    shown: int
    label: int
    answer_in_float: int
    answer_quantized: int


@dataclass(frozen=True, slots=True)
class Sample:
    """A net of the sample: its float and its int8 model, the tensors of one run of each, and the inputs that prove the
    truth.
    """

    key: str
    title: str
    story: str
    # The family whose inputs it takes; some members share their float run with the family.
    inputs: str
    shares_reference: bool = False

    @property
    def model(self) -> Path:
        """The float model."""
        return self._file(f"{self.key}.onnx")

    @property
    def candidate_model(self) -> Path:
        """The same in int8, simulated with QuantizeLinear and DequantizeLinear."""
        return self._file(f"{self.key}_int8.onnx")

    @property
    def reference_run(self) -> Path:
        """Path of all tensors of the float model for one input."""
        return folder() / f"{self.inputs}_reference.npz" if self.shares_reference else self._file("reference.npz")

    @property
    def candidate_run(self) -> Path:
        """The tensors of the same names in the int8 model for the same input."""
        return self._file("candidate.npz")

    @property
    def calibration(self) -> Path:
        """64 inputs that the int8 scales were measured on: one array, named as the model's input."""
        return folder() / "inputs" / f"{self.inputs}_calibration.npz"

    @property
    def evaluation(self) -> Path:
        """300 inputs that were used for nothing else."""
        return folder() / "inputs" / f"{self.inputs}_evaluation.npz"

    @property
    def labels(self) -> Path:
        """The right answers to the evaluation inputs."""
        return folder() / "inputs" / f"{self.inputs}_labels.npz"

    def truth(self) -> Truth:
        return _truth(json.loads(self._file("truth.json").read_text("utf-8")))

    def _file(self, name: str) -> Path:
        return folder() / self.key / name


def sample_of(model: Path) -> Sample | None:
    """The sample that a file is the float model of."""
    return next((row for row in SAMPLES if row.model == model), None)


def other_of(model: Path) -> Path | None:
    """The other model of a sample."""
    sample = sample_of(model)
    if sample is not None:
        return sample.candidate_model
    return next((row.model for row in SAMPLES if row.candidate_model == model), None)


def folder() -> Path:
    """Finds the folder of the sample, installed or not."""
    return Path(str(files("errorflow_resources"))) / "sample"


def _truth(raw: Mapping[str, Any]) -> Truth:
    return Truth(
        fault=raw["fault"],
        verdicts=raw["verdicts"],
        culprits=tuple(raw["culprits"]),
        restoring_nodes=tuple(raw["restoring_nodes"]),
        restoring_tensors=tuple(raw["restoring_tensors"]),
        measure=raw["measure"],
        accuracy=SampleAccuracy(raw["accuracy"]["float"], raw["accuracy"]["quantized"], raw["accuracy"]["restored"]),
        recovery=tuple(raw["recovery"]),
        cosine_quantized=raw["cosine"]["quantized"],
        cosine_restored=raw["cosine"]["restored"],
        twin_difference=raw["twin_difference"],
        shown=raw["shown"],
        label=raw["label"],
        answer_in_float=raw["answer"]["float"],
        answer_quantized=raw["answer"]["quantized"],
    )


SAMPLES: tuple[Sample, ...] = (
    Sample(
        "node_fault",
        "One broken layer",
        "Int8 ruins a digit classifier, and a single convolution in the middle of it is to blame.",
        "digits",
        shares_reference=True,
    ),
    Sample(
        "drift",
        "Slow drift",
        "Every layer loses a little more, and no single one explains the loss at the end.",
        "digits",
        shares_reference=True,
    ),
    Sample(
        "loud_channel",
        "Loud channel",
        "The culprit looks perfect and its reader looks broken: one loud channel drowns the quiet ones.",
        "digits",
    ),
    Sample(
        "cosine_lies",
        "Cosine lies",
        "The output's cosine is 0.9999 and hardly a class is right: pixels and probabilities share one tensor.",
        "locator",
    ),
    Sample(
        "cosine_cries",
        "Cosine cries wolf",
        "One output is destroyed and the task is unharmed, because nobody reads that output.",
        "digits",
    ),
    Sample(
        "transformer",
        "Outlier in a transformer",
        "SmoothQuant backwards: one channel of a norm outgrows the others, and attention pays for it.",
        "digits",
    ),
    Sample(
        "clean",
        "Healthy twin",
        "The digit classifier without a fault: int8 does it no harm.",
        "digits",
        shares_reference=True,
    ),
)
