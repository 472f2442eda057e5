"""The worst nodes and tensors of a comparison as tables for paper; all of them are in the CSV."""

import math

import numpy as np

from errorflow.compare.metrics.metric import Scale
from errorflow.compare.model import Row
from errorflow.explain.blame.model import Blame
from errorflow.explain.blame.shares import blame_text
from errorflow.explain.findings.model import Findings
from errorflow.graph.describe import shape_text
from errorflow.report.account.model import INTRODUCED_SHARE, SHARE_NOTE
from errorflow.report.content import Content
from errorflow.report.paint import PAINTED
from errorflow.report.paper.blocks import Block, Grid, Heading, Words

# Of each table: more rows than that nobody reads on paper.
MOST = 200
_METRICS = ("cosine", "sqnr", "relative_l2")
# Letters of a type of operator that need little room.
_SHORT = 10


def nodes_table(findings: Findings) -> list[Block]:
    """Empty: nothing is known of any node."""
    blame = findings.blame
    if blame is None:
        return []
    known = np.flatnonzero(~np.isnan(blame.accumulated))
    order = known[np.lexsort((-blame.accumulated[known], -np.nan_to_num(blame.blame_shares[known])))]
    rows = tuple(_node(blame, number + 1, int(node)) for number, node in enumerate(order[:MOST]))
    label = PAINTED.label.lower()
    numbers = (f"Accumulated ({label})", "Share of blame", f"Introduced ({label})", INTRODUCED_SHARE)
    heads = ("", "Node", "Type", "Verdict", *numbers)
    # Names take what types leave them.
    kind = 0.17 if max((len(row[2]) for row in rows), default=0) > _SHORT else 0.09
    grid = Grid(heads, rows, (0.04, 0.41 - kind, kind, 0.13, 0.12, 0.08, 0.105, 0.115), (0, 4, 5, 6, 7))
    worst = f"The worst {len(rows):,} of {len(known):,} measured nodes, by the accumulated error."
    if blame.blamed is not None:
        worst = (
            f"The worst {len(rows):,} of {len(known):,} measured nodes, by the share of blame and accumulated error."
        )
    return [*_table("Worst nodes", grid, worst, len(known)), *([Words(SHARE_NOTE, "muted")] if rows else [])]


def _node(blame: Blame, number: int, node: int) -> tuple[str, ...]:
    share = float(blame.shares[node])
    how = blame.method(node)
    return (
        str(number),
        blame.graph.title(node),
        blame.graph.op_types[node],
        f"{blame.word(node)}, {how}" if how else blame.word(node),
        _text(PAINTED, float(blame.accumulated[node])),
        blame_text(float(blame.blame_shares[node])),
        _text(PAINTED, float(blame.introduced[node])),
        "" if math.isnan(share) else f"{100 * share:z.0f} %",
    )


def tensors_table(case: Content, findings: Findings) -> list[Block]:
    scale = findings.scale(case.painting.metric, case.painting.limits)
    if scale is None:
        return []
    measured = findings.measured(scale)
    known = np.flatnonzero(measured.places > -np.inf)
    tensors: list[int] = known[np.argsort(-measured.places[known], kind="stable")][:MOST].tolist()
    scales = [scale, *(each for each in findings.scales if each.key in _METRICS and each.key != scale.key)][:4]
    rows = tuple(_tensor(findings, number + 1, tensor, scales) for number, tensor in enumerate(tensors))
    heads = ("", "Tensor", "Type", "Shape", *(each.label for each in scales), "States")
    states = 0.12 if any(row[-1] for row in rows) else 0.07
    each = 0.32 / len(scales)
    shares = (0.05, 0.45 - states, 0.08, 0.10, *(each for _ in scales), states)
    grid = Grid(heads, rows, shares, (0, *range(4, 4 + len(scales))))
    by = f"{measured.measure} {scale.label} ({scale.formula})"
    told = f"The worst {len(rows):,} of {len(known):,} measured tensors, by {by}."
    return _table("Worst tensors", grid, told, len(known))


def _table(title: str, grid: Grid, told: str, measured: int) -> list[Block]:
    if not grid.rows:
        return []
    found: list[Block] = [Heading(title), Words(told, "muted")]
    if measured > len(grid.rows):
        found.append(Words("All of them are in the tables as CSV: errorflow report SESSION -o FILE.csv.", "muted"))
    return [*found, grid]


def _tensor(findings: Findings, number: int, tensor: int, scales: list[Scale]) -> tuple[str, ...]:
    row = _row(findings, tensor)
    values = (float(findings.measured(scale).values[tensor]) for scale in scales)
    return (
        str(number),
        findings.graph.tensor_names[tensor],
        "" if row is None else row.dtype,
        "" if row is None else shape_text(row.shape),
        *(_text(scale, value) for scale, value in zip(scales, values, strict=True)),
        "" if row is None else "; ".join(row.states),
    )


def _row(findings: Findings, tensor: int) -> Row | None:
    numbers = findings.placed.about.get(tensor, ())
    return findings.comparison.rows[numbers[0]] if len(numbers) else None


def _text(scale: Scale, value: float) -> str:
    return "" if math.isnan(value) else scale.text(value)
