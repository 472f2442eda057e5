"""msprobe's dump.json: statistics of the tensors of one run, by the calls that they went into and came out of."""

from collections.abc import Iterator
from typing import Any

from errorflow.base import FormatError, Progress
from errorflow.base.files import Source
from errorflow.compare.results.table import Column, Importer, ResultRow, ResultTable
from errorflow.compare.results.text import MAX_LINES, document, numeric, shape, starts_like_json
from errorflow.graph.model import Problem

VENDOR = "msprobe"
STATISTICS = {"Max": "the greatest value", "Min": "the least value", "Mean": "the mean of its values", "Norm": "√Σ x²"}
MAX_DEPTH = 20
_HINT = "Take the dump.json of one rank and step that msprobe wrote."
_STEP = 1000
# A part of a call is called by its first word in the names of tensors.
_PARTS = {"input_args": "input", "input_kwargs": "input"}

Tensor = dict[str, Any]


def _claims(source: Source) -> bool:
    return starts_like_json(source, "dump_data_dir", "data") and b'"task"' in source.head


def _read(source: Source, progress: Progress) -> tuple[ResultTable, ...]:
    """A row per tensor; nothing is compared in it."""
    progress.step(0, 1, source.name)
    found = document(source)
    calls = found.get("data") if isinstance(found, dict) else None
    if not isinstance(calls, dict):
        raise FormatError(f"{source.name} has no `data` of msprobe.", _HINT)
    columns = {name: Column.plain(VENDOR, name, text) for name, text in STATISTICS.items()}
    rows: list[ResultRow] = []
    for count, (call, parts) in enumerate(calls.items()):
        if count % _STEP == 0:
            progress.step(count, len(calls), source.name)
        rows.extend(_row(name, tensor, call, columns) for name, tensor in _tensors(call, parts, 0))
        if len(rows) > MAX_LINES:
            raise FormatError(f"{source.name} has more than {MAX_LINES:,} tensors.", _HINT)
    task = found.get("task")
    problems = (Problem("It holds checksums and no statistics."),) if task == "md5" else ()
    generation = f"task {task}, level {found.get('level')}" if isinstance(task, str) else ""
    label = "msprobe statistics of one run"
    return (
        ResultTable(label, VENDOR, "tensor", tuple(columns.values()), tuple(rows), generation[:100], problems=problems),
    )


def _tensors(name: str, value: Any, depth: int) -> Iterator[tuple[str, Tensor]]:
    """Every tensor in it, named by its way down."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, dict) and "shape" in value and "dtype" in value:
        yield name, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _tensors(f"{name}.{_PARTS.get(key, key) if depth == 0 else key}", inner, depth + 1)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _tensors(f"{name}.{index}", inner, depth + 1)


def _row(name: str, tensor: Tensor, call: str, columns: dict[str, Column]) -> ResultRow:
    values, states = measured(tensor, columns)
    extra = {key: str(tensor[key])[:200] for key in ("data_name", "md5") if isinstance(tensor.get(key), str)}
    return ResultRow(name, operator(call), sizes(tensor), dtype(tensor), values, states, extra=extra, names=(call,))


def measured(tensor: Tensor, columns: dict[str, Column]) -> tuple[dict[str, float], dict[str, str]]:
    """Reads what it holds under the names of the columns: numbers, and words where there are none."""
    values: dict[str, float] = {}
    states: dict[str, str] = {}
    for name, column in columns.items():
        value = tensor.get(name)
        found = numeric(value)
        if found is not None:
            values[column.key] = found
        elif isinstance(value, str) and value:
            states[column.key] = value[:100]
    return values, states


def sizes(tensor: Tensor) -> tuple[int, ...] | None:
    found = tensor.get("shape")
    if isinstance(found, str):
        return shape(found)
    if not isinstance(found, list) or not all(isinstance(size, int) for size in found):
        return None
    return tuple(found)


def dtype(tensor: Tensor) -> str:
    found = tensor.get("dtype")
    return found.removeprefix("torch.")[:100] if isinstance(found, str) else ""


def operator(call: str) -> str:
    """`conv2d` of `Functional.conv2d.0.forward`, `Conv2d` of `Module.layer1.conv1.Conv2d.forward.0`."""
    words = call.split(".")
    if words[0] == "Module":
        place = next((index for index, word in enumerate(words) if word in ("forward", "backward")), -1)
        return words[place - 1] if place > 0 else ""
    return words[1] if len(words) > 1 else ""


MSPROBE_DUMP = Importer(
    key="msprobe-dump",
    label="msprobe statistics (dump.json)",
    vendor=VENDOR,
    claims=_claims,
    read=_read,
    obtain="msprobe's PrecisionDebugger writes it: dump_path/step…/rank…/dump.json.",
    rank=40,
)
