"""msaccucmp's mapping.csv: which file was compared with which. It holds no numbers."""

import csv
import io

from errorflow.files import Source
from errorflow.graph.model import Problem
from errorflow.progress import Progress
from errorflow.results.msaccucmp import VENDOR
from errorflow.results.table import Importer, ResultRow, ResultTable
from errorflow.results.text import MAX_LINES, head_text, is_text, limited, whole

_NEEDED = {"NPUDumpPath", "GroundTruthPath", "TensorIndex"}
_STEP = 2000


def _claims(source: Source) -> bool:
    first = head_text(source).lstrip().partition("\n")[0] if is_text(source) else ""
    return {name.strip() for name in first.split(",")} >= _NEEDED


def _read(source: Source, progress: Progress) -> tuple[ResultTable, ...]:
    reader = csv.reader(io.StringIO(whole(source).lstrip(), newline=""))
    rows: list[ResultRow] = []
    problems: list[Problem] = []
    header: list[str] = []
    try:
        header = [name.strip() for name in next(reader, [])]
        for count, cells in enumerate(reader):
            if count == MAX_LINES:
                problems.append(Problem(f"Only the first {MAX_LINES:,} lines are read."))
                break
            if count % _STEP == 0:
                progress.step(count, 0, source.name)
            if len(cells) == len(header):
                rows.append(_row(dict(zip(header, cells, strict=True))))
            elif any(cells):
                problems.append(Problem("It does not fit the header and is left out.", f"line {count + 2}"))
    except csv.Error as error:
        problems.append(Problem(f"The table ends here: {error}.", f"line {len(rows) + 2}"))
    table = ResultTable("msaccucmp mapping", VENDOR, "tensor", (), tuple(rows), problems=limited(problems))
    return (table,)


def _row(cells: dict[str, str]) -> ResultRow:
    tensor, mine, reference = (cells.get(key, "") for key in ("TensorIndex", "NPUDump", "GroundTruth"))
    names = [name for name in (tensor, mine, reference.rpartition(",")[2]) if name not in ("", "NaN", "*")]
    name = names[0] if names else ""
    rest = {key: text for key, text in cells.items() if key != "OpType" and text}
    return ResultRow(name, cells.get("OpType", ""), extra=rest, names=tuple(dict.fromkeys(names[1:])))


MAPPING = Importer(
    key="msaccucmp-mapping",
    label="msaccucmp mapping (CSV)",
    vendor=VENDOR,
    claims=_claims,
    read=_read,
    obtain="`msaccucmp compare -map` and `errorflow compare -map` write it: mapping_….csv.",
)
