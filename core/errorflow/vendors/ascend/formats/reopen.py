"""Parts of a file that are read again later, when someone looks at a node: not kept in memory until then."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from errorflow.base.arrays import Longs
from errorflow.base.files import Snapshot
from errorflow.base.values import dataclass, field


@dataclass(frozen=True, slots=True)
class AscendNodeAttributes:
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
