"""Parts of a file that are read again later, when someone looks at a node: not kept in memory until then."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from errorflow.arrays import Longs
from errorflow.errors import FileError
from errorflow.files import Source


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A file as it was when it was read: whoever comes back finds the same bytes or is told."""

    path: Path
    size: int
    changed_ns: int

    @classmethod
    def of(cls, source: Source) -> "Snapshot":
        return cls(source.path, source.size, _changed_ns(source.path))

    def open(self) -> Source:
        """The file, for use in a `with` statement; a `FileError` where it is another one by now."""
        source = Source(self.path)
        if source.size == self.size and _changed_ns(self.path) == self.changed_ns:
            return source
        source.close()
        raise FileError(f"{self.path.name} was changed since it was opened.", "Open it again to see what it says now.")

    def read(self, start: int, end: int) -> bytes:
        with self.open() as source:
            return source.read(start, end - start)


def _changed_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError as error:
        raise FileError(f"{path.name} is gone.", "It was moved or deleted; put it back or open it again.") from error


@dataclass(frozen=True, slots=True)
class NodeAttributes:
    """The attributes of one graph's nodes: where they lie in the file, and how to decode them."""

    snapshot: Snapshot
    # One row per node: first byte and the byte behind the last.
    places: Longs
    decode: Callable[[Snapshot, int, int], Mapping[str, object]]

    def __call__(self, node: int) -> Mapping[str, object]:
        start, end = self.places[node].tolist()
        return LazyMapping(lambda: self.decode(self.snapshot, start, end))


@dataclass(frozen=True, eq=False)
class LazyMapping(Mapping[str, object]):
    """A mapping that is made when it is first looked into; that may raise what reading a file may raise."""

    make: Callable[[], Mapping[str, object]] = field(repr=False)

    @cached_property
    def _made(self) -> Mapping[str, object]:
        return self.make()

    def __getitem__(self, key: str) -> object:
        return self._made[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)
