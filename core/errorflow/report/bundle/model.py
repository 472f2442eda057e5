"""Parts of a bundle as plain values: what is chosen for it, what is in it, and what is not."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from errorflow.base import FormatError, dataclass, field
from errorflow.base.codec import Codec, OddError, parsed
from errorflow.case.model import Case

SUFFIX = ".zip"
# The first member, by which a bundle is known from its first bytes.
MARK = "errorflow-bundle.txt"
MANIFEST, SESSION, REPORT, TICKET = "manifest.json", "case.errorflow", "report.html", "ticket.md"
README, VERSIONS, GRAPH, FOUND = "README.txt", "versions.txt", "results/graph.json", "results/comparison.json"
KEPT, SECOND = "results/tensors.json", "results/second.json"
# Of the form of all that; a newer one is refused with advice.
VERSION = 1
# What of a comparison is a model that can stand beside another one.
SECONDS = ("quantized", "fusion", "original", "closed_fusion")
# What kind of thing a member is, for lists of what goes in.
Kind = Literal["always", "tensors", "inputs", "model"]


@dataclass(frozen=True, slots=True)
class Redactions:
    """Redactions in every text of a bundle."""

    # Folders: of a path its file's name stays.
    paths: bool = True
    # Of users and machines.
    names: bool = True

    @property
    def any(self) -> bool:
        return self.paths or self.names


@dataclass(frozen=True, slots=True)
class BundleChoice:
    """Choice of what goes into a bundle beside what always does. At first no tensor, no input and no weight does."""

    # Nodes by name: what each makes and reads, in both runs.
    nodes: tuple[str, ...] = ()
    model: bool = False
    inputs: bool = False
    redactions: Redactions = field(default_factory=Redactions)
    # What the user answered, by the keys of `form.FIELDS`.
    answers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OmittedPart:
    """Part that is not in a bundle, and why."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class OriginalFile:
    """A file or folder that the session names."""

    # What it is for, such as "candidate".
    use: str
    name: str
    # Where in the bundle it lies; "": it does not.
    member: str = ""
    # Where it lay; "": that was taken out.
    path: str = ""


@dataclass(frozen=True, slots=True)
class BundleMember:
    """A file of a bundle as the manifest has it."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """Manifest: what a bundle says of itself."""

    version: int
    written_by: str
    # As ISO 8601, without a zone: of the clock of whoever wrote it.
    made: str
    title: str
    verdict: str = ""
    originals: tuple[OriginalFile, ...] = ()
    # Nodes whose tensors were taken along.
    nodes: tuple[str, ...] = ()
    left_out: tuple[OmittedPart, ...] = ()
    # How often what was taken out, by `Finding.kind`.
    redacted: Mapping[str, int] = field(default_factory=dict)
    files: Mapping[str, BundleMember] = field(default_factory=dict)

    @property
    def said(self) -> str:
        """Date and maker in words."""
        day, _, time = self.made.partition("T")
        return f"made on {day} at {time[:5]} by Errorflow {self.written_by}"


@dataclass(frozen=True, eq=False)
class Bundle:
    """A bundle that was unpacked and read. All of the case can be looked at; of its tensors those that came along."""

    path: Path
    # Where its files lie now.
    folder: Path
    manifest: Manifest
    case: Case
    # What in it could not be read, in sentences.
    problems: tuple[str, ...] = ()


# Frozen values as JSON and back, in a bundle: what is as at first is not written, and what is read is checked.

_CODEC = Codec(is_brief=True)
_HINT = "Ask for the bundle once more; this one was changed or cut."


def plain(value: Any) -> Any:
    """Makes values that JSON knows."""
    return _CODEC.plain(value)


def texts(value: Any, change: Callable[[str], str]) -> Any:
    """The same plain values with every text in them changed, keys included."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(key): texts(entry, change) for key, entry in value.items()}
    if isinstance(value, list):
        return [texts(entry, change) for entry in value]
    return value


def encoded(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"


def decoded(data: bytes, name: str) -> dict[str, Any]:
    """The object that a file holds."""
    try:
        found = parsed(data)
    except ValueError as error:
        raise FormatError(f"{name} of the bundle is broken: it is no whole JSON.", _HINT) from error
    if not isinstance(found, dict):
        raise FormatError(f"{name} of the bundle is broken: it should be an object.", _HINT)
    return found


def read(kind: Any, value: Any, name: str) -> Any:
    """Reads what `plain` made of a value of that type; a `FormatError` for anything else."""
    try:
        return _CODEC.read(kind, value)
    except OddError as error:
        raise FormatError(f"{name} of the bundle is broken: {error}", _HINT) from error
