"""tpu-mlir: the CSV that `npz_tool.py compare --save` writes, and what it prints."""

import re

from errorflow.base import FormatError, Progress, dataclass, field
from errorflow.base.files import Source
from errorflow.compare.results.table import Column, Importer, ResultRow, ResultTable
from errorflow.compare.results.text import head_text, is_text, limited, lines, mentions, number, shape
from errorflow.graph.model import Problem

VENDOR = "tpu-mlir"
ASSUMED = "Equal or close, and so not measured: the tool writes 1 where it means that."
_COLUMNS = {"sim_cos": "tpu-mlir.cos", "sim_euc": "tpu-mlir.euc", "sqnr": "tpu-mlir.sqnr"}
_PRINTED = {
    "cosine_similarity": "tpu-mlir.cos",
    "euclidean_similarity": "tpu-mlir.euc",
    "sqnr_similarity": "tpu-mlir.sqnr",
}
_HEAD = "name, op, quant, pass, sim_cos"
_NEEDED = {"name", "op", "quant", "pass", "sim_cos", "sim_euc"}
_ENDS = ("[PASSED]", "[FAILED]")
_SHAPE = re.compile(r"\s+(?P<shape>\([\d, ]*\))\s+(?P<dtype>\w+)")
_VALUE = re.compile(r"\s+(?P<name>\w+)\s+=\s+(?P<value>\S+)")
_COUNT = re.compile(r"(\d+) compared")


def _claims_csv(source: Source) -> bool:
    return is_text(source) and head_text(source).lstrip().startswith(_HEAD)


def _read_csv(source: Source, progress: Progress) -> tuple[ResultTable, ...]:
    """Names may hold commas and are not quoted: the other cells are counted from the right."""
    texts = [line for line in lines(source, progress) if line.strip()]
    header = [name.strip() for name in texts[0].split(",")] if texts else []
    if not set(header) >= _NEEDED or len(set(header)) < len(header):
        raise FormatError(f"{source.name} has no header of npz_tool.py.", "Take the file that --save names.")
    columns = tuple(Column.of(_COLUMNS[name]) for name in header if name in _COLUMNS)
    rows: list[ResultRow] = []
    problems: list[Problem] = []
    for count, line in enumerate(texts[1:], 2):
        cells = [cell.strip() for cell in line.rsplit(",", len(header) - 1)]
        if len(cells) == len(header):
            rows.append(_row(dict(zip(header, cells, strict=True)), columns))
        else:
            problems.append(Problem("It does not fit the header and is left out.", f"line {count}"))
    label = "tpu-mlir comparison"
    return (ResultTable(label, VENDOR, "tensor", columns, tuple(rows), problems=limited(problems)),)


def _row(cells: dict[str, str], columns: tuple[Column, ...]) -> ResultRow:
    pairs = [(column.key, cells[column.name], number(cells[column.name])) for column in columns]
    values = {key: value for key, _, value in pairs if value is not None}
    assumed = cells["sim_cos"] == "1.0" and cells["sim_euc"] == "1.0" and cells.get("sqnr") in ("inf", "-inf")
    return ResultRow(
        name=cells["name"],
        op_type="" if cells["op"] == "-" else cells["op"],
        dtype="" if cells["quant"] == "-" else cells["quant"],
        values=values,
        states={key: text for key, text, value in pairs if value is None and text},
        notes=(ASSUMED,) if assumed else (),
        extra={"pass": cells["pass"]},
        names=_without_type(cells["name"], cells["op"]),
    )


def _without_type(name: str, op_type: str) -> tuple[str, ...]:
    """The tool appends the type of the operator to the name of its tensor."""
    known = op_type.rpartition(".")[2]
    bare = name.removesuffix(f"_{known}") if known else name
    return () if bare == name else (bare,)


def _claims_console(source: Source) -> bool:
    return any(mentions(source, *marks) for marks in (("SIMILAR", "[PASSED]"), ("cosine_similarity  ", " compared")))


@dataclass(slots=True)
class _Entry:
    """Entry of the console on one tensor; it prints the name first and the numbers below it."""

    name: str
    verdict: str
    passed: str
    shape: str = ""
    dtype: str = ""
    values: dict[str, float] = field(default_factory=dict)

    def row(self) -> ResultRow:
        notes = (ASSUMED,) if not self.values and self.verdict in ("EQUAL", "CLOSE") else ()
        bare = self.name.rpartition("_")[0]
        return ResultRow(
            name=self.name,
            shape=shape(self.shape),
            dtype=self.dtype,
            values=self.values,
            notes=notes,
            extra={"verdict": self.verdict, "pass": self.passed},
            names=(bare,) if bare else (),
        )


def _read_console(source: Source, progress: Progress) -> tuple[ResultTable, ...]:
    texts = lines(source, progress)
    entries: list[_Entry] = []
    for line in texts:
        entry = _entry(line)
        if entry is not None:
            entries.append(entry)
        elif entries:
            _add(entries[-1], line)
    if not entries:
        raise FormatError(f"{source.name} names no tensor.", "Let npz_tool.py print with -vv.")
    columns = tuple(Column.like(key, name, key) for name, key in _PRINTED.items())
    problems = tuple(_counted(texts, len(entries)))
    rows = tuple(entry.row() for entry in entries)
    return (ResultTable("tpu-mlir comparison", VENDOR, "tensor", columns, rows, problems=problems),)


def _entry(line: str) -> _Entry | None:
    """`[name]      SIMILAR [PASSED]`."""
    if not line.startswith("[") or not line.endswith(_ENDS):
        return None
    front, _, passed = line[1:-1].rpartition("[")
    name, bracket, verdict = front.rpartition("]")
    verdict = verdict.strip()
    is_verdict = verdict.replace("_", "").isalpha() and verdict.isupper()
    return _Entry(name.rstrip(), verdict, passed) if bracket and name and is_verdict else None


def _add(entry: _Entry, line: str) -> None:
    sizes = _SHAPE.fullmatch(line)
    if sizes and not entry.shape:
        entry.shape, entry.dtype = sizes["shape"], sizes["dtype"]
        return
    found = _VALUE.fullmatch(line)
    value = number(found["value"]) if found and found["name"] in _PRINTED else None
    if found and value is not None:
        entry.values.setdefault(_PRINTED[found["name"]], value)


def _counted(texts: list[str], found: int) -> list[Problem]:
    """The tool leaves most tensors out of large models, and prints those it failed on only."""
    counts = [int(match[1]) for line in texts if len(line) < 100 and (match := _COUNT.fullmatch(line.strip()))]
    if counts and counts[-1] != found:
        return [Problem(f"{found:,} of the {counts[-1]:,} tensors that were compared stand in this text.")]
    return []


TPU_CSV = Importer(
    key="tpu-mlir-csv",
    label="tpu-mlir comparison (CSV)",
    vendor=VENDOR,
    claims=_claims_csv,
    read=_read_csv,
    obtain="`npz_tool.py compare target.npz reference.npz --save FILE.csv` writes it.",
    rank=20,
)
TPU_CONSOLE = Importer(
    key="tpu-mlir-console",
    label="tpu-mlir comparison (console)",
    vendor=VENDOR,
    claims=_claims_console,
    read=_read_console,
    obtain="`npz_tool.py compare target.npz reference.npz -vv` prints it.",
)
