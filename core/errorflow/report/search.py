"""Results of a search: sentences, tables of what was tried, and JSON for programs."""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

from errorflow import __version__
from errorflow.base import SILENT, FileError, Progress, dataclass
from errorflow.base.codec import Codec, Each, parsed, spelled
from errorflow.base.files import is_file, write_atomic
from errorflow.base.values import word_list
from errorflow.base.vendor import Rows
from errorflow.graph.build import counted
from errorflow.quant.plan_file import plan_text
from errorflow.report.tables import csv_text
from errorflow.report.toolchains.saving import forget_left_out, left_out_name
from errorflow.study.search.model import Search, Tried
from errorflow.study.search.raising import plan_of
from errorflow.study.simulate.bench import Bench

VERSION = 1
# Parts that a sentence names.
MOST_NAMED = 20
_KINDS = {
    "unit": ("group of nodes", "groups of nodes"),
    "node": ("node", "nodes"),
    "tensor": ("tensor", "tensors"),
    "weight": ("weight", "weights"),
    "activation": ("activation", "activations"),
    "producer": ("node with its producers", "nodes with their producers"),
    "upstream": ("node with all before it", "nodes with all before them"),
    "group": ("group", "groups"),
}


def search_lines(search: Search) -> Iterator[str]:
    """Yields what was found, what it costs, and what to know of it."""
    whole = search.whole
    yield f"{search.measure}: {_value(search.original)} in float; {search.rule} is asked for."
    if whole is None:
        yield "Nothing was evaluated."
        return
    yield f"As planned: {_reached(whole)}{'' if whole.good else ', which is not good enough'}."
    yield from _found(search)
    yield from _effort(search)
    yield from monotone_notes(search)
    yield from deployed_notes(search)
    yield from search.notes


def _found(search: Search) -> Iterator[str]:
    best, whole = search.best, search.whole
    if whole is not None and whole.good:
        yield "The plan is good enough as it is: nothing has to be given more bits."
        return
    if best is None or not best.good:
        yield "No set was found that is good enough." + _closest(search, best)
        if not search.stopped:
            yield (
                "What is left are other ranges (--method), scales per channel, more or better samples for calibration; "
                "with --by node also what nodes read is put to float."
            )
        return
    if best.is_original:
        yield "Only with all parts in float it is good enough: there is nothing left to quantize with these ranges."
        return
    kind = counted(len(search.parts), *_KINDS[search.wish.kind])
    yield f"{set_text(best)} of {kind} is enough: {_reached(best)}."
    yield from (f"  {line}" for line in set_lines(search, best))


def _closest(search: Search, best: Tried | None) -> str:
    if best is None or not len(best.choice):
        return ""
    return f" The closest is {_reached(best)}, with {set_text(best)} of {len(search.parts):,}."


def set_text(tried: Tried) -> str:
    floats, wide = tried.choice.floats, tried.choice.wide
    parts = [f"{floats:,} in float"] if floats else []
    parts += [f"{wide:,} in 16 bits"] if wide else []
    return " and ".join(parts) if parts else "none"


def set_lines(search: Search, tried: Tried) -> Iterator[str]:
    """The parts of a set, with what they are put to."""
    chosen = search.chosen(tried)
    for part, switch in chosen[:MOST_NAMED]:
        yield f"{part.name} ({part.type}) → {'float' if switch == 'float' else f'{switch} bits'}"
    if len(chosen) > MOST_NAMED:
        yield f"and {len(chosen) - MOST_NAMED:,} more, in plan.json"


def _effort(search: Search) -> Iterator[str]:
    done = counted(search.evaluations, "evaluation", "evaluations")
    known = sum(tried.known for tried in search.tried)
    again = f", {known:,} of them known from before" if known else ""
    exact = f", {search.exact:,} of them just as they are evaluated" if search.exact else ""
    plans = counted(search.simulated, "plan was", "plans were")
    noise = f" {plans} simulated for noise{exact}." if search.simulated else ""
    seconds = sum(tried.seconds for tried in search.tried)
    yield f"{done} of the plan and {search.wish.strategy}'s sets{again}, {seconds:.1f} s.{noise}"
    if search.stopped:
        yield search.stopped


def monotone_notes(search: Search) -> Iterator[str]:
    """Yields where more parts in float were worse: a search that halves takes for granted that this is never so."""
    good = [each for each in search.tried if each.good and len(each.choice)]
    for bad in search.tried:
        raised = set(bad.choice.raised)
        smaller = next((each for each in good if set(each.choice.raised) < raised), None)
        if not bad.good and smaller is not None:
            yield (
                f"More was not always better: {set_text(smaller)} was good enough ({_value(smaller.value)}), and with "
                f"{len(bad.choice) - len(smaller.choice):,} more it was not ({_value(bad.value)})."
            )
            return


def deployed_notes(search: Search) -> Iterator[str]:
    """Yields what is enough in simulation alone."""
    for each in search.tried:
        if len(each.choice) and not each.good and not math.isnan(each.deployed):
            yield f"{set_text(each)} is not enough: {_reached(each)}."


def _reached(tried: Tried) -> str:
    """Says what it reaches in simulation, and where that is known, as deployed."""
    value = _value(tried.value)
    return value if math.isnan(tried.deployed) else f"{value} in simulation, {_value(tried.deployed)} as deployed"


def _value(value: float) -> str:
    return "no number" if math.isnan(value) else f"{value:.6g}"


def tried_csv(search: Search) -> str:
    """A line per evaluation."""
    head = word_list("number why in_float in_16_bits value good loss seconds known parts note deployed")
    return csv_text(head, (_line(search, tried) for tried in search.tried))


def _line(search: Search, tried: Tried) -> list[str]:
    return [
        str(tried.number),
        tried.why,
        *(str(tried.choice.floats), str(tried.choice.wide)),
        _cell(tried.value),
        "yes" if tried.good else "no",
        _cell(tried.loss),
        f"{tried.seconds:.3f}",
        "yes" if tried.known else "no",
        "; ".join(part.name for part, _ in search.chosen(tried)),
        tried.note,
        _cell(tried.deployed),
    ]


def _cell(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.9g}"


def search_json(search: Search, facts: dict[str, str], files: Sequence[str] = ()) -> str:
    """Writes all that was tried, in the order of the search; `files` are those that are written with it."""
    best = search.best
    return _text(
        {
            "errorflow": __version__,
            "kind": "errorflow search",
            "version": VERSION,
            "facts": facts,
            "strategy": search.wish.strategy,
            "by": search.wish.kind,
            "to": search.wish.to,
            "measure": search.measure,
            "rule": search.rule,
            "higher_is_better": search.higher_is_better,
            "original": search.original,
            "met": search.met,
            "complete": search.complete,
            "stopped": search.stopped,
            "best": None if best is None else best.number,
            "evaluations": search.evaluations,
            "simulated": search.simulated,
            "simulated_as_evaluated": search.exact,
            "asked": list(search.asked),
            "files": list(files),
            "tried": [_tried(search, tried) for tried in search.tried],
            "notes": [*monotone_notes(search), *deployed_notes(search), *search.notes],
        }
    )


def _tried(search: Search, tried: Tried) -> dict[str, Any]:
    return {
        "number": tried.number,
        "why": tried.why,
        "raised": {part.name: switch for part, switch in search.chosen(tried)},
        "value": tried.value,
        # As ONNX Runtime runs it with all optimisations; nothing where it was not run so.
        "deployed": None if math.isnan(tried.deployed) else tried.deployed,
        "good": tried.good,
        "loss": tried.loss,
        "seconds": round(tried.seconds, 3),
        "known": tried.known,
        "is_original": tried.is_original,
        "note": tried.note,
    }


def ranking_json(search: Search) -> str:
    """The parts in the order in which the search went along them."""
    rows = [
        {"name": part.name, "type": part.type, "score": score, "nodes": list(part.nodes), "tensors": list(part.tensors)}
        for part, score in zip(search.parts, search.scores, strict=True)
    ]
    return _text({"errorflow": __version__, "scored_by": search.scored_by, "ranking": rows})


def _text(found: dict[str, Any]) -> str:
    return json.dumps(spelled(found), indent=1, ensure_ascii=False) + "\n"


# A search as the files that are kept of it: plan, history and ranking, of our own and as vendors' tools write them.

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
