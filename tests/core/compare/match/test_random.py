"""Whatever a model records, and however its dumps are broken: lines in order, and never a crash."""

import pickle
import random
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from errorflow.base.errors import ErrorflowError
from errorflow.compare.match.model import Match
from errorflow.compare.match.plan import MatchRequest, plan
from errorflow.compare.match.rules import RULE_OF
from generate_ascend import make

_CREATED = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def matched(folder: Path, seed: int) -> Match | None:
    """The match of a made-up case; None where it is refused with a sentence."""
    case = make(folder, seed)
    words = dict(zip(case.call[::2], case.call[1::2], strict=False))
    fusion, quantization, closed = (
        str(folder / words[option]) if option in words else "" for option in ("-f", "-q", "-cf")
    )
    try:
        return plan(MatchRequest(folder / "mine", folder / "golden", fusion, quantization, closed)).match
    except ErrorflowError as error:
        assert error.message.endswith(".")
        return None


def fresh(folder: Path) -> Path:
    place = folder / str(len(list(folder.iterdir())))
    place.mkdir()
    return place


@_CREATED
@given(seed=st.integers(0, 1 << 20))
def test_lines_come_in_order_and_every_pair_says_its_rule(tmp_path: Path, seed: int) -> None:
    match = matched(fresh(tmp_path), seed)

    pairs = () if match is None else match.pairs
    indices = [pair.listed.index for pair in pairs if pair.listed is not None]
    assert indices == sorted(indices)
    for pair in pairs:
        both = pair.candidate is not None and pair.reference is not None
        assert pair.rule in RULE_OF if both else pair.rule == "" and pair.note


@_CREATED
@given(seed=st.integers(0, 1 << 20), place=st.integers(0, 1 << 20))
def test_damaged_files_end_in_sentences_and_notes(tmp_path: Path, seed: int, place: int) -> None:
    folder = fresh(tmp_path)
    make(folder, seed)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    for path in random.Random(place).sample(files, k=min(3, len(files))):
        data = bytearray(path.read_bytes())
        if data:
            data[place % len(data)] ^= 1 + place % 255
        path.write_bytes(data[: len(data) - place % 7])

    try:
        found = plan(MatchRequest(folder / "mine", folder / "golden", str(folder / "fusion.json"))).match
    except ErrorflowError:
        return
    assert all(pair.candidate is not None or pair.note for pair in found.pairs)


def test_pairs_can_be_sent_to_other_processes(tmp_path: Path) -> None:
    match = matched(fresh(tmp_path), 0)

    assert match is not None
    assert pickle.loads(pickle.dumps(match)) == match
