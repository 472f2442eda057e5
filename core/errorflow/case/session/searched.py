"""What a session keeps of searches: what was asked, and what was tried. The oldest give way."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from errorflow.base.codec import Codec, OddError
from errorflow.case.session.model import MOST_SEARCHES, Searched
from errorflow.study.search.asked import Sought
from errorflow.study.search.model import Search
from errorflow.study.simulate.basis import Basis

# Of all searches of a file together: names of parts, and parts that were raised.
MOST_NAMES = 200_000


@dataclass(frozen=True)
class _Row:
    """`Searched`, whose search is not loaded at the start of the app."""

    basis: Basis
    sought: Sought
    search: Search


def newest_searches(searches: Iterable[Searched]) -> tuple[Searched, ...]:
    """Those for which there is room in a file."""
    kept: list[Searched] = []
    names = 0
    for searched in reversed(tuple(searches)):
        search = searched.search
        names += sum(len(part.nodes) + len(part.tensors) for part in search.parts)
        names += sum(len(tried.choice) for tried in search.tried)
        if names > MOST_NAMES or len(kept) == MOST_SEARCHES:
            break
        kept.append(searched)
    return tuple(kept[::-1])


def plain_searched(codec: Codec, searched: Searched) -> Any:
    return codec.plain(_Row(searched.basis, searched.sought, searched.search))


def searched_of(codec: Codec, value: Any, where: str, notes: list[str] | None) -> Searched:
    row: _Row = codec.read(_Row, value, where, notes)
    if not _is_whole(row.search):
        raise OddError("it speaks of parts that it does not have.")
    return Searched(row.basis, row.sought, row.search)


def _is_whole(search: Search) -> bool:
    count, tried = len(search.parts), len(search.tried)
    return (
        len(search.scores) in (0, count)
        and all(0 <= part < count for each in search.tried for part in each.choice.parts)
        and [each.number for each in search.tried] == list(range(tried))
        and all(0 <= number < tried for number in search.asked)
    )
