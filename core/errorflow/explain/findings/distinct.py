"""Names of many nodes, shortened so that they stay apart: what only this one has is left out last."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

CUT = "…"
# Names that are looked through for one that would read alike; of more, what tells them apart stays as it is.
_MOST = 400
# A name of more parts stays as it is: no model has it, and to try all takes long.
_MOST_PARTS = 100
# Letters that stay of a scope, and at least of the end of a name; what is saved by that at least.
_STAY, _STAY_LAST, _SAVED = (8, 5, 3, 2, 1), 5, 2
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"[\W_]*\d+$")
_BEHIND_ALL = chr(0x10FFFF)


class NameForms:
    """Finds the forms of each name when it is asked for."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = sorted(set(names))
        self._forms: dict[str, tuple[str, ...]] = {}

    def forms(self, name: str) -> tuple[str, ...]:
        """Lists forms of a name, from the whole one to the shortest that no other name can be read as."""
        if name not in self._forms:
            self._forms[name] = tuple(dict.fromkeys(self._found(name)))
        return self._forms[name]

    def _found(self, name: str) -> Iterator[str]:
        yield name
        sign, gap, path = name.rpartition(" ")
        root = "/" if path.startswith("/") else ""
        before, parts = f"{sign}{gap}{root}", path.removeprefix(root).split("/")
        if len(parts) > _MOST_PARTS:
            return
        shown = list(parts)
        for place, form in _steps(parts):
            kept = shown[place]
            if not kept:
                continue  # what is left out stays so
            shown[place] = form
            text = _joined(before, shown)
            if self._is_only(text, before, parts, shown):
                yield text
            else:
                shown[place] = kept

    def _is_only(self, text: str, before: str, parts: list[str], shown: list[str]) -> bool:
        """Whether no other name can be meant."""
        for place in range(len(parts)):
            if shown[place] == parts[place]:
                continue
            head = "".join([before, *(f"{part}/" for part in parts[:place])])
            near = self._within(head)
            if len(near) <= _MOST:
                return self._reads_alone(text, near)
            if not self._is_alone(head, parts[place]):
                return False
        return True

    def _reads_alone(self, text: str, near: Sequence[str]) -> bool:
        pieces = text.split(CUT)
        return sum(_reads_as(pieces, name) for name in near) == 1

    def _within(self, head: str) -> Sequence[str]:
        first, last = self._range(head)
        return self._names[first : min(last, first + _MOST + 1)]

    def _is_alone(self, head: str, part: str) -> bool:
        """Whether all that is in a scope is in the same one within it."""
        return self._range(head) == self._range(f"{head}{part}/")

    def _range(self, head: str) -> tuple[int, int]:
        return bisect_left(self._names, head), bisect_left(self._names, f"{head}{_BEHIND_ALL}")


def _reads_as(pieces: list[str], name: str) -> bool:
    """Whether a name is these pieces with anything between them; a regular expression may try for hours."""
    first, *rest = pieces
    if not rest:
        return name == first
    if not name.startswith(first) or not name.endswith(rest[-1]):
        return False
    at, end = len(first), len(name) - len(rest[-1])
    for piece in rest[:-1]:
        found = name.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return at <= end


def _steps(parts: list[str]) -> Iterator[tuple[int, str]]:
    """Yields what may be shortened, step by step, and to what: "" is left out."""
    *scopes, last = parts
    order = sorted(
        range(len(scopes)),
        # Conv of conv/Conv says it already; numbers tell most.
        key=lambda place: (scopes[place].lower() != last.lower(), _DIGIT.search(scopes[place]) is not None),
    )
    yield from ((place, "") for place in order)
    longest_first = sorted(range(len(scopes)), key=lambda place: -len(scopes[place]))
    for letters in _STAY:
        yield from ((place, form) for place in longest_first if (form := _cut(scopes[place], letters)))
        if letters >= _STAY_LAST and (form := _cut(last, letters)):
            yield len(scopes), form


def _cut(part: str, letters: int) -> str:
    """Cuts a part to its beginning and the number at its end; "" where that saves nothing."""
    number = _NUMBER.search(part)
    end = "" if number is None else number[0]
    return f"{part[:letters]}{CUT}{end}" if letters + 1 + len(end) <= len(part) - _SAVED else ""


def _joined(before: str, shown: list[str]) -> str:
    """A gap that follows a gap is none of its own."""
    text = before if shown[0] else before.removesuffix("/")
    for place, part in enumerate(shown):
        if part:
            text += part if not place else f"/{part}"
        elif not text.endswith(CUT):
            text += CUT if not place else f"/{CUT}"
    return text
