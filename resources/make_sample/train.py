"""Trains the nets and writes weights/*.npz and the sample's inputs: `python -m make_sample.train`, a few minutes.

Needs torch and scikit-learn, which nothing else here does.
"""

from collections.abc import Callable, Mapping

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom
from torch import Tensor

from make_sample import data, nets
from make_sample.data import Scans
from make_sample.net import Floats, Net, Step
from make_sample.quantize import quantized_tensors
from make_sample.store import HERE, INPUTS, save_npz

# Nets that were trained with a little noise inside take 8 bits without harm: the twins must be healthy.
NOISE = 0.005
Values = dict[str, Tensor]
Batch = tuple[Values, Callable[[Values], Tensor]]


def _conv(step: Step, x: list[Tensor]) -> Tensor:
    pads, strides = step.attributes["pads"], step.attributes["strides"]
    assert isinstance(pads, tuple) and isinstance(strides, tuple)
    return F.conv2d(*x, stride=strides, padding=pads[:2], groups=step.attributes["group"])


def _reshape(_: Step, x: list[Tensor]) -> Tensor:
    return x[0].reshape([x[0].shape[0], *x[1].tolist()[1:]])


OPERATORS: Mapping[str, Callable[[Step, list[Tensor]], Tensor]] = {
    "Add": lambda _, x: x[0] + x[1],
    "Concat": lambda step, x: torch.cat(x, step.attributes["axis"]),
    "Conv": _conv,
    "Div": lambda _, x: x[0] / x[1],
    "Erf": lambda _, x: torch.erf(x[0]),
    "Flatten": lambda _, x: x[0].flatten(1),
    "Gemm": lambda _, x: F.linear(*x),
    "GlobalAveragePool": lambda _, x: x[0].mean((2, 3), keepdim=True),
    "LayerNormalization": lambda step, x: F.layer_norm(x[0], x[1].shape, x[1], x[2], step.attributes["epsilon"]),
    "MatMul": lambda _, x: x[0] @ x[1],
    "Mul": lambda _, x: x[0] * x[1],
    "ReduceMean": lambda step, x: x[0].mean(step.attributes["axes"]),
    "Relu": lambda _, x: F.relu(x[0]),
    "Reshape": _reshape,
    "Softmax": lambda step, x: F.softmax(x[0], step.attributes["axis"]),
    "Transpose": lambda step, x: x[0].permute(step.attributes["perm"]),
}


def forward(net: Net, weights: Values, image: Tensor, noise: float = 0) -> Values:
    """Computes all tensors of the net for a batch of images.

    `noise`, relative to the largest value, is added to the tensors that will be quantized, but for the outputs.
    """
    values = {net.input: image, **weights, **{k: torch.from_numpy(np.array(v)) for k, v in net.constants.items()}}
    noisy = set(quantized_tensors(net)) - set(net.outputs)
    for step in net.steps:
        value = OPERATORS[step.op](step, [values[name] for name in (*step.inputs, *step.weights)])
        if noise and step.output in noisy:
            value = value + noise * value.detach().max() * torch.randn_like(value)
        values[step.output] = value
    return values


def first_weights(net: Net, rng: np.random.Generator) -> Values:
    """He's initialisation; norms start at one, biases at zero."""
    values: Values = {}
    for name, shape in net.shapes.items():
        fan = int(np.prod(shape[1:])) if len(shape) != 2 else min(shape)
        value = rng.normal(0, (2 / max(fan, 1)) ** 0.5, shape)
        if len(shape) == 1:
            value = np.ones(shape) if "norm" in name and name.endswith("weight") else np.zeros(shape)
        if name.endswith("position"):
            value = rng.normal(0, 0.1, shape)
        values[name] = torch.tensor(value, dtype=torch.float32, requires_grad=True)
    return values


def silence_last_channels(net: Net, weights: Values) -> None:
    """Keep the last channel of each hidden tensor of the digits net at zero: nothing leads to it or from it."""
    for name, value in weights.items():
        last_layer = net.shapes[name][0] == 10
        if value.ndim == 4 and value.shape[1] > 1:
            value[:, -1] = 0
        if value.ndim == 2:
            value[:, -1] = 0
        if not last_layer:
            value[-1] = 0


def train(net: Net, batch: Callable[[np.random.Generator], Batch], epochs: int, seed: int) -> Values:
    """Weights after `epochs` batches of all scans, with a rate that falls to zero."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    weights = first_weights(net, rng)
    optimizer = torch.optim.AdamW(list(weights.values()), lr=4e-3, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 8e-3, total_steps=epochs * 22)
    for _ in range(epochs):
        inputs, loss = batch(rng)
        order = torch.from_numpy(rng.permutation(len(inputs["image"])))
        for rows in torch.tensor_split(order, 22):
            optimizer.zero_grad()
            part = {name: value[rows] for name, value in inputs.items()}
            loss({**forward(net, weights, part["image"], NOISE), **part}).backward()
            torch.nn.utils.clip_grad_norm_(list(weights.values()), 1.0)
            optimizer.step()
            schedule.step()
            if net.name == "digits":
                with torch.no_grad():
                    silence_last_channels(net, weights)
    return {name: value.detach() for name, value in weights.items()}


def classifier_batch(scans: Scans, auxiliary: bool) -> Callable[[np.random.Generator], Batch]:
    labels = torch.from_numpy(scans.labels.astype(np.int64))

    def loss(values: Values) -> Tensor:
        total = F.nll_loss(torch.log(values["probabilities"] + 1e-7), values["label"])
        return total + 0.3 * F.cross_entropy(values["auxiliary"], values["label"]) if auxiliary else total

    return lambda rng: ({"image": torch.from_numpy(data.shifted(scans.images, rng)), "label": labels}, loss)


def locator_batch(scans: Scans) -> Callable[[np.random.Generator], Batch]:
    labels = torch.from_numpy(scans.labels.astype(np.int64))

    def loss(values: Values) -> Tensor:
        box = F.l1_loss(values["boxes"] / nets.FRAME, values["box"] / nets.FRAME)
        return F.nll_loss(torch.log(values["probabilities"] + 1e-7), values["label"]) + 10 * box

    def make(rng: np.random.Generator) -> Batch:
        images, boxes = data.pictures(scans, rng)
        noisy = images + rng.normal(0, 0.02, images.shape).astype(np.float32)
        return {"image": torch.from_numpy(noisy), "box": torch.from_numpy(boxes), "label": labels}, loss

    return make


def halved(weights: Values) -> dict[str, Floats]:
    """Weights rounded to float16, which is what is stored and all that the builder ever sees."""
    return {name: value.numpy().astype(np.float16) for name, value in weights.items()}


def accuracy(net: Net, weights: Mapping[str, Floats], images: Floats, labels: data.Labels) -> float:
    values = {name: torch.from_numpy(value.astype(np.float32)) for name, value in weights.items()}
    with torch.no_grad():
        answer = forward(net, values, torch.from_numpy(images))["probabilities"].argmax(1).numpy()
    return float((answer == labels).mean())


def main() -> None:
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    training, calibration, test = data.scans()
    rng = np.random.default_rng(3)
    spots, test_spots = data.pictures(calibration, rng), data.pictures(test, rng)
    save_npz(INPUTS / "digits_calibration.npz", {"image": calibration.images})
    save_npz(INPUTS / "digits_evaluation.npz", {"image": test.images})
    save_npz(INPUTS / "digits_labels.npz", {"label": test.labels})
    save_npz(INPUTS / "locator_calibration.npz", {"picture": spots[0]})
    save_npz(INPUTS / "locator_evaluation.npz", {"picture": test_spots[0]})
    save_npz(INPUTS / "locator_labels.npz", {"label": test.labels, "box": test_spots[1]})
    # Net, batches, epochs, seed.
    jobs: tuple[tuple[Net, Callable[[np.random.Generator], Batch], int, int], ...] = (
        (nets.digits(auxiliary=True), classifier_batch(training, True), 200, 1),
        (nets.locator(split=True), locator_batch(training), 450, 4),
        (nets.transformer(), classifier_batch(training, False), 240, 4),
    )
    for net, batch, epochs, seed in jobs:
        weights = halved(train(net, batch, epochs, seed))
        save_npz(HERE / "weights" / f"{net.name}.npz", weights)
        count = sum(value.size for value in weights.values())
        images = test_spots[0] if net.input == "picture" else test.images
        print(net.name, count, "weights, accuracy", accuracy(net, weights, images, test.labels))


if __name__ == "__main__":
    main()
