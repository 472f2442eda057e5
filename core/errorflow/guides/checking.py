"""Files that finished work left behind, read for the guide: of this program, and of vendors' tools."""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from errorflow.base import SILENT, ErrorflowError, Progress, WrongFileError
from errorflow.base.codec import parsed
from errorflow.base.files import Source, is_file, is_folder
from errorflow.compare.results import read_results
from errorflow.compare.simulated_table import is_simulated_table, read_simulated_table
from errorflow.guides.gathering import of_alignment, of_comparison, of_curves, of_ranking, of_tables, together
from errorflow.guides.model import SeenResult
from errorflow.study.rank.curves_file import MARK as CURVES
from errorflow.study.rank.curves_file import parse_curves
from errorflow.study.rank.ranking_file import KIND as RANKING
from errorflow.study.rank.ranking_file import parse_ranking

# In a folder that something was written to; what comes later counts more.
NAMES = (
    "tensors.csv",
    "summary.json",
    "precision_analysis_table.txt",
    "quant/debug/precision_analysis_table.txt",
    "sensitivity.log",
    "ranking.json",
    "curves.json",
    "alignment.json",
    "evaluation.json",
)
_EVALUATION = "errorflow evaluation"
_MOST = 64 << 20
_HINT = (
    "Give a session, a folder that `errorflow compare`, `simulate`, `evaluate`, `sensitivity`, `curve` or `align` "
    "wrote, or a table of a vendor's tool."
)


def seen_in(path: Path, progress: Progress = SILENT) -> SeenResult:
    """The numbers of a file, or of the files that one finds in a folder."""
    if not is_folder(path):
        return _of_file(path, progress)
    found = [path / name for name in NAMES if is_file(path / name)]
    if not found:
        raise WrongFileError(f"{path.name} holds nothing that could be checked.", _HINT)
    return together(_of_file(each, progress) for each in found)


def _of_file(path: Path, progress: Progress) -> SeenResult:
    with Source(path) as source:
        if is_simulated_table(source):
            return of_comparison(read_simulated_table(source))
        data = source.read(0, source.size) if source.size <= _MOST and source.head[:64].lstrip()[:1] == b"{" else b""
    rows = _object(data)
    if CURVES in rows:
        return of_curves(parse_curves(data, path.name).curves)
    if rows.get("kind") == RANKING:
        return of_ranking(parse_ranking(data, path.name))
    if rows.get("kind") == _EVALUATION:
        return _of_evaluation(rows)
    if "alike" in rows and "fault" in rows:
        return of_alignment(bool(rows["alike"]), str(rows.get("text", "")))
    if "outputs" in rows and ("first suspicious" in rows or "contributors" in rows):
        return _of_summary(rows)
    return _of_results(path, progress)


def _of_results(path: Path, progress: Progress) -> SeenResult:
    try:
        return of_tables(read_results(path, progress))
    except WrongFileError as error:
        raise WrongFileError(error.message, error.hint if error.hint else _HINT) from error
    except ErrorflowError as error:
        raise WrongFileError(f"{path.name} is nothing that could be checked.", _HINT) from error


def _object(data: bytes) -> Mapping[str, Any]:
    try:
        rows = parsed(data) if data else {}
    except ValueError:
        return {}
    return rows if isinstance(rows, dict) else {}


def _of_evaluation(rows: Mapping[str, Any]) -> SeenResult:
    runs = rows.get("runs")
    shares = [_share(run) for run in runs] if isinstance(runs, list) else []
    if len(shares) < 2 or math.isnan(shares[0]):
        return SeenResult()
    found = next((share for share in shares[1:] if not math.isnan(share)), math.nan)
    return SeenResult() if math.isnan(found) else SeenResult({"float_accuracy": shares[0], "accuracy": found})


def _share(run: object) -> float:
    """Reads the first share of answers of the first output."""
    try:
        outputs = run["outputs"]  # type: ignore[index]  # what is no such object says so
        top = next(iter(outputs.values()))["top"]
        return float(next(iter(top.values()))["share"])
    except (AttributeError, KeyError, StopIteration, TypeError, ValueError):
        return math.nan


def _of_summary(rows: Mapping[str, Any]) -> SeenResult:
    """Reads the worst output; JSON has texts for what is no number."""
    numbers: dict[str, float] = {}
    texts: dict[str, str] = {}
    for name, key, worse in (("output_cosine", "cosine", -1), ("output_relative", "relative_l2", 1)):
        for row in rows["outputs"] if isinstance(rows["outputs"], list) else []:
            value = _number(row, key)
            if not math.isnan(value) and (name not in numbers or worse * value > worse * numbers[name]):
                numbers[name], texts[name] = value, str(row.get("tensor", ""))
    known = list(_suspects(rows))
    if known:
        numbers["suspects"], texts["suspects"] = max(known, key=lambda each: each[0])
    lacking = rows.get("not measured of the vendor's rules")
    texts["unruled"] = ", ".join(map(str, lacking)) if isinstance(lacking, list) else ""
    blame = rows.get("blame")
    if isinstance(blame, dict):
        texts |= {"kind": str(blame.get("kind", "")), "verdict": str(blame.get("text", ""))}
    elif isinstance(rows.get("verdict"), str):  # of what was simulated
        texts |= {"kind": rows["verdict"], "verdict": str(rows.get("text", ""))}
    texts["part"] = "bad" if (blame if isinstance(blame, dict) else rows).get("in_part") is True else ""
    return SeenResult(numbers, texts)


def _suspects(rows: Mapping[str, Any]) -> Iterator[tuple[float, str]]:
    """Yields how many tensors a rule points at, and the first: of the vendor's, and where those say nothing, the
    limits.
    """
    listed = rows.get("first suspicious")
    told = listed if isinstance(listed, list) and listed else [rows.get("beyond the limits")]
    for each in told:
        if isinstance(each, dict) and isinstance(each.get("tensors"), int):
            yield float(each["tensors"]), str(each.get("tensor", each.get("first", "")))


def _number(row: object, key: str) -> float:
    values = row.get("values") if isinstance(row, dict) else None
    value = values.get(key) if isinstance(values, dict) else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
