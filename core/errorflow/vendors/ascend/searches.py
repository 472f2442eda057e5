"""A search as the files that AMCT's accuracy_based_auto_calibration leaves behind, byte by byte as it lays them out."""

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from errorflow.base import ErrorflowError, Progress
from errorflow.quant.plan import Plan
from errorflow.quant.selecting import keys_of
from errorflow.report.search import LOG, SearchTool
from errorflow.report.toolchains import toolchain
from errorflow.report.toolchains.model import Decision
from errorflow.report.toolchains.saving import left_out_name, left_out_texts
from errorflow.study.rank.model import Part
from errorflow.study.search.model import Search, Tried
from errorflow.study.search.raising import plan_of
from errorflow.study.search.ranks import amct_of_nodes
from errorflow.study.simulate.bench import Bench
from errorflow.vendors.ascend.amct.layers import layers_of

RANKING = "accuracy_based_auto_calibration_ranking_information.json"
HISTORY = "amct_log/accuracy_based_auto_calibration_record.json"
FINAL = "accuracy_based_auto_calibration_final_config.json"
RECORD = "scale_offset_record.txt"
# Parts of which are nodes, so that AMCT's history can speak of them.
_OF_NODES = ("unit", "node", "producer", "upstream")
_TOOLCHAINS = {"amct": FINAL, "amct-record": RECORD}


def _write(
    found: Search, bench: Bench, out: Path, start: str | None, progress: Progress
) -> tuple[dict[str, str], list[str]]:
    layers, texts = _layers(bench, found), dict[str, str]()
    if layers and found.wish.kind in _OF_NODES:
        texts[HISTORY] = history_text(records_of(found, layers))
    rows = _ranking(layers, bench, found, start is not None, progress)
    if rows:
        texts[RANKING] = ranking_text(rows)
    texts[LOG] = "\n".join(log_lines(found, out, out / RECORD)) + "\n"
    if start is None:
        return texts, []
    made, notes = _settings(start, bench, plan_of(bench, found), found)
    return texts | made, notes


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


def _ranking(
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


def _settings(start: str, bench: Bench, plan: Plan, found: Search) -> tuple[dict[str, str], list[str]]:
    """The setting that it began with, with what was found, the record of scales, and what these cannot be told."""
    if found.best is None or not found.best.good:
        return {}, ["Nothing is written for AMCT: no plan is good enough."]
    decision = Decision.on(bench, plan)
    base = Path(start) if start else None
    texts: dict[str, str] = {}
    notes: list[str] = []
    for key, name in _TOOLCHAINS.items():
        try:
            written = toolchain(key).write(decision, base if key == "amct" else None)
        except ErrorflowError as error:  # the search is done, and its other files are wanted
            notes.append(f"{name} is not written: {error}")
            continue
        texts[name] = next(iter(written.files.values()))
        texts |= left_out_texts(written.left_out, key)
        notes += [f"{name}: {note}" for note in written.told]
        if written.left_out:
            notes.append(f"{name}: {len(written.left_out):,} are not as decided, see {left_out_name(key)}.")
    return texts, notes


def amct_json(value: object) -> str:
    """Four spaces, and none behind a colon; no line ends it."""
    return json.dumps(value, sort_keys=False, indent=4, separators=(",", ":"), ensure_ascii=False)


def ranking_text(rows: Iterable[tuple[str, float]]) -> str:
    return amct_json([list(row) for row in rows])


def history_text(records: Iterable[tuple[Mapping[str, bool], bool, float]]) -> str:
    """Writes one object after the other: no JSON document, but what AMCT writes."""
    return "".join(
        amct_json({"roll_back_config": dict(quantized), "metric_eval": [good, _written(loss)]})
        for quantized, good, loss in records
    )


def _written(loss: float) -> float | None:
    """JSON has no number for what is none, and none without end."""
    return None if math.isnan(loss) else max(-sys.float_info.max, min(loss, sys.float_info.max))


def records_of(search: Search, layers: Sequence[Part]) -> list[tuple[dict[str, bool], bool, float]]:
    """Step by step what was tried: whether each layer stayed quantized."""
    by_number: Sequence[Tried] = search.tried
    return [
        (quantized(layers, search.parts, by_number[number]), by_number[number].good, by_number[number].loss)
        for number in search.asked
    ]


def quantized(layers: Sequence[Part], parts: Sequence[Part], tried: Tried) -> dict[str, bool]:
    """Marks quantized layers: in more bits one is quantized too; in float it is with whatever part of the search it was
    raised.
    """
    floats = {node for part, switch in tried.choice.raised if switch == "float" for node in parts[part].nodes}
    return {layer.name: floats.isdisjoint(layer.nodes) for layer in layers}


# As AMCT says it in its log.
def log_lines(search: Search, place: Path, record: Path) -> list[str]:
    whole, best = search.whole, search.best
    lines = [f"Accuracy of original model is {search.original}"]
    if whole is not None:
        lines.append(f"Accuracy of global quantized model is {whole.value}")
    if best is None or not best.good or best.is_original or len(best.choice) == len(search.parts) > 0:
        lines.append(
            "No quantized model are generated due to all quant layers are roll backed, "
            "the accuracy target may be too difficult to achieve."
        )
        return lines
    return [
        *lines,
        f"Accuracy of saved model is {best.value}",
        f"The generated model is stored in dir: {place}",
        f"The records file is stored in dir: {record.parent}",
    ]


AMCT_SEARCH = SearchTool("amct", (RANKING, HISTORY, FINAL, RECORD), tuple(_TOOLCHAINS), _write)
ROWS = (AMCT_SEARCH,)
