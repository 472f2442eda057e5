"""Cuts the operators out of an ATC JSON while it is read in pieces; what remains is small and decoded at the end."""

import codecs
import re
from collections.abc import Iterator

from errorflow.base import FormatError, Progress, dataclass, field
from errorflow.base.files import Source
from errorflow.vendors.ascend.formats.structure import Structure

MAX_FILE_BYTES = 2 * 1024**3
# Of one operator and of everything else; real ones have some 10 kB, and some 20 bytes per operator.
MAX_NODE_BYTES = 32 * 1024**2
MAX_REST_BYTES = 64 * 1024**2
# Brackets become objects, which take more memory than their text.
MAX_BRACKETS = 1_000_000
PIECE_BYTES = 1024 * 1024
_LOOK_BACK = 64
_BEFORE_NODES = re.compile(rb'"op"\s*:\s*$')
_AGAIN = "Print it again with `atc --mode=1 --om=… --json=…`, or copy it again."


@dataclass(frozen=True, slots=True)
class Cut:
    """The text of one operator: in which list of operators it stands, and at which byte of the file."""

    group: int
    start: int
    text: bytes


@dataclass(slots=True)
class Cutter:
    """Yields the operators of a file; afterwards `rest` is the file with each replaced by its number."""

    source: Source
    rest: bytearray = field(default_factory=bytearray)
    # For each list of operators the number of the first one in it.
    firsts: list[int] = field(default_factory=list)
    _count: int = 0
    _in_nodes: bool = False
    # The start of an operator whose end has not been seen yet, and its text so far.
    _start: int = -1
    _first_bracket: int = 0
    _brackets_outside: int = 0
    _text: bytearray = field(default_factory=bytearray)
    _before: bytes = b""

    def cuts(self, progress: Progress) -> Iterator[Cut]:
        _check_size(self.source)
        structure = Structure(self.source.name)
        utf8 = codecs.getincrementaldecoder("utf-8")()
        offset = 0
        for piece in self.source.pieces(PIECE_BYTES):
            progress.step(offset, self.source.size, "Reading operators")
            _check_text(self.source.name, piece, utf8)
            yield from self._piece(piece, offset, structure)
            offset += len(piece)
        if structure.depth or structure.in_string:
            raise FormatError(f"{self.source.name} ends in the middle: it was cut off.", _AGAIN)

    def _piece(self, piece: bytes, offset: int, structure: Structure) -> Iterator[Cut]:
        kept = 0  # up to here everything has been put where it belongs
        for bracket in structure.brackets(piece):
            if bracket.level == 4:
                self._brackets_outside += 1
                self._in_nodes = bracket.opens and self._opens_nodes(piece, bracket.at)
                self.firsts += [self._count] * self._in_nodes
            elif bracket.level == 5 and self._in_nodes and bracket.opens and piece[bracket.at] == ord("{"):
                self.rest += piece[kept : bracket.at]
                kept, self._start = bracket.at, offset + bracket.at
                self._first_bracket = bracket.number
            elif bracket.level == 5 and not bracket.opens and self._start >= 0:
                self._text += piece[kept : bracket.at + 1]
                kept = bracket.at + 1
                self._check_limits(bracket.number)
                yield self._finished()
            elif self._start < 0:
                self._brackets_outside += 1
        (self._text if self._start >= 0 else self.rest).extend(piece[kept:])
        self._before = (self._before + piece)[-_LOOK_BACK:]
        self._check_limits(structure.count)

    def _opens_nodes(self, piece: bytes, at: int) -> bool:
        if piece[at] != ord("["):
            return False
        before = piece[max(0, at - _LOOK_BACK) : at]
        return _BEFORE_NODES.search(before if at >= _LOOK_BACK else self._before + before) is not None

    def _finished(self) -> Cut:
        cut = Cut(len(self.firsts) - 1, self._start, bytes(self._text))
        self.rest += b"%d" % self._count
        self._count += 1
        self._start = -1
        self._text.clear()
        return cut

    def _check_limits(self, brackets: int) -> None:
        inside = brackets - self._first_bracket if self._start >= 0 else 0
        if len(self._text) > MAX_NODE_BYTES or inside > MAX_BRACKETS:
            raise FormatError(f"An operator in {self.source.name} is larger than any that is known.", _AGAIN)
        if len(self.rest) > MAX_REST_BYTES or self._brackets_outside > MAX_BRACKETS:
            raise FormatError(f"{self.source.name} holds more beside its operators than any model does.", _AGAIN)


def _check_size(source: Source) -> None:
    if source.size > MAX_FILE_BYTES:
        raise FormatError(
            f"{source.name} is larger than {MAX_FILE_BYTES >> 30} GB, which no ATC JSON is.",
            "Check that it is complete text; a file made for a disk image or a broken copy can be full of zeros.",
        )


def _check_text(name: str, piece: bytes, utf8: codecs.IncrementalDecoder) -> None:
    if b"\0" in piece:
        raise FormatError(f"{name} holds zero bytes, which no text does: its copy is incomplete.", _AGAIN)
    if piece.isascii() and not utf8.getstate()[0]:
        return
    try:
        utf8.decode(piece)
    except UnicodeDecodeError as error:
        raise FormatError(f"{name} is not UTF-8 text.", _AGAIN) from error
