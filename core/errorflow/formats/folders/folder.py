"""The row under which a kind of folder stands in `errorflow.formats.folders.FOLDERS`."""

from collections.abc import Callable, Mapping
from typing import Literal

from errorflow.base.progress import Progress
from errorflow.base.values import dataclass, field
from errorflow.formats.folders.scan import Listing
from errorflow.graph.dump import Dump


@dataclass(frozen=True, slots=True)
class Declared:
    """Declaration of a tensor whose file holds bare values. None in the shape: as the file's size says."""

    dtype: str
    shape: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class FolderHints:
    """Facts that a folder alone does not tell: tensors by their names in the model."""

    tensors: Mapping[str, Declared] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Folder:
    """One kind of folder. Its content decides: `claims` looks at names, never at the name of the folder alone."""

    key: str
    label: str
    claims: Callable[[Listing], bool]
    read: Callable[[Listing, FolderHints, Progress], Dump]
    obtain: str
    # What one opens it as: a run, or samples of inputs; "": what lies in it says more.
    holds: Literal["arrays", "array", ""] = ""
    # Names of folders that hold a run each, where the folder around several of them is claimed too.
    runs: frozenset[str] = frozenset()
    # The order of asking, the surest first.
    rank: int = 0
