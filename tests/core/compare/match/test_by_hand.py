"""What the user brought together takes the place of what a rule found."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.base.errors import FormatError
from errorflow.compare.match.by_hand import PARTED, RULE, parse_pair, read_pairs, with_hand_pairs
from errorflow.compare.match.model import BY_ORIGIN, Listed, Match, Pair, Sources
from errorflow.compare.match.rules import RULE_OF
from stored_tensors import Made, made_pair


def match() -> Match:
    """t0 and t1 have partners; t2 has none, nor has the reference's t3; of t9 only the name is known."""
    lonely = (Pair("t2", Made(2), None, note="only in the candidate"), Pair("t3", None, Made(3), note="only there"))
    return Match((made_pair(0), made_pair(1), *lonely), only_reference=("t3", "t9"), only_candidate=("t2",))


def texts(found: Match) -> list[tuple[str, str, str]]:
    return [
        ("" if p.candidate is None else p.tensor, "" if p.reference is None else p.reference.info.name, p.rule)
        for p in found.pairs
    ]


def test_two_left_overs_become_a_pair_in_the_place_of_the_candidate() -> None:
    found = with_hand_pairs(match(), [("t2", "t3")])
    assert texts(found) == [("t0", "t0", "tensor-name"), ("t1", "t1", "tensor-name"), ("t2", "t3", RULE)]
    assert found.pairs[2].note == ""
    assert (found.only_candidate, found.only_reference) == ((), ("t9",))


def test_the_rule_has_a_row_of_its_own() -> None:
    assert RULE_OF[RULE].label == "by hand"


def test_what_nobody_touched_is_the_same_object() -> None:
    base = match()
    found = with_hand_pairs(base, [("t2", "t3")])
    assert found.pairs[0] is base.pairs[0]
    assert with_hand_pairs(base, []) == base


def test_the_partner_from_before_is_left_over() -> None:
    found = with_hand_pairs(match(), [("t0", "t3")])
    assert ("", "t0", "") in texts(found)
    assert ("t0", "t3", RULE) in texts(found)
    assert found.only_reference == ("t9", "t0")
    assert found.pairs[-1].note == PARTED


def test_a_reference_may_stand_for_several() -> None:
    found = with_hand_pairs(match(), [("t2", "t0")])
    assert ("t0", "t0", "tensor-name") in texts(found)
    assert ("t2", "t0", RULE) in texts(found)
    assert found.only_reference == ("t3", "t9")


def test_two_partners_can_be_swapped() -> None:
    found = with_hand_pairs(match(), [("t0", "t1"), ("t1", "t0")])
    assert texts(found)[:2] == [("t0", "t1", RULE), ("t1", "t0", RULE)]
    assert found.only_reference == ("t3", "t9")


@pytest.mark.parametrize("wanted", [("t0", ""), ("", "t0")])
def test_a_pair_is_parted_from_either_side(wanted: tuple[str, str]) -> None:
    found = with_hand_pairs(match(), [wanted])
    assert ("t0", "", "") in texts(found)
    assert ("", "t0", "") in texts(found)
    assert (found.only_candidate, found.only_reference) == (("t2", "t0"), ("t3", "t9", "t0"))


def test_what_was_parted_can_be_brought_together_again() -> None:
    found = with_hand_pairs(match(), [("t0", ""), ("t0", "t0")])
    assert texts(found)[0] == ("t0", "t0", RULE)
    assert (found.only_candidate, found.only_reference) == (("t2",), ("t3", "t9"))


def test_a_tensor_of_which_only_the_name_is_known_is_looked_for_in_its_run() -> None:
    runs = Sources(reference={"t9": Made(9)}.get, candidate={"t8": Made(8)}.get)
    found = with_hand_pairs(replace(match(), sources=runs), [("t8", "t9")])
    assert texts(found)[-1] == ("t8", "t9", RULE)
    assert found.only_reference == ("t3",)


def test_what_was_done_by_hand_before_is_forgotten() -> None:
    base = match()
    once = with_hand_pairs(base, [("t0", "t3")])
    assert with_hand_pairs(once, []) is base
    assert with_hand_pairs(once, [("t2", "t3")]) == with_hand_pairs(base, [("t2", "t3")])


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (("t7", "t0"), "the candidate has no tensor t7"),
        (("t0", "t9"), "the reference has no tensor t9"),
        (("t7", ""), "the candidate has no tensor t7"),
    ],
)
def test_what_is_not_there_is_a_problem_and_changes_nothing(wanted: tuple[str, str], said: str) -> None:
    found = with_hand_pairs(match(), [wanted])
    assert found.pairs == match().pairs
    assert said in found.problems[0].text


def test_the_layout_of_the_reference_comes_along() -> None:
    first = Pair("a", Made(1), Made(2), rule="origin", way=BY_ORIGIN, layout="NHWC", shape=(1, 2, 2, 3))
    listed = Listed(0, "Conv2D", "b", "*", "b:output:0", reason="no partner", measured=False)
    second = Pair("b", Made(3), None, note="only in the candidate", listed=listed)
    pair = with_hand_pairs(Match((first, second)), [("b", "t2")]).pairs[1]
    assert (pair.way, pair.layout, pair.shape) == (BY_ORIGIN, "NHWC", (1, 2, 2, 3))
    assert pair.listed is not None
    assert (pair.listed.references, pair.listed.measured, pair.listed.reason) == ("t2", True, "")


@given(st.lists(st.tuples(*[st.sampled_from(["", "t0", "t1", "t2", "t3", "t9", "tx"])] * 2), max_size=8))
def test_no_tensor_is_lost_or_doubled(wanted: list[tuple[str, str]]) -> None:
    base = match()
    found = with_hand_pairs(base, wanted)
    candidates = [pair.tensor for pair in found.pairs if pair.candidate is not None]
    assert sorted(candidates) == ["t0", "t1", "t2"]
    references = {pair.reference.info.name for pair in found.pairs if pair.reference is not None}
    assert references == {"t0", "t1", "t3"}
    lonely = [pair.tensor for pair in found.pairs if pair.candidate is None]
    assert sorted([*lonely, "t9"]) == sorted(found.only_reference)
    assert sorted(p.tensor for p in found.pairs if p.reference is None) == sorted(found.only_candidate)


@pytest.mark.parametrize(
    ("text", "pair"),
    [("a=b", ("a", "b")), (" a = b ", ("a", "b")), ("a=", ("a", "")), ("=b", ("", "b")), ("a=b=c", ("a", "b=c"))],
)
def test_a_pair_is_read_as_it_is_typed(text: str, pair: tuple[str, str]) -> None:
    assert parse_pair(text) == pair


@pytest.mark.parametrize("text", ["", "a", "=", " = "])
def test_what_is_no_pair_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        parse_pair(text)


def test_a_file_has_a_pair_per_line(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text('\ufeffCandidate,Reference\na,b\n\n"c,1",d\ne,\n', encoding="utf-8")
    assert read_pairs(path) == (("a", "b"), ("c,1", "d"), ("e", ""))


@pytest.mark.parametrize("content", [b"a,b,c\n", b"a\n", b"\xff\xfe\n", b'"a\x00,b\n' + b"x" * 200_000])
def test_a_file_that_is_no_table_of_pairs_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "pairs.csv"
    path.write_bytes(content)
    with pytest.raises(FormatError):
        read_pairs(path)


@given(st.binary(max_size=200))
def test_no_file_crashes_the_reader(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("pairs") / "pairs.csv"
    path.write_bytes(content)
    try:
        pairs = read_pairs(path)
    except FormatError:
        return
    assert all(len(pair) == 2 for pair in pairs)


def test_a_reference_that_is_not_there_is_a_problem() -> None:
    found = with_hand_pairs(match(), [("", "nowhere")])
    assert [problem.text for problem in found.problems] == ["Matching by hand: the reference has no tensor nowhere."]


def test_a_reference_is_parted_also_where_two_pairs_have_one_candidate() -> None:
    twice = Pair("t0", Made(0), Made(7), rule="same-place")
    base = match()
    found = with_hand_pairs(replace(base, pairs=(*base.pairs, twice)), [("", "t7")])
    assert texts(found)[0] == ("t0", "t0", "tensor-name")
    assert ("t0", "", "") in texts(found)
