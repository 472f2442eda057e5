"""The outlier table as files and in words."""

import json
from collections.abc import Iterator, Sequence

from errorflow import __version__
from errorflow.explain.outliers.levels import LEVELS
from errorflow.explain.outliers.model import BITS, Outliers, OutlierTable
from errorflow.graph.build import counted
from errorflow.report.tables import csv_text

VERSION = 1
# Channels that are named of one tensor, and tensors that are printed.
NAMED, SHOWN = 8, 10
# Bits that the median channel loses, from which on a tensor deserves a look.
LOST = 3.0
LEVEL = "level of a channel = log₂(largest value of the tensor / largest of the channel): bits of resolution it loses"
SPARSE = "sparse = always zero, or below 2⁻²⁴ of the tensor's largest value; such a channel has no level"
OURS = "Pulsar2 publishes neither the base of its logarithm nor what is sparse: both are Errorflow's choice."


def outliers_csv(rows: Sequence[Outliers]) -> str:
    """A line per tensor, in the order given."""
    head = [
        *("tensor", "kind", "node", "type", "channel_axis", "channels", "sparse_share"),
        *(f"level_{level}_share" for level in LEVELS),
        *("median_level", "highest_level", f"effective_bits_of_{BITS}", "largest", "loudest_channels"),
        *("quietest_channels", "note"),
    ]
    return csv_text(head, (_line(row) for row in rows))


def _line(row: Outliers) -> list[str]:
    return [
        *(row.tensor, row.kind, row.node, row.op_type, str(row.axis), str(row.channels), _number(row.sparse)),
        *(_number(row.share(level)) for level in LEVELS),
        *(_number(value) for value in (row.median, row.most, row.effective_bits(), float(row.maxima.max()))),
        *(" ".join(map(str, some[:NAMED].tolist())) for some in (row.loud, row.quiet)),
        row.note,
    ]


def channels_csv(rows: Sequence[Outliers]) -> str:
    """A line per channel of each, as they are numbered; a sparse one has no level."""
    return csv_text(["tensor", "channel", "largest", "level"], (line for row in rows for line in _channels(row)))


def _channels(row: Outliers) -> Iterator[list[str]]:
    for number, (largest, level) in enumerate(zip(row.maxima.tolist(), row.levels.tolist(), strict=True)):
        yield [row.tensor, str(number), _number(largest), "" if level == float("inf") else _number(level)]


def outliers_json(table: OutlierTable) -> str:
    """The worst tensor first, and what the numbers mean."""
    found = {
        "errorflow": __version__,
        "version": VERSION,
        "of": table.label,
        "samples": table.samples,
        "made_up": table.made_up,
        "definitions": {"level": LEVEL, "sparse": SPARSE, "note": OURS, "effective_bits_of": BITS},
        "facts": dict(table.facts),
        "notes": list(table.notes),
        "tensors_without_channels": table.skipped,
        "tensors": [_as_json(row) for row in table.worst],
    }
    return json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _as_json(row: Outliers) -> dict[str, object]:
    return {
        "tensor": row.tensor,
        "kind": row.kind,
        "node": row.node,
        "type": row.op_type,
        "channel_axis": row.axis,
        "channels": row.channels,
        "sparse_share": row.sparse,
        "level_shares": {str(level): row.share(level) for level in LEVELS},
        "median_level": row.median,
        "highest_level": row.most,
        "effective_bits": row.effective_bits(),
        "largest": float(row.maxima.max()),
        "loudest_channels": row.loud[:NAMED].tolist(),
        "quietest_channels": row.quiet[:NAMED].tolist(),
        "note": row.note,
    }


def outlier_lines(table: OutlierTable, most: int = SHOWN) -> Iterator[str]:
    """Yields the worst tensors, or that there are none."""
    on = f" on {counted(table.samples, 'sample', 'samples')}" if table.samples else ""
    yield f"Outliers of {table.label}{on}: {counted(len(table.rows), 'tensor', 'tensors')} with channels."
    yield from table.notes
    yield LEVEL[0].upper() + LEVEL[1:] + "."
    shown = table.worst[:most]
    if not shown:
        return
    lost = sum(row.median >= LOST for row in table.rows)
    yield (
        f"In {counted(lost, 'tensor', 'tensors')} the median channel loses {LOST:g} bits or more to one scale for all."
        if lost
        else f"In no tensor the median channel loses {LOST:g} bits or more to one scale for all."
    )
    yield f"  median  highest  ≥3     sparse  channels  tensor ({len(shown):,} worst of {len(table.rows):,})"
    for row in shown:
        shares = f"{row.share(LEVELS[0]):<5.3f}  {row.sparse:<6.3f}"
        loud = f", loudest channel {row.loud[0]}" if len(row.loud) else ""
        kind = "weight of " if row.kind == "weight" else ""
        by = f" ({kind}{row.op_type})" if row.op_type else ""
        yield f"  {row.median:6.2f}  {row.most:7.2f}  {shares}  {row.channels:>8,}  {row.tensor}{by}{loud}"


def _number(value: float) -> str:
    return f"{value:.9g}"
