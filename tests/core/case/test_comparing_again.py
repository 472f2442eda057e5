"""After a change of the match only what changed is measured."""

from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from errorflow.case.comparing import known_rows
from errorflow.compare import compare_match
from errorflow.compare.executors import Alone
from errorflow.compare.match.by_hand import RULE, with_hand_pairs
from errorflow.compare.match.model import Match, Pair
from errorflow.compare.measure import Fault
from errorflow.compare.model import Comparison, Options, Row
from stored_tensors import Made, made_match

HAND = st.lists(
    st.tuples(st.sampled_from(["", *(f"t{at}" for at in range(6))]), st.sampled_from([f"t{at}" for at in range(8)])),
    max_size=6,
)


def match_of(count: int, only_reference: Iterable[int] = ()) -> Match:
    match = made_match(count)
    lonely = tuple(Pair(f"t{seed}", None, Made(seed), note="only in the reference") for seed in only_reference)
    return Match((*match.pairs, *lonely), only_reference=tuple(pair.tensor for pair in lonely))


@dataclass
class Counting(Alone):
    """Notes what it was given."""

    given: list[str] = field(default_factory=list)

    def submit(self, pairs: Sequence[Pair], options: Options) -> "Future[list[Row | Fault]]":
        self.given += [pair.tensor for pair in pairs]
        return super().submit(pairs, options)


def remeasure(comparison: Comparison, old: Match, new: Match, crew: Alone) -> Comparison:
    return compare_match(new, known=known_rows(comparison, old, new), crew=crew)


@settings(max_examples=40)
@given(HAND, HAND)
def test_it_is_the_same_as_measuring_everything_anew(
    first: list[tuple[str, str]], second: list[tuple[str, str]]
) -> None:
    base = match_of(6, (6, 7))
    old = with_hand_pairs(base, first)
    new = with_hand_pairs(base, [*first, *second])
    known = compare_match(old, crew=Alone())
    assert remeasure(known, old, new, Alone()) == compare_match(new, crew=Alone())


def test_only_what_changed_is_measured() -> None:
    old = match_of(5, (6,))
    new = with_hand_pairs(old, [("t3", "t6")])
    crew = Counting()
    found = remeasure(compare_match(old, crew=Alone()), old, new, crew)
    # The one that was brought together, and the reference that it left, of which there is nothing to measure.
    assert crew.given == ["t3", "t3"]
    assert [row.rule for row in found.rows] == [*["tensor-name"] * 3, RULE, "tensor-name", ""]


def test_the_way_back_measures_nothing_that_is_known() -> None:
    base = match_of(3, (6,))
    new = with_hand_pairs(base, [("t1", "t6")])
    crew = Counting()
    remeasure(compare_match(new, crew=Alone()), new, base, crew)
    assert crew.given == ["t1", "t6"]


def test_a_wrong_shape_is_said_in_words() -> None:
    pairs = (Pair("a", Made(1, 10), None, note="x"), Pair("b", None, Made(2, 20), note="y"))
    old = Match(pairs)
    new = with_hand_pairs(old, [("a", "t2")])
    row = remeasure(compare_match(old, crew=Alone()), old, new, Alone()).rows[0]
    assert not row.values
    assert "10" in row.note and "20" in row.note
