"""msaccucmp's mapping.csv: which file was compared with which. It holds no numbers."""

from errorflow.base.files import Source
from errorflow.base.progress import Progress
from errorflow.compare.results.table import Importer, ResultRow, ResultTable
from errorflow.compare.results.text import csv_rows, head_text, is_text
from errorflow.vendors.ascend.results.msaccucmp import VENDOR

_NEEDED = {"NPUDumpPath", "GroundTruthPath", "TensorIndex"}


def _claims(source: Source) -> bool:
    first = head_text(source).lstrip().partition("\n")[0] if is_text(source) else ""
    return {name.strip() for name in first.split(",")} >= _NEEDED


def _read(source: Source, progress: Progress) -> tuple[ResultTable, ...]:
    _, lines, problems = csv_rows(source, progress)
    rows = tuple(map(_row, lines))
    table = ResultTable("msaccucmp mapping", VENDOR, "tensor", (), rows, problems=problems)
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
    rank=20,
)
