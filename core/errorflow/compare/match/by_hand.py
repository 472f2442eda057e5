"""Pairs by hand, which take the place of those that a rule found, and pairs that the user parted."""

import csv
import io
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from errorflow.base import ErrorflowError, FormatError, dataclass, field, replace
from errorflow.base.files import Source
from errorflow.compare.match.model import AS_THEY_ARE, Match, Pair
from errorflow.graph.dump import Dump, Stored
from errorflow.graph.model import Problem

RULE = "by-hand"
PARTED = "parted by hand"
# A file of pairs may have so many bytes.
MAX_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class TensorsOf:
    """Finds the tensors of a run by their names."""

    dump: Dump

    def __call__(self, name: str) -> Stored | None:
        try:
            return self.dump.stored(name)
        except (KeyError, ErrorflowError):
            return None


def with_hand_pairs(match: Match, wanted: Iterable[tuple[str, str]]) -> Match:
    """Puts pairs (candidate, reference) by names of tensors into a match; "" for one parts the other.

    What was done by hand before is done no more, unless it is wanted again. A candidate has one partner, a reference
    may have several. Pairs that were not touched are the same objects as before, at their places; what loses its
    partner is left over and says so. What is not there is a problem.
    """
    base = match if match.by_rules is None else match.by_rules
    table, changes = _Table.of(base), tuple(wanted)
    for candidate, reference in changes:
        table.take(candidate, reference)
    return table.match() if changes else base


def parse_pair(text: str) -> tuple[str, str]:
    """CANDIDATE=REFERENCE as it is typed, where one of them may be left out."""
    candidate, sign, reference = text.partition("=")
    if not sign or not (candidate.strip() or reference.strip()):
        raise FormatError(f"{text!r} is no pair.", "Write CANDIDATE=REFERENCE, or CANDIDATE= to part it.")
    return candidate.strip(), reference.strip()


def read_pairs(path: Path) -> tuple[tuple[str, str], ...]:
    """A table of two columns, candidate and reference; a first line that says just that is none of them."""
    found = []
    try:
        for number, cells in enumerate(csv.reader(io.StringIO(_text(path), newline="")), 1):
            row = [cell.strip() for cell in cells]
            if not any(row) or (number == 1 and [cell.lower() for cell in row] == ["candidate", "reference"]):
                continue
            if len(row) != 2:
                raise FormatError(
                    f"Line {number} of {path.name} has {len(row)} columns instead of 2.",
                    "A line is CANDIDATE,REFERENCE; names with a comma stand in quotes.",
                )
            found.append((row[0], row[1]))
    except csv.Error as error:
        raise FormatError(f"{path.name} is no table of pairs: {error}.", "A line is CANDIDATE,REFERENCE.") from error
    return tuple(found)


def _text(path: Path) -> str:
    with Source(path) as source:
        if source.size > MAX_BYTES:
            raise FormatError(f"{path.name} is too large for a table of pairs.", "Is it the right file?")
        try:
            return source.read(0, source.size).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise FormatError(f"{path.name} is no text in UTF-8.", "Save the table as CSV in UTF-8.") from error


@dataclass(slots=True)
class _Table:
    """Pairs by their number; None where one was taken away."""

    base: Match
    pairs: list[Pair | None]
    # Where a candidate stands, where a reference is used, and the place of a reference that is left over.
    mine: dict[str, int]
    golden: dict[str, list[int]]
    lonely: dict[str, int]
    # How most pairs are brought together.
    way: str
    problems: list[Problem] = field(default_factory=list)
    # Only known by their names before, or not in need of one any more.
    named_references: dict[str, None] = field(default_factory=dict)
    named_candidates: dict[str, None] = field(default_factory=dict)

    @classmethod
    def of(cls, match: Match) -> "_Table":
        mine: dict[str, int] = {}
        golden: dict[str, list[int]] = {}
        lonely: dict[str, int] = {}
        ways: Counter[str] = Counter()
        for number, pair in enumerate(match.pairs):
            if pair.candidate is not None:
                mine.setdefault(pair.tensor, number)
                ways[pair.way] += pair.reference is not None
            if pair.reference is not None and pair.candidate is not None:
                golden.setdefault(pair.reference.info.name, []).append(number)
            elif pair.reference is not None:
                lonely.setdefault(pair.reference.info.name, number)
        way = ways.most_common(1)[0][0] if ways else AS_THEY_ARE
        references, candidates = dict.fromkeys(match.only_reference), dict.fromkeys(match.only_candidate)
        return cls(match, list(match.pairs), mine, golden, lonely, way, [], references, candidates)

    def take(self, candidate: str, reference: str) -> None:
        if candidate and reference:
            self._bring_together(candidate, reference)
        elif candidate:
            self._part(candidate)
        else:
            for number in tuple(self.golden.get(reference, ())):
                self._part_at(number)
            if self._reference(reference) is None:
                self.problems.append(Problem(f"Matching by hand: the reference has no tensor {reference}.", reference))

    def match(self) -> Match:
        return replace(
            self.base,
            by_rules=self.base,
            pairs=tuple(pair for pair in self.pairs if pair is not None),
            only_reference=tuple(self.named_references),
            only_candidate=tuple(self.named_candidates),
            problems=(*self.base.problems, *self.problems),
        )

    def _bring_together(self, candidate: str, reference: str) -> None:
        number = self._number(candidate)
        other = self._reference(reference)
        if number is None or other is None:
            side, name = ("candidate", candidate) if number is None else ("reference", reference)
            self.problems.append(Problem(f"Matching by hand: the {side} has no tensor {name}.", candidate))
            return
        golden, like = other
        before = self.pairs[number]
        assert before is not None, "one with a candidate is never taken away"
        self._leave(number)
        self.pairs[number] = _paired(before, golden, like, self.way)
        self.golden.setdefault(reference, []).append(number)
        self.named_references.pop(reference, None)
        self.named_candidates.pop(candidate, None)
        place = self.lonely.pop(reference, None)
        if place is not None:
            self.pairs[place] = None

    def _part(self, candidate: str) -> None:
        number = self._number(candidate)
        if number is None:
            self.problems.append(Problem(f"Matching by hand: the candidate has no tensor {candidate}.", candidate))
        else:
            self._part_at(number)

    def _part_at(self, number: int) -> None:
        pair = self.pairs[number]
        assert pair is not None, "one with a candidate is never taken away"
        if pair.reference is not None:
            self._leave(number)
            listed = pair.listed and replace(pair.listed, references="*", reference_path="", types=None)
            self.pairs[number] = replace(pair, reference=None, rule="", note=PARTED, listed=listed)
            self.named_candidates[pair.tensor] = None

    def _number(self, candidate: str) -> int | None:
        """Finds the place of a candidate; one that was in no pair is given a place at the end."""
        if candidate not in self.mine:
            stored = self.base.sources.candidate(candidate)
            if stored is None:
                return None
            self.mine[candidate] = len(self.pairs)
            self.pairs.append(Pair(candidate, stored, None, note="only in the candidate"))
        return self.mine[candidate]

    def _reference(self, name: str) -> tuple[Stored, Pair | None] | None:
        """The tensor, and a pair that knows its layout."""
        for number in (*self.golden.get(name, ()), *([self.lonely[name]] if name in self.lonely else [])):
            pair = self.pairs[number]
            if pair is not None and pair.reference is not None:
                return pair.reference, pair
        stored = self.base.sources.reference(name)
        return None if stored is None else (stored, None)

    def _leave(self, number: int) -> None:
        """The reference at that place is used there no more; the last that leaves it leaves it over."""
        pair = self.pairs[number]
        if pair is None or pair.reference is None:
            return
        name = pair.reference.info.name
        self.golden[name].remove(number)
        if not self.golden[name]:
            self.lonely[name] = len(self.pairs)
            self.named_references[name] = None
            self.pairs.append(
                Pair(name, None, pair.reference, note=PARTED, way=pair.way, layout=pair.layout, shape=pair.shape)
            )


def _paired(before: Pair, golden: Stored, like: Pair | None, way: str) -> Pair:
    """Pairs two tensors. `like` tells how the reference lies in memory, where that is recorded."""
    listed = before.listed
    return replace(
        before,
        reference=golden,
        rule=RULE,
        note="",
        way=before.way if before.reference is not None else way,
        layout="" if like is None else like.layout,
        shape=None if like is None else like.shape,
        listed=listed
        and replace(listed, references=golden.info.name, reference_path="", reason="", measured=True, types=None),
    )
