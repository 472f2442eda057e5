"""The truth about a member, measured: what the task loses in 8 bits and what brings it back."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from make_sample.members import Member
from make_sample.model import float_model
from make_sample.net import Floats, Weights
from make_sample.quantize import ALL_QUANTIZED, Plan, Ranges, quantized_model
from make_sample.run import Tensors, runs
from make_sample.store import INPUTS, load_npz, trained

# A restored task may lose this much of its float accuracy: three of 300 evaluation inputs.
SLACK = 0.01
# The evaluation input whose tensors are kept: right in float, wrong in every member of its family that int8 harms.
SHOWN = {"digits": 54, "locator": 0}
MEASURES = {
    "digits": "share of the evaluation scans whose digit is right",
    "locator": "share of the evaluation pictures whose digit is right and whose box overlaps the true one by half",
}


@cache
def images(family: str, part: str) -> Floats:
    (values,) = load_npz(INPUTS / f"{family}_{part}.npz").values()
    return values.astype(np.float32)


@cache
def labels(family: str) -> Tensors:
    return load_npz(INPUTS / f"{family}_labels.npz")


def shown(member: Member) -> Floats:
    """The input of the two runs, as a batch of one."""
    at = SHOWN[member.inputs]
    return images(member.inputs, "evaluation")[at : at + 1]


def planted(member: Member) -> Weights:
    return member.plant(member.net, trained(member.net))


def accuracy(member: Member, proto: onnx.ModelProto) -> float:
    """The share of evaluation inputs that the model gets right."""
    outputs = runs(proto, member.net, images(member.inputs, "evaluation"))
    return round(float(np.mean([right(member, at, tensors) for at, tensors in enumerate(outputs)])), 4)


def right(member: Member, at: int, tensors: Tensors) -> bool:
    known = labels(member.inputs)
    if answer(tensors) != known["label"][at]:
        return False
    return "detections" not in tensors or overlap(tensors["detections"][0, :4], known["box"][at]) >= 0.5


def answer(tensors: Tensors) -> int:
    """The digit with the highest probability."""
    scores = tensors["detections"][:, 4:] if "detections" in tensors else tensors["probabilities"]
    return int(scores.argmax())


def overlap(box: NDArray[Any], other: NDArray[Any]) -> float:
    """Intersection over union of two boxes x0, y0, x1, y1."""
    inside = np.clip(np.minimum(box[2:], other[2:]) - np.maximum(box[:2], other[:2]), 0, None).prod()
    sizes = [np.clip(each[2:] - each[:2], 0, None).prod() for each in (box, other)]
    return float(inside / (sum(sizes) - inside))


def output_cosines(member: Member, reference: onnx.ModelProto, candidate: onnx.ModelProto) -> dict[str, float]:
    """The cosine of each output, all evaluation inputs taken together."""
    batch = images(member.inputs, "evaluation")
    pairs = list(zip(runs(reference, member.net, batch), runs(candidate, member.net, batch), strict=True))
    result = {}
    for name in member.net.outputs:
        a, b = (np.concatenate([pair[side][name].ravel() for pair in pairs]).astype(np.float64) for side in (0, 1))
        result[name] = round(float(a @ b / np.sqrt((a @ a) * (b @ b))), 6)
    return result


def twin_difference(member: Member) -> float:
    """The largest difference of any float output from the twin's, over the evaluation inputs."""
    twin = float_model(member.twin, trained(member.twin))
    batch = images(member.inputs, "evaluation")
    pairs = zip(
        runs(float_model(member.net, planted(member)), member.net, batch), runs(twin, member.twin, batch), strict=True
    )
    return max(float(np.abs(joined(ours) - joined(theirs)).max()) for ours, theirs in pairs)


def joined(tensors: Tensors) -> NDArray[Any]:
    return np.concatenate([value.ravel() for value in tensors.values()])


def truth(member: Member, ranges: Ranges) -> dict[str, Any]:
    """Makes all of it, as it is stored beside the models."""
    values = planted(member)
    float_proto = float_model(member.net, values)

    def model(plan: Plan) -> onnx.ModelProto:
        return quantized_model(member.net, values, ranges, plan)

    def score(plan: Plan) -> float:
        return accuracy(member, model(plan))

    whole = accuracy(member, float_proto)
    if member.search:
        restore, recovery = _greedy(member.culprits, score, whole)
    else:
        restore = member.restore
        recovery = [score(plan) for plan in ((ALL_QUANTIZED, restore) if member.culprits else (ALL_QUANTIZED,))]
    float_run, candidate_run = (
        next(runs(proto, member.net, shown(member))) for proto in (float_proto, model(ALL_QUANTIZED))
    )
    return {
        "fault": member.fault,
        "verdicts": member.verdicts,
        "culprits": list(member.culprits),
        "restoring_nodes": restore.float_nodes,
        "restoring_tensors": restore.float_tensors,
        "measure": MEASURES[member.inputs],
        "accuracy": {"float": whole, "quantized": recovery[0], "restored": recovery[-1]},
        "recovery": recovery,
        "cosine": {
            "quantized": output_cosines(member, float_proto, model(ALL_QUANTIZED)),
            "restored": output_cosines(member, float_proto, model(restore)),
        },
        "twin_difference": twin_difference(member),
        "shown": SHOWN[member.inputs],
        "label": int(labels(member.inputs)["label"][SHOWN[member.inputs]]),
        "answer": {"float": answer(float_run), "quantized": answer(candidate_run)},
    }


def _greedy(nodes: tuple[str, ...], score: Callable[[Plan], float], whole: float) -> tuple[Plan, list[float]]:
    """Keep one node after the other in float, each time the one that helps most, until the accuracy is back."""
    kept: tuple[str, ...] = ()
    curve = [score(ALL_QUANTIZED)]
    while curve[-1] < whole - SLACK:
        tried = {node: score(Plan(float_nodes=(*kept, node))) for node in nodes if node not in kept}
        best = max(tried, key=lambda node: tried[node])
        kept, curve = (*kept, best), [*curve, tried[best]]
    return Plan(float_nodes=kept), curve
