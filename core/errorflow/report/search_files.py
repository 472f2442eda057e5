"""A search as the files that are kept of it: plan, history and ranking, of our own and as vendors' tools write them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

from errorflow.base.codec import Codec, Each, parsed
from errorflow.base.errors import FileError
from errorflow.base.files import is_file, write_atomic
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass
from errorflow.base.vendor import Rows
from errorflow.quant.plan_file import plan_text
from errorflow.report.search import ranking_json, search_json, tried_csv
from errorflow.report.toolchains.saving import forget_left_out, left_out_name
from errorflow.study.search.model import Search
from errorflow.study.search.raising import plan_of
from errorflow.study.simulate.bench import Bench

PLAN, HISTORY, TABLE, RANKING, LOG = "plan.json", "history.json", "history.csv", "ranking.json", "search.log"
QDQ = "model_qdq.onnx"


@dataclass(frozen=True, slots=True)
class SearchTool:
    """A vendor's tool that searches too: files that it would have left of a search."""

    rank: ClassVar[int] = 0
    key: str
    # What it writes of some searches and not of others, and the toolchains whose lists of what is left out are beside.
    names: tuple[str, ...]
    toolchains: tuple[str, ...]
    # Texts of the files, and what to know of them. It is given the setting that the tool is to begin with, "": none;
    # None: it writes what costs nothing.
    write: Callable[[Search, Bench, Path, str | None, Progress], tuple[dict[str, str], list[str]]]


SEARCH_TOOLS = Rows(SearchTool, "searches")


def write_search(
    out: Path,
    found: Search,
    bench: Bench,
    *,
    starts: Mapping[str, str] = MappingProxyType({}),
    qdq: bool = False,
    progress: Progress = SILENT,
) -> tuple[list[Path], list[str]]:
    """Writes a search into the folder, which is there; returns the files, and what to know of them.

    `starts`: the tools that are to be given all, by their keys, and the setting to begin with; "": none. What an
    earlier search left there and this one does not write is removed.
    """
    given = (bench.floated.path, found.wish.ranking, *(Path(start) for start in starts.values() if start))
    before = _Earlier.of(out, [path for path in given if path is not None])
    plan = plan_of(bench, found)
    texts = {PLAN: plan_text(plan), TABLE: tried_csv(found)}
    if found.parts:
        texts[RANKING] = ranking_json(found)
    notes: list[str] = []
    for tool in SEARCH_TOOLS:
        made, told = tool.write(found, bench, out, starts.get(tool.key), progress)
        texts |= made
        notes += told
    for name, text in texts.items():
        (out / name).parent.mkdir(exist_ok=True)
        write_atomic(out / name, text)
    names = [*texts, *([QDQ] if qdq else []), HISTORY]
    if qdq:
        bench.engine.export(plan, out / QDQ, progress)
    notes += before.removed(names)
    # The last one: what is older than it, and stands in it, is as this search left it.
    write_atomic(out / HISTORY, search_json(found, dict(bench.facts), names))
    return [out / name for name in names], notes


@dataclass(frozen=True, slots=True)
class _History:
    """Head of a history."""

    kind: str = ""
    files: Each[tuple[str, ...]] = ()


@dataclass(frozen=True)
class _Earlier:
    """Earlier search that wrote into the folder, as its history says."""

    out: Path
    names: frozenset[str] = frozenset()
    # When the last file of it was written.
    time: int = 0
    # What the search was given, which stays.
    given: frozenset[Path] = frozenset()

    @classmethod
    def of(cls, out: Path, given: Sequence[Path]) -> "_Earlier":
        path = out / HISTORY
        try:
            time = path.stat().st_mtime_ns
            found: _History = Codec().read(_History, parsed(path.read_bytes()), notes=[])
        except (OSError, ValueError):  # there is none, or it is nobody's
            return cls(out)
        known = frozenset(found.files if found.kind == "errorflow search" else ())
        return cls(out, known, time, frozenset(path.absolute() for path in given))

    def removed(self, written: Sequence[str]) -> Iterator[str]:
        """Removes what is not written now; yields a note on each file that may be of another origin, which stays."""
        for key in (key for tool in SEARCH_TOOLS for key in tool.toolchains):
            if left_out_name(key) not in written:
                forget_left_out(self.out, key)
        for name in (RANKING, *(name for tool in SEARCH_TOOLS for name in tool.names), QDQ):
            path = self.out / name
            if name in written or path.absolute() in self.given or not is_file(path):
                continue
            try:
                is_ours = name in self.names and path.stat().st_mtime_ns <= self.time
                if is_ours:
                    path.unlink()
            except OSError as error:
                raise FileError(f"{name} is of an earlier search, and could not be removed.", "Remove it.") from error
            if not is_ours:
                yield f"{name} was there before, and is not of this search."
