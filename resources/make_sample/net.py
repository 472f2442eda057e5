"""A net as plain steps that the trainer (torch) and the builder (onnx) both follow: one description, no two truths."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Weights = dict[str, Floats]
Attribute = int | float | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One ONNX node. `weights` follow `inputs` in the node's inputs."""

    op: str
    name: str
    inputs: tuple[str, ...]
    output: str
    weights: tuple[str, ...] = ()
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    # Computed in one go with the next step on an NPU (a convolution and its ReLU): its output is never quantized.
    inner: bool = False


@dataclass(frozen=True, slots=True)
class Net:
    """Steps in running order; `shapes` holds those of the trained weights, `constants` what is not trained."""

    name: str
    input: str
    input_shape: tuple[int, ...]
    steps: tuple[Step, ...]
    outputs: Mapping[str, tuple[int, ...]]
    shapes: Mapping[str, tuple[int, ...]]
    constants: Mapping[str, NDArray[np.generic]] = field(default_factory=dict)

    def step(self, name: str) -> Step:
        return next(step for step in self.steps if step.name == name)


class NetBuilder:
    """Collects steps; names them the way torch's exporter does (`/block1/expand/conv/Conv`, `…_output_0`)."""

    def __init__(self, name: str, input: str, shape: tuple[int, ...]) -> None:
        self.name, self.input, self.shape = name, input, shape
        self.steps: list[Step] = []
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.constants: dict[str, NDArray[np.generic]] = {}
        self.outputs: dict[str, tuple[int, ...]] = {}

    def add(
        self,
        op: str,
        scope: str,
        *inputs: str,
        weights: Mapping[str, tuple[int, ...]] | None = None,
        constants: tuple[str, ...] = (),
        inner: bool = False,
        output: str = "",
        **attributes: Attribute,
    ) -> str:
        """Append a step and give the name of its output tensor."""
        name = self._free(f"{scope}/{op}")
        trained = {} if weights is None else weights
        self.shapes |= trained
        result = output if output else f"{name}_output_0"
        self.steps.append(Step(op, name, inputs, result, (*trained, *constants), attributes, inner))
        return result

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        self.constants[name] = value
        return name

    def conv(
        self, scope: str, x: str, cin: int, cout: int, kernel: int, stride: int = 1, groups: int = 1, relu: bool = True
    ) -> str:
        """A convolution with bias that keeps the size (divided by `stride`), and a ReLU unless told otherwise."""
        at = scope.strip("/").replace("/", ".")
        pad = 0 if stride == kernel else kernel // 2
        y = self.add(
            "Conv",
            f"{scope}/conv",
            x,
            weights={f"{at}.conv.weight": (cout, cin // groups, kernel, kernel), f"{at}.conv.bias": (cout,)},
            inner=relu,
            group=groups,
            kernel_shape=(kernel, kernel),
            pads=(pad, pad, pad, pad),
            strides=(stride, stride),
        )
        return self.add("Relu", f"{scope}/act", y) if relu else y

    def gemm(self, scope: str, x: str, cin: int, cout: int, inner: bool = False, output: str = "") -> str:
        """A fully connected layer; the weight lies as torch keeps it, one row per output."""
        at = scope.strip("/").replace("/", ".")
        weights = {f"{at}.weight": (cout, cin), f"{at}.bias": (cout,)}
        return self.add("Gemm", scope, x, weights=weights, inner=inner, output=output, transB=1)

    def build(self) -> Net:
        return Net(
            self.name, self.input, self.shape, tuple(self.steps), dict(self.outputs), self.shapes, self.constants
        )

    def _free(self, name: str) -> str:
        taken = {step.name for step in self.steps}
        if name not in taken:
            return name
        return next(f"{name}_{i}" for i in range(1, len(taken) + 1) if f"{name}_{i}" not in taken)
