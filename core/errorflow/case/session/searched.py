"""What a session keeps of searches: what was asked, and what was tried. The oldest give way."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errorflow.case.session.fields import Fields
from errorflow.case.session.model import Searched
from errorflow.case.session.simulated import Reader, plain
from errorflow.study.search.asked import Sought
from errorflow.study.search.model import Search
from errorflow.study.simulate.basis import Basis

MOST_SEARCHES = 8
# Of all searches of a file together: names of parts, and parts that were raised.
MOST_NAMES = 200_000


@dataclass(frozen=True)
class _Read:
    """`Searched`, whose search is not loaded at the start of the app."""

    basis: Basis
    sought: Sought
    search: Search


def sought_rows(sought: Sought, folder: Path) -> Any:
    return plain(sought, folder)


def sought_of(rows: Fields, folder: Path) -> Sought:
    """The first one that is offered where there is none, or one that cannot be read."""
    given = rows.rows.get("sought")
    read = None if given is None else Reader(folder, rows.problems).read(Sought, given, "sought")
    return Sought() if read is None else read


def search_rows(searches: Iterable[Searched], folder: Path) -> list[Any]:
    """The newest ones for which there is room."""
    kept: list[Any] = []
    names = 0
    for searched in reversed(tuple(searches)):
        search = searched.search
        names += sum(len(part.nodes) + len(part.tensors) for part in search.parts)
        names += sum(len(tried.choice) for tried in search.tried)
        if names > MOST_NAMES or len(kept) == MOST_SEARCHES:
            break
        kept.append(plain(searched, folder))
    return kept[::-1]


def searches_of(rows: Fields, folder: Path) -> tuple[Searched, ...]:
    """Those that can be read."""
    listed = rows.rows.get("searches")
    if listed is None:
        return ()
    if not (isinstance(listed, list) and len(listed) <= MOST_SEARCHES):
        rows.problems.append(f"searches is left out: it should be a list of {MOST_SEARCHES} at most.")
        return ()
    reader = Reader(folder, rows.problems)
    found = []
    for at, entry in enumerate(listed):
        read = reader.read(_Read, entry, f"searches[{at}]")
        if read is None:
            continue
        if not _is_whole(read.search):
            reader.note(f"searches[{at}] is left out: it speaks of parts that it does not have.")
            continue
        found.append(Searched(read.basis, read.sought, read.search))
    return tuple(found)


def _is_whole(search: Search) -> bool:
    count, tried = len(search.parts), len(search.tried)
    return (
        len(search.scores) in (0, count)
        and all(0 <= part < count for each in search.tried for part in each.choice.parts)
        and [each.number for each in search.tried] == list(range(tried))
        and all(0 <= number < tried for number in search.asked)
    )
