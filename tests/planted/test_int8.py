"""The sample's planted faults on a made-up NPU in int8: layers quantized with one scale for all their weights."""

from pathlib import Path

import pytest

from make_sample import build, measure
from make_sample.members import BROKEN, OUTLIER, Member
from make_sample.members import MEMBERS as SAMPLES
from planted_cases import Told, judged
from tools.npu_case.case import Wish, write_case
from tools.npu_case.source import source_of

MEMBERS = {member.key: member for member in SAMPLES}


def told(member: Member, folder: Path, keep: bool) -> Told:
    source = source_of(build.float_member(member), {member.net.input: measure.shown(member)})
    return judged(write_case(source, folder / "case", Wish(int8=True, per_tensor=True, keep_model=keep)))


@pytest.mark.parametrize("keep", [False, True], ids=["estimated", "exact"])
@pytest.mark.parametrize("key", ["node_fault", "clean", "drift", "loud_channel"])
def test_the_kind_of_error_is_that_of_the_truth(key: str, keep: bool, tmp_path: Path) -> None:
    (expected,) = MEMBERS[key].verdicts.values()

    assert told(MEMBERS[key], tmp_path, keep).kind == expected


@pytest.mark.parametrize("keep", [False, True], ids=["estimated", "exact"])
def test_the_layer_whose_weights_are_lost_is_named(keep: bool, tmp_path: Path) -> None:
    assert told(MEMBERS["node_fault"], tmp_path, keep).first == BROKEN


def test_an_estimate_names_who_makes_the_loud_channel(tmp_path: Path) -> None:
    assert told(MEMBERS["loud_channel"], tmp_path, False).layer == OUTLIER


def test_exactly_seen_the_operator_that_quantizes_the_loud_channel_is_at_fault(tmp_path: Path) -> None:
    assert told(MEMBERS["loud_channel"], tmp_path, True).first == "/block2/project/conv/Conv.quant"
