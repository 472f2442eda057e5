"""Names of dump files: operator type and name, where and when it ran.

`op_type.op_name.task_id.stream_id.timestamp` is the usual form; older ones lack the stream, newer ones end in the kind
of task, context, thread and device. A name too long for the disk becomes digits, and `mapping.csv` holds the real one.
"""

import os
import re
from pathlib import Path
from typing import Literal

from errorflow.base import ErrorflowError, FormatError, dataclass
from errorflow.base.files import Source, is_file
from errorflow.graph.model import Problem

MAPPING = "mapping.csv"
MAX_MAPPING = 100 * 1024 * 1024
# Letters of a name in it; no operator of any model known is called by as many.
MAX_NAME = 4096
# What the kinds of tasks are called, by their number.
TASK_TYPES = ("AICORE", "AICPU", "DEBUG", "HCCL", "FFTSPLUS")
FFTS_PLUS = 4

_NAME = re.compile(
    r"(?P<type>[A-Za-z0-9_-]+)\.(?P<name>[A-Za-z0-9_-]+)(?P<numbers>(?:\.[0-9]{1,255}){2,7})(?P<rest>\..*)?", re.ASCII
)
_NPY = re.compile(r"(?P<name>[.A-Za-z0-9_-]+)\.(?P<index>[0-9]{1,9})\.(?P<time>[0-9]{1,255})\.npy", re.ASCII)
_SLICE = re.compile(r"_lxslice([0-9]{1,9})", re.ASCII)
_THREADED = re.compile(r"sgt_graph_[0-9]+", re.ASCII)
# How the pieces of an operator find together: "plain" takes all marks of pieces off; "model" leaves what the model's
# own names have, as the vendor's tool does when it is given the model; "pieces" keeps every piece apart.
Naming = Literal["plain", "model", "pieces"]
# Behind the time there is nothing, or the kind of task, context, thread and device.
_TAIL = 4


@dataclass(frozen=True, slots=True)
class DumpName:
    """Parts of a dump file's name. Numbers that the form has not are None."""

    op_type: str
    op_name: str
    task_id: int
    stream_id: int | None
    timestamp: int
    task_type: int | None = None
    context_id: int | None = None
    thread_id: int | None = None
    device_id: int | None = None
    # The name that was taken apart: the file's own, or the one in the mapping.
    written: str = ""

    @property
    def is_ffts(self) -> bool:
        return self.task_type == FFTS_PLUS

    @property
    def slice(self) -> int | None:
        """The number of the piece, where one operator was cut up by hand (`_lxsliceN`)."""
        found = _SLICE.findall(self.op_name)
        return int(found[-1]) if found else None

    def name_for(self, naming: Naming) -> str:
        """The operator's name without the marks of its pieces: `_lxsliceN` behind, `…_sgt_graph_N_` in front."""
        if naming == "pieces":
            return self.op_name
        if naming == "model" and "_lxslice" in self.op_name:
            return _SLICE.sub("", self.op_name)
        name = self.op_name
        ends = list(_SLICE.finditer(name))
        if ends and ends[-1].end() == len(name):
            name = name[: ends[-1].start()]
        marks = list(_THREADED.finditer(name))
        return name[marks[-1].end() + 1 :] if marks and marks[-1].end() < len(name) else name


def dump_name(text: str) -> DumpName | None:
    """The parts of a dump file's name; None where it is none."""
    found = _NAME.fullmatch(text)
    if not found:
        return None
    numbers = [int(part) for part in found["numbers"][1:].split(".")]
    own = numbers
    tail: tuple[int | None, ...] = (None,) * _TAIL
    if len(numbers) > _TAIL + 1 and numbers[-_TAIL] < len(TASK_TYPES):
        own, tail = numbers[:-_TAIL], tuple(numbers[-_TAIL:])
    task, *stream, timestamp = own[:3]
    kind, context, thread, device = tail
    stream_id = stream[0] if stream else None
    return DumpName(
        found["type"], found["name"], task, stream_id, timestamp, kind, context, thread, device, written=text
    )


@dataclass(frozen=True, slots=True)
class NpyName:
    """`op_name.output_index.timestamp.npy`, as msaccucmp wants the files of the original model."""

    op_name: str
    index: int
    timestamp: int

    @property
    def key(self) -> str:
        return f"{self.op_name}.{self.index}"


def npy_name(text: str) -> NpyName | None:
    """The parts of such a name; None where it is none."""
    found = _NPY.fullmatch(text)
    return NpyName(found["name"], int(found["index"]), int(found["time"])) if found else None


def written(name: str) -> str:
    """An operator's name as it stands in file names, and as the vendor's tool looks it up."""
    return name.replace("/", "_").replace(".", "_")


def is_hashed(file_name: str) -> bool:
    """Whether the name is digits only and stands for a longer one."""
    stem = file_name.removesuffix(".npy")
    return stem.isascii() and stem.isdecimal()


def read_mapping(folder: Path, root: Path | None = None) -> tuple[dict[str, str], tuple[Problem, ...]]:
    """The real names by the digits, as `mapping.csv` in `folder` has them; empty where there is none.

    A link counts where it leads to within `root`, the folder itself unless another is given.
    """
    path = folder / MAPPING
    if not is_file(path):
        return {}, ()
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder if root is None else root)):
        return {}, (Problem("It is a link that leads out of the folder and is not followed.", MAPPING),)
    try:
        text = _mapping_text(path)
    except ErrorflowError as error:
        return {}, (Problem(error.message, MAPPING),)
    return _mapping_rows(text)


def _mapping_text(path: Path) -> str:
    with Source(path) as source:
        if source.size > MAX_MAPPING:
            raise FormatError(f"{MAPPING} has more than {MAX_MAPPING:,} bytes.", "Keep only the rows of this folder.")
        return source.read(0, source.size).decode("utf-8", "replace")


def _mapping_rows(text: str) -> tuple[dict[str, str], tuple[Problem, ...]]:
    """A name is no path: one with a separator could point out of the folder and is left out."""
    found: dict[str, str] = {}
    bad = 0
    for line in text.splitlines():
        digits, comma, name = (part.strip().strip('"') for part in line.partition(","))
        if not line.strip():
            continue
        if not comma or not is_hashed(digits) or len(name) > MAX_NAME or any(mark in name for mark in ",/\\"):
            bad += 1
            continue
        found[digits] = name
    problems = (
        (Problem(f"{bad:,} lines are not of the form digits,file name and are left out.", MAPPING),) if bad else ()
    )
    return found, problems
