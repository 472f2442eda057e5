"""Builds the sample from weights/*.npz: `python -m make_sample.build`. Needs numpy, onnx and onnxruntime.

Calibrates, plants the faults, writes each member's models, runs them and measures the truth. The models depend on the
weights and the calibrated ranges alone, both of which are stored here: they come out the same on every machine.
"""

import json
from pathlib import Path

import onnx

from make_sample import measure
from make_sample.members import MEMBERS, Member
from make_sample.model import float_model, serialized
from make_sample.net import Floats
from make_sample.quantize import ALL_QUANTIZED, Plan, Ranges, quantized_model, quantized_tensors
from make_sample.run import Tensors, all_tensors, runs
from make_sample.store import SAMPLE, save_npz, save_ranges, stored_ranges

# Their float runs are the same to the last bit, so they share the file.
SHARED_REFERENCE = ("node_fault", "clean", "drift")


def float_member(member: Member) -> onnx.ModelProto:
    return float_model(member.net, measure.planted(member))


def quantized_member(member: Member, plan: Plan, ranges: Ranges) -> onnx.ModelProto:
    return quantized_model(member.net, measure.planted(member), ranges, plan)


def calibrated(member: Member) -> Ranges:
    """Smallest and largest value of each tensor over the calibration inputs."""
    images = measure.images(member.inputs, "calibration")
    found = {member.net.input: (float(images.min()), float(images.max()))}
    for tensors in runs(float_member(member), member.net, images, all_tensors(member.net)):
        for name, value in tensors.items():
            low, high = found.get(name, (0.0, 0.0))
            found[name] = (min(low, float(value.min())), max(high, float(value.max())))
    return {name: found[name] for name in quantized_tensors(member.net)}


def write_models(member: Member, folder: Path) -> None:
    """`KEY.onnx` and `KEY_int8.onnx`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{member.key}.onnx").write_bytes(serialized(float_member(member)))
    quantized = quantized_member(member, ALL_QUANTIZED, stored_ranges(member.key))
    # Every reader works the shapes out again; they would be a quarter of the file.
    del quantized.graph.value_info[:]
    (folder / f"{member.key}_int8.onnx").write_bytes(serialized(quantized))


def write_runs(member: Member, folder: Path) -> None:
    """The tensors of one evaluation input, in the order in which they are made."""
    image: Floats = measure.shown(member)
    reference = {member.net.input: image, **_one(member, float_member(member), image)}
    candidate = {
        member.net.input: image,
        **_one(member, quantized_member(member, ALL_QUANTIZED, stored_ranges(member.key)), image),
    }
    if member.key not in SHARED_REFERENCE:
        save_npz(folder / "reference.npz", reference)
    elif member.key == SHARED_REFERENCE[0]:
        save_npz(folder.parent / "digits_reference.npz", reference)
    save_npz(folder / "candidate.npz", candidate)


def _one(member: Member, proto: onnx.ModelProto, image: Floats) -> Tensors:
    return next(runs(proto, member.net, image, all_tensors(member.net)))


def main() -> None:
    for member in MEMBERS:
        folder = SAMPLE / member.key
        save_ranges(member.key, calibrated(member))
        write_models(member, folder)
        write_runs(member, folder)
        truth = measure.truth(member, stored_ranges(member.key))
        (folder / "truth.json").write_text(json.dumps(truth, indent=1, ensure_ascii=False) + "\n")
        print(member.key, truth["accuracy"])


if __name__ == "__main__":
    main()
