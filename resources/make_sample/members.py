"""The sample's members: which net, which fault, and what is known to undo it. To add one: a function and a row."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from make_sample import nets
from make_sample.net import Net, Weights
from make_sample.plant import loud_channel, loud_norm, loud_weights
from make_sample.quantize import ALL_QUANTIZED, WITH_WEIGHTS, Plan

Inputs = Literal["digits", "locator"]
Verdict = Literal["good", "node error", "accumulated error"]
BROKEN = "/block2/project/conv/Conv"
OUTLIER = "/block2/depthwise/conv/Conv"
NORM = "/encoder/norm1/LayerNormalization"
AUXILIARY = "/auxiliary/fc/Gemm"
LOUD_WEIGHTS, LOUD_CHANNEL, LOUD_NORM, EVERYWHERE = 200, 6000.0, 64, 18


@dataclass(frozen=True, slots=True)
class Member:
    """A net with a planted fault and the twin without it; `restore` names what must stay in float to undo it."""

    key: str
    fault: str
    net: Net
    twin: Net
    plant: Callable[[Net, Weights], Weights]
    inputs: Inputs
    # What a right verdict says of each output.
    verdicts: dict[str, Verdict]
    culprits: tuple[str, ...] = ()
    restore: Plan = ALL_QUANTIZED
    # No set is known beforehand: take what a greedy search over the culprits finds.
    search: bool = False


def weighted(net: Net) -> tuple[str, ...]:
    """The nodes whose weights 8 bits hold."""
    return tuple(
        step.name for step in net.steps if step.op in WITH_WEIGHTS and any(w in net.shapes for w in step.weights)
    )


def unharmed(_: Net, weights: Weights) -> Weights:
    return weights


def broken_layer(net: Net, weights: Weights) -> Weights:
    return loud_weights(net, weights, {BROKEN: LOUD_WEIGHTS})


def drifting(net: Net, weights: Weights) -> Weights:
    return loud_weights(net, weights, dict.fromkeys(weighted(net)[1:], EVERYWHERE))


def outlier(net: Net, weights: Weights) -> Weights:
    return loud_channel(net, weights, OUTLIER, LOUD_CHANNEL)


def broken_auxiliary(net: Net, weights: Weights) -> Weights:
    return loud_weights(net, weights, {AUXILIARY: LOUD_WEIGHTS})


def outlier_norm(_: Net, weights: Weights) -> Weights:
    readers = tuple(f"encoder.attn.{part}" for part in "qkv")
    return loud_norm(weights, "encoder.norm1", readers, channel=12, ratio=LOUD_NORM)


DIGITS = nets.digits()
WITH_AUXILIARY = nets.digits(auxiliary=True)
LOCATOR = nets.locator()
TRANSFORMER = nets.transformer()

MEMBERS: tuple[Member, ...] = (
    Member(
        key="node_fault",
        fault="A weight that never matters is 200 times larger than the others: under one int8 scale they vanish.",
        net=DIGITS,
        twin=DIGITS,
        plant=broken_layer,
        inputs="digits",
        verdicts={"probabilities": "node error"},
        culprits=(BROKEN,),
        restore=Plan(float_nodes=(BROKEN,)),
    ),
    Member(
        key="clean",
        fault="",
        net=DIGITS,
        twin=DIGITS,
        plant=unharmed,
        inputs="digits",
        verdicts={"probabilities": "good"},
    ),
    Member(
        key="drift",
        fault="In each layer but the first a weight that never matters is 18 times larger than the others.",
        net=DIGITS,
        twin=DIGITS,
        plant=drifting,
        inputs="digits",
        verdicts={"probabilities": "accumulated error"},
        culprits=weighted(DIGITS)[1:],
        search=True,
    ),
    Member(
        key="loud_channel",
        fault="One channel of a depthwise convolution is a constant 6 000 that the next layer multiplies by zero.",
        net=DIGITS,
        twin=DIGITS,
        plant=outlier,
        inputs="digits",
        verdicts={"probabilities": "node error"},
        culprits=(OUTLIER,),
        restore=Plan(float_tensors=("/block2/depthwise/act/Relu_output_0",)),
    ),
    Member(
        key="cosine_lies",
        fault="Boxes in pixels up to 640 and probabilities up to 1 go through one Concat and one int8 scale of 2.5.",
        net=LOCATOR,
        twin=nets.locator(split=True),
        plant=unharmed,
        inputs="locator",
        verdicts={"detections": "node error"},
        culprits=("/Concat",),
        restore=Plan(float_tensors=("detections",)),
    ),
    Member(
        key="cosine_cries",
        fault="The layer behind the auxiliary output, left over from training, has a weight 200 times too large.",
        net=WITH_AUXILIARY,
        twin=WITH_AUXILIARY,
        plant=broken_auxiliary,
        inputs="digits",
        verdicts={"probabilities": "good", "auxiliary": "node error"},
        culprits=(AUXILIARY,),
        restore=Plan(float_nodes=(AUXILIARY,)),
    ),
    Member(
        key="transformer",
        fault="One channel of a LayerNormalization is 64 times larger, the weights that read it 64 times smaller.",
        net=TRANSFORMER,
        twin=TRANSFORMER,
        plant=outlier_norm,
        inputs="digits",
        verdicts={"probabilities": "node error"},
        culprits=(NORM,),
        restore=Plan(float_tensors=(f"{NORM}_output_0",)),
    ),
)
