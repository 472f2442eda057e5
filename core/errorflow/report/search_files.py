"""A search as the files that are kept of it: plan, history and ranking, of our own and as AMCT's tool writes them."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from errorflow.base.errors import ErrorflowError, FileError
from errorflow.base.files import is_file, write_atomic
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass
from errorflow.quant.plan import Plan
from errorflow.quant.plan_file import plan_text
from errorflow.quant.selecting import keys_of
from errorflow.report.amct_layers import layers_of
from errorflow.report.search import ranking_json, search_json, tried_csv
from errorflow.report.toolchains import toolchain
from errorflow.report.toolchains.model import Decision
from errorflow.report.toolchains.saving import forget_left_out, left_out_name, left_out_texts
from errorflow.study.rank.model import Part
from errorflow.study.search import amct_files
from errorflow.study.search.best import plan_of
from errorflow.study.search.model import Search
from errorflow.study.search.ranks import amct_of_nodes
from errorflow.study.simulate.bench import Bench

PLAN, HISTORY, TABLE, RANKING, LOG = "plan.json", "history.json", "history.csv", "ranking.json", "search.log"
AMCT_LOGS, QDQ = "amct_log", "model_qdq.onnx"
AMCT_HISTORY = f"{AMCT_LOGS}/{amct_files.HISTORY}"
# Not each search writes these.
_SOME = (RANKING, amct_files.RANKING, AMCT_HISTORY, amct_files.FINAL, amct_files.RECORD, QDQ)
# Parts of which are nodes, so that AMCT's history can speak of them.
_OF_NODES = ("unit", "node", "producer", "upstream")
_AMCTS = (("amct", amct_files.FINAL), ("amct-record", amct_files.RECORD))


def write_search(
    out: Path,
    found: Search,
    bench: Bench,
    *,
    amct: str | None = None,
    qdq: bool = False,
    progress: Progress = SILENT,
) -> tuple[list[Path], list[str]]:
    """Writes a search into the folder, which is there; returns the files, and what to know of them.

    `amct`: also AMCT's ranking, final config and record of scales, from the setting of that name on; "": from none.
    What an earlier search left there and this one does not write is removed.
    """
    given = (bench.floated.path, found.wish.ranking, Path(amct) if amct else None)
    before = _Earlier.of(out, [path for path in given if path is not None])
    plan = plan_of(bench, found)
    layers = _layers(bench, found)
    texts = {PLAN: plan_text(plan), TABLE: tried_csv(found)}
    if found.parts:
        texts[RANKING] = ranking_json(found)
    if layers and found.wish.kind in _OF_NODES:
        texts[AMCT_HISTORY] = amct_files.history_text(amct_files.records_of(found, layers))
    rows = _amct_ranking(layers, bench, found, amct is not None, progress)
    if rows:
        texts[amct_files.RANKING] = amct_files.ranking_text(rows)
    texts[LOG] = "\n".join(amct_files.log_lines(found, out, out / amct_files.RECORD)) + "\n"
    notes: list[str] = []
    if amct is not None:
        made, notes = _for_amct(amct, bench, plan, found)
        texts |= made
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


def _layers(bench: Bench, found: Search) -> list[Part]:
    """Lists the layers that AMCT quantizes and the plan too, in the order of running, by the names that AMCT has for
    them.
    """
    decision = Decision.on(bench, found.plan)
    layers, keys = layers_of(decision), keys_of(decision.graph)
    return [
        Part(layers.names[node], decision.graph.op_types[node], (keys.best(node),), ())
        for node, want in sorted(layers.wants.items())
        if layers.names[node] and not want.is_float
    ]


def _amct_ranking(
    layers: Sequence[Part], bench: Bench, found: Search, is_wanted: bool, progress: Progress
) -> list[tuple[str, float]]:
    """Ranks by AMCT's own number of each layer, the lowest first; nothing where it is not wanted.

    Of a model that steps changed the numbers are not those of the one that AMCT is given, and who breaks a search off
    does not wait for them.
    """
    wish = found.wish
    if bench.remade is not None and bench.remade.changes:
        return []
    by_amct = wish.by == "amct" and wish.ranking is None
    scores: dict[str, float] = {}
    if by_amct and wish.kind == "node":
        scores = {part.nodes[0]: score for part, score in zip(found.parts, found.scores, strict=True) if part.nodes}
    if not all(layer.nodes[0] in scores for layer in layers):
        if not (is_wanted or by_amct) or found.stage:
            return []
        nodes = [keys_of(bench.engine.graph).nodes[layer.nodes[0]][0] for layer in layers]
        numbers = amct_of_nodes(bench, found.plan, nodes, progress)
        scores = {layer.nodes[0]: number for layer, number in zip(layers, numbers, strict=True)}
    return sorted(((layer.name, scores[layer.nodes[0]]) for layer in layers), key=lambda row: row[1])


def _for_amct(start: str, bench: Bench, plan: Plan, found: Search) -> tuple[dict[str, str], list[str]]:
    """The setting that it began with, with what was found, the record of scales, and what these cannot be told."""
    if found.best is None or not found.best.good:
        return {}, ["Nothing is written for AMCT: no plan is good enough."]
    decision = Decision.on(bench, plan)
    base = Path(start) if start else None
    texts: dict[str, str] = {}
    notes: list[str] = []
    for key, name in _AMCTS:
        try:
            written = toolchain(key).write(decision, base if key == "amct" else None)
        except ErrorflowError as error:  # the search is done, and its other files are wanted
            notes.append(f"{name} is not written: {error}")
            continue
        texts[name] = next(iter(written.files.values()))
        texts |= left_out_texts(written.left_out, key)
        notes += [f"{name}: {note}" for note in written.notes]
        if written.left_out:
            notes.append(f"{name}: {len(written.left_out):,} are not as decided, see {left_out_name(key)}.")
    return texts, notes


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
            time, found = path.stat().st_mtime_ns, json.loads(path.read_bytes())
        except (OSError, ValueError, RecursionError):  # there is none, or it is nobody's
            return cls(out)
        names = found.get("files") if isinstance(found, dict) and found.get("kind") == "errorflow search" else None
        listed = names if isinstance(names, list) else []
        known = frozenset(name for name in listed if isinstance(name, str))
        return cls(out, known, time, frozenset(path.absolute() for path in given))

    def removed(self, written: Sequence[str]) -> Iterator[str]:
        """Removes what is not written now; yields a note on each file that may be of another origin, which stays."""
        for key, _ in _AMCTS:
            if left_out_name(key) not in written:
                forget_left_out(self.out, key)
        for name in _SOME:
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
