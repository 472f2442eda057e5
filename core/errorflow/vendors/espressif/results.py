"""PPQ's graphwise and layerwise analysis as it is printed, with its bars."""

import re

from errorflow.base import FormatError, Progress
from errorflow.base.files import Source
from errorflow.compare.results.table import Column, Importer, ResultRow, ResultTable
from errorflow.compare.results.text import lines, mentions, share
from errorflow.graph.model import Problem

VENDOR = "PPQ"
_SNR, _COSINE, _MSE = "NOISE:SIGNAL POWER RATIO", "COSINE SIMILARITY", "MSE LOSS(UNSCALED)"
_BAR = "█▉▊▋▌▍▎▏# "
_ALONE = re.compile(r"layerwise", re.IGNORECASE)
# How far above the table its title may stand.
_NEAR = 5


def _claims(source: Source) -> bool:
    return any(mentions(source, "Layer", "| " + name) for name in (_SNR, _COSINE, _MSE))


def _read(source: Source, progress: Progress) -> tuple[ResultTable, ...]:
    texts = lines(source, progress)
    found = []
    for index, line in enumerate(texts):
        first, _, measure = (text.strip() for text in line.partition("|"))
        if first == "Layer" and measure and measure.isupper():
            above = texts[max(0, index - _NEAR) : index]
            alone = any(_ALONE.search(text) for text in above)
            found.append(_table(texts[index + 1 :], measure, above, alone=alone))
    if not found:
        raise FormatError(f"{source.name} holds no table of PPQ.", "Take what graphwise_error_analyse printed.")
    return tuple(found)


def _table(texts: list[str], measure: str, above: list[str], *, alone: bool) -> ResultTable:
    column = _column(measure, alone=alone)
    rows: list[ResultRow] = []
    for line in texts:
        cells = [cell.strip() for cell in line.rsplit("|", 2)]
        if len(cells) < 3 or not cells[0].endswith(":") or cells[1].strip(_BAR) or len(cells[2].split()) != 1:
            break
        name, text = cells[0].removesuffix(":").rstrip(), cells[2]
        value = share(text)
        values = {} if value is None else {column.key: value}
        rows.append(ResultRow(name, values=values, states={column.key: text} if value is None else {}))
    problems = () if alone or any("graphwise" in text.lower() for text in above) else (_UNSAID,)
    label = f"PPQ {'layerwise' if alone else 'graphwise'} analysis"
    return ResultTable(label, VENDOR, "node", (column,), tuple(rows), problems=problems)


_UNSAID = Problem("The line that says whether it is graphwise or layerwise is missing; graphwise is assumed.")


def _column(measure: str, *, alone: bool) -> Column:
    if measure == _SNR:
        return Column.of("ppq.layerwise.snr" if alone else "ppq.graphwise.snr")
    formulas = {_COSINE: "cosine of the output of each, mean over the samples", _MSE: "Σ (c − r)² / n"}
    return Column.plain(VENDOR, measure, formulas.get(measure, "not known"))


PPQ = Importer(
    key="ppq",
    label="PPQ error analysis (console)",
    vendor=VENDOR,
    claims=_claims,
    read=_read,
    obtain="graphwise_error_analyse and layerwise_error_analyse print it.",
)
ROWS = (PPQ,)
