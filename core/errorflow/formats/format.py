"""Format: what every reader offers, and the row under which it stands in `errorflow.formats.FORMATS`."""

from collections.abc import Callable
from typing import Literal

from errorflow.base import Progress, dataclass
from errorflow.base.files import Source
from errorflow.formats.compiled import GraphListing
from errorflow.graph.dump import Dump
from errorflow.graph.model import Model

Content = Model | Dump


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of file. Content decides: `claims` looks at a few bytes, never at the name alone."""

    key: str
    label: str
    holds: Literal["model", "tensors"]
    extensions: tuple[str, ...]
    claims: Callable[[Source], bool]
    read: Callable[[Source, Progress], Content]
    # How one gets such a file, for the guide and for the answer to a wrong one.
    obtain: str
    # Of a compiled model: its operators one by one.
    listing: Callable[[Source, Progress], GraphListing] | None = None
    # The order of asking, the surest first.
    rank: int = 0


@dataclass(frozen=True, slots=True)
class WrongFile:
    """A kind of file that people pick by mistake: recognised, named, and answered with what to pick instead."""

    label: str
    claims: Callable[[Source], bool]
    hint: str
    rank: int = 0

    @property
    def key(self) -> str:
        return self.label
