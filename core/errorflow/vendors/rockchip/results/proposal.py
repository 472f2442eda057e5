"""RKNN's .quantization.cfg: the layers that it proposes to keep in float, and the score that each step reaches."""

from errorflow.base import FormatError, Progress
from errorflow.base.files import Source
from errorflow.compare.results.table import Column, Importer, ResultRow, ResultTable
from errorflow.compare.results.text import lines, mentions, number

_HEAD = "custom_quantize_layers:"
_START = "(everything quantized)"


def _claims(source: Source) -> bool:
    return mentions(source, _HEAD, "quantize_parameters:")


def _read(source: Source, progress: Progress) -> tuple[ResultTable, ...]:
    score = Column.like("rknn.proposal.score", "output score", "rknn.proposal.score")
    texts = lines(source, progress)
    start = next((index for index, line in enumerate(texts) if line.startswith(_HEAD)), None)
    if start is None:
        raise FormatError(
            f"{source.name} has no line {_HEAD!r}.", "Take the file that hybrid_quantization_step1 wrote."
        )
    rows: list[ResultRow] = []
    first = number(texts[start].partition("#")[2].strip())
    if first is not None:
        rows.append(ResultRow(_START, values={score.key: first}))
    for line in texts[start + 1 :]:
        layer, _, comment = line.partition("#")
        name, _, dtype = (text.strip() for text in layer.rpartition(":"))
        if not line.startswith(" ") or not name or not dtype.isidentifier():
            break
        value = number(comment.strip())
        values = {} if value is None else {score.key: value}
        rows.append(ResultRow(name.strip("'\""), dtype=dtype, values=values))
    return (ResultTable("RKNN hybrid proposal", "RKNN", "layer", (score,), tuple(rows)),)


RKNN_PROPOSAL = Importer(
    key="rknn-proposal",
    label="RKNN hybrid quantization proposal",
    vendor="RKNN",
    claims=_claims,
    read=_read,
    obtain="rknn.hybrid_quantization_step1(proposal=True) writes it: ….quantization.cfg.",
    rank=50,
)
