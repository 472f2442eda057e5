"""The comparison of one operator's tensor value by value, in the files of msaccucmp."""

import re
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errorflow.base import SILENT, Progress, dataclass, field
from errorflow.base.allowance import cores
from errorflow.base.arrays import holds_numbers
from errorflow.base.files import write_atomic, write_pieces
from errorflow.compare.match import codes
from errorflow.compare.match.codes import RefusedError
from errorflow.compare.match.model import BOTH_NPU, BY_ORIGIN, Pair
from errorflow.compare.single import WorstErrors, compare_operator, differences, is_bool
from errorflow.formats.convert.custom import Converters
from errorflow.formats.convert.layouts import WITH_DEPTH, ConvertError
from errorflow.formats.convert.prepare import PreparedPair, prepare, prepare_arrays
from errorflow.report import number_text as text
from errorflow.report.array_file import MAX_NAME, fitting, make_folder, write_npy
from errorflow.report.tool_codes import conversion_code

Array = NDArray[np.generic]
MAPPING = "simple_op_mapping.csv"
_OTHER = "Compare another tensor, or leave -op out."
# Lines that are put together at a time.
_LINES = 1 << 16
# How the files of a tensor end, besides those with a line per value.
_ENDINGS = (".npy", "_summary.txt", "_absolute_error_topn.csv", "_relative_error_topn.csv")
_LINES_FILE = re.compile(r"_[0-9]+\.csv", re.ASCII)
# So many pieces are made before the first is written.
_AHEAD = 4


@dataclass(frozen=True, slots=True)
class SingleOptions:
    """`side` and `index` say which tensor of the operator the pair is; the others are those of the command."""

    out: Path
    operator: str
    side: str = "output"
    index: int = 0
    top: int = 20
    lines: int = 1_000_000
    # Only the summary and the worst values.
    brief: bool = False
    custom: Converters | None = None

    @property
    def prefix(self) -> str:
        return f"{self.operator.replace('/', '_')}_{self.side}_{self.index}"


@dataclass(slots=True)
class SingleResult:
    """Files that were written, the summary, and the worst errors as they stand in the files."""

    files: list[Path] = field(default_factory=list)
    summary: str = ""
    worst_absolute: str = ""
    worst_relative: str = ""
    done: tuple[str, ...] = ()


def run_single(pair: Pair, options: SingleOptions, progress: Progress = SILENT) -> SingleResult:
    """Compares the pair and writes the files; `RefusedError` with msaccucmp's exit code where that is not possible.

    The pair has both tensors.
    """
    assert pair.candidate is not None and pair.reference is not None
    mine, golden = pair.candidate.read(), pair.reference.read()
    if "c" in (mine.dtype.kind, golden.dtype.kind):
        raise RefusedError("Complex numbers have no place in these files.", _OTHER, codes.UNSUPPORTED)
    if not (holds_numbers(mine) and holds_numbers(golden)):
        raise RefusedError("One of both tensors holds no numbers.", _OTHER, codes.UNSUPPORTED)
    found = _prepared(pair, options, mine, golden)
    info = pair.candidate.info
    axes = _axes(info.layout, info.shape, pair)
    job = _Job(pair, options, found, axes, Path(pair.candidate.path).name)
    return job.write(compare_operator(found.mine, found.golden, options.top, progress), progress)


def _prepared(pair: Pair, options: SingleOptions, mine: Array, golden: Array) -> PreparedPair:
    assert pair.candidate is not None and pair.reference is not None
    if pair.way == BOTH_NPU:
        return _both_npu(pair, mine, golden)
    try:
        if pair.way != BY_ORIGIN:
            return prepare_arrays(mine, golden, operator=options.operator)
        return prepare(
            mine,
            pair.candidate.info,
            golden,
            operator=options.operator,
            origin_layout=pair.layout,
            declared_shape=pair.shape,
            custom=options.custom,
            single=True,
        )
    except ConvertError as error:
        raise RefusedError(error.message, error.hint, conversion_code(error)) from error


def _both_npu(pair: Pair, mine: Array, golden: Array) -> PreparedPair:
    """Two dumps of an NPU are compared as they are stored, padding and all."""
    assert pair.candidate is not None and pair.reference is not None
    left, right = pair.candidate.info, pair.reference.info
    if left.shape != right.shape:
        raise RefusedError(
            f"The shapes differ: {left.shape} and {right.shape}.", "Dump both runs anew.", codes.BROKEN_DUMP
        )
    if left.layout != right.layout:
        raise RefusedError(
            f"The layouts differ: {left.layout} and {right.layout}.",
            "Give -f and -cf, so that both are brought together.",
            codes.UNKNOWN_LAYOUT,
        )
    shape = left.shape if prod(left.shape) == mine.size else (mine.size,)
    return PreparedPair(mine.reshape(-1), golden.reshape(-1), shape)


def _axes(layout: str, shape: tuple[int, ...], pair: Pair) -> str:
    """Names the axes above the coordinates."""
    if layout in WITH_DEPTH:
        return "N C D H W"
    if layout == "FRACTAL_Z" and pair.way == BY_ORIGIN:
        return " ".join(pair.layout)
    return "N C H W" if shape else "ID"


@dataclass(slots=True)
class _Job:
    pair: Pair
    options: SingleOptions
    found: PreparedPair
    axes: str
    dump: str
    result: SingleResult = field(default_factory=SingleResult)
    # Hashed names and what they stand for.
    renamed: list[tuple[str, str]] = field(default_factory=list)

    def write(self, errors: WorstErrors, progress: Progress) -> SingleResult:
        """Writes all files; those of an earlier comparison of the same tensor are gone."""
        out = self.options.out
        make_folder(out)
        mapping = self._remove_old()
        self.result.done = self.found.done
        write_npy(self._path(".npy"), self.found.mine.reshape(self.found.shape))
        self.result.summary = self._summary(errors)
        write_atomic(self._path("_summary.txt"), self.result.summary, follow=False)
        if not self.options.brief:
            self._write_rows(progress)
        self.result.worst_absolute = self._worst(errors.absolute, 4)
        self.result.worst_relative = self._worst(errors.relative, 5)
        write_atomic(self._path("_absolute_error_topn.csv"), self.result.worst_absolute, follow=False)
        write_atomic(self._path("_relative_error_topn.csv"), self.result.worst_relative, follow=False)
        new = [f"{short},{name}\n" for short, name in self.renamed]
        mapping += [line for line in new if line not in mapping]
        if mapping:
            write_atomic(out / MAPPING, "".join(mapping), follow=False)
        return self.result

    @property
    def _is_bool(self) -> bool:
        return is_bool(self.found.mine, self.found.golden)

    def _path(self, suffix: str) -> Path:
        """A name too long for a file becomes that of the dump, or a hash."""
        name = f"{self.options.prefix}{suffix}"
        short = name
        if len(name) >= MAX_NAME:
            start = self.dump.replace("/", "_").replace(".", "_")
            short = f"{start}_{self.options.side}_{self.options.index}{suffix}"
            if len(short) >= MAX_NAME:
                ending = ".csv" if suffix[1:-4].isdecimal() else suffix
                short = fitting(name, ending)
            self.renamed.append((short, name))
        path = self.options.out / short
        self.result.files.append(path)
        return path

    def _remove_old(self) -> list[str]:
        """Deletes what an earlier comparison of this tensor left; gives the other lines of the mapping."""
        out, prefix = self.options.out, self.options.prefix
        for path in list(out.iterdir()):
            if path.name != MAPPING and _is_result(path.name, prefix):
                path.unlink()
        kept = []
        path = out / MAPPING
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []:
            short, _, name = line.partition(",")
            if not _is_result(name, prefix):
                kept.append(f"{line}\n")
            elif Path(short).name == short:
                (out / short).unlink(missing_ok=True)
        path.unlink(missing_ok=True)
        return kept

    def _summary(self, errors: WorstErrors) -> str:
        listed = self.pair.listed
        mine = self.options.operator if listed is None else listed.candidates
        golden = self.options.operator if listed is None else listed.references
        rows = (
            f"TotalCount:{errors.count}",
            f"NPUDump:{mine.replace(',', ' ')}",
            f"GroundTruth:{golden.replace(',', ' ')}",
            f"Format:{self.axes}",
            f"MinAbsoluteError:{errors.absolute_range[0]:.6f}",
            f"MaxAbsoluteError:{errors.absolute_range[1]:.6f}",
            f"MinRelativeError:{errors.relative_range[0]:.6f}",
            f"MaxRelativeError:{errors.relative_range[1]:.6f}",
            "",
        )
        made = "\n".join(rows)
        return made.replace("nan", "-") if self._is_bool else made

    @property
    def _head(self) -> str:
        return f"Index,{self.axes},NPUDump,GroundTruth,AbsoluteError,RelativeError\n"

    @property
    def _sizes(self) -> tuple[int, ...]:
        """Sizes that the coordinates count: at least four axes."""
        shape = self.found.shape
        return (*shape, *(1,) * (4 - len(shape)))

    def _write_rows(self, progress: Progress) -> None:
        count = self.found.mine.size
        tables = [text.whole(np.arange(size, dtype=np.int64)) for size in self._sizes]
        for start in range(0, max(count, 1), self.options.lines):
            end = min(start + self.options.lines, count)
            write_pieces(self._path(f"_{start}.csv"), self._rows(start, end, tables, progress), follow=False)

    def _rows(self, start: int, end: int, tables: list[text.Bytes], progress: Progress) -> Iterator[bytes]:
        yield self._head.encode()
        parts = [(at, min(at + _LINES, end)) for at in range(start, end, _LINES)]
        with ThreadPoolExecutor(cores()) as pool:
            waiting: deque[Future[bytes]] = deque()
            try:
                for part in parts:
                    waiting.append(pool.submit(self._lines, *part, tables))
                    if len(waiting) > _AHEAD:
                        yield waiting.popleft().result()
                        progress.step(part[0], self.found.mine.size, "Writing values")
                while waiting:
                    yield waiting.popleft().result()
            finally:
                pool.shutdown(wait=True, cancel_futures=True)

    def _lines(self, start: int, end: int, tables: list[text.Bytes]) -> bytes:
        mine, golden = self.found.mine[start:end], self.found.golden[start:end]
        rows = end - start
        places = np.arange(start, end, dtype=np.int64)
        columns = [text.whole(places)]
        for number, (table, at) in enumerate(zip(tables, np.unravel_index(places, self._sizes), strict=True)):
            columns += [text.constant(" " if number else ",", rows), table[at]]
        columns.append(text.constant(",", rows))
        if self._is_bool:
            columns += [*_truths(mine), *_truths(golden), text.constant("-\t,-\n", rows)]
            return text.lines(columns)
        absolute, relative = differences(mine, golden)
        for values in (mine, golden, absolute):
            columns += [*text.fixed(values), text.constant("\t,", rows)]
        columns += [*_relative(relative), text.constant("\n", rows)]
        return text.lines(columns)

    def _worst(self, places: NDArray[np.intp], by: int) -> str:
        """The lines of the worst errors, the largest first; what is no number is a dash."""
        mine, golden = self.found.mine[places], self.found.golden[places]
        absolute, relative = differences(mine, golden)
        coordinates = zip(*np.unravel_index(places, self._sizes), strict=True) if len(places) else iter(())
        rows = [
            (int(place), " ".join(map(str, at)), x, y, float(distance), float(share))
            for place, at, x, y, distance, share in zip(
                places.tolist(), coordinates, mine.tolist(), golden.tolist(), absolute, relative, strict=True
            )
        ]
        rows.sort(key=lambda row: (row[by], row[0]), reverse=True)
        pattern = "%d,%s,%s\t,%s\t,%.6f\t,%.6f\t\n" if self._is_bool else "%d,%s,%.6f\t,%.6f\t,%.6f\t,%.6f\t\n"
        return self._head + "".join((pattern % row).replace("nan", "-").replace("inf", "-") for row in rows)


def _is_result(name: str, prefix: str) -> bool:
    """Whether it is a file of ours: others may begin alike, such as what is compared."""
    rest = name.removeprefix(prefix)
    return name.startswith(prefix) and (rest in _ENDINGS or _LINES_FILE.fullmatch(rest) is not None)


def _truths(values: Array) -> list[text.Bytes]:
    words = np.frombuffer(b"False" + b"True\0", np.uint8).reshape(2, 5)
    return [words[values.astype(np.intp)], text.constant("\t,", len(values))]


def _relative(values: Array) -> list[text.Bytes]:
    """A dash for what is no number, and a tabulator behind what is one."""
    nothing = np.isnan(values)
    columns = [*text.fixed(np.where(nothing, 0, values)), text.constant("\t", len(values))]
    if nothing.any():
        made = np.hstack(columns)
        made[nothing] = 0
        made[nothing, 0] = ord("-")
        return [made]
    return columns
