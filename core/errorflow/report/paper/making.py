"""Making of a report on paper from a case, in the order of the page."""

import math
from collections.abc import Iterator, Mapping
from datetime import datetime

import numpy as np

from errorflow.base.progress import SILENT, Progress
from errorflow.compare.metrics.metric import Scale
from errorflow.compare.model import Row
from errorflow.explain.blame.model import Blame
from errorflow.explain.findings.model import Findings
from errorflow.graph.describe import shape_text
from errorflow.report.account.making import account_of, painted_by
from errorflow.report.account.model import (
    CHANGED,
    COMPARED,
    INTRODUCED_SHARE,
    NODES,
    NOTED,
    NOTHING,
    OUTPUTS,
    RECOMMENDED,
    SHARE_NOTE,
    TICKETED,
    TRIED,
    UNMEASURED,
    VERDICT,
    Account,
    AccountTable,
    Card,
)
from errorflow.report.caption import CaptionFacts, caption
from errorflow.report.content import Content, size_text
from errorflow.report.html.graph import graph_picture
from errorflow.report.paint import PAINTED
from errorflow.report.paper.blocks import (
    Block,
    Bullets,
    FindingBlock,
    GridBlock,
    Heading,
    NodeBlock,
    PairsBlock,
    Paper,
    Plot,
    SheetBlock,
    Words,
)

# What cannot be measured, told one by one.
_MOST_TOLD = 60
# Of the width of a table of what was tried: the run, what changed, numbers, verdict and samples.
_WIDE, _NARROW = 2.0, 1.0


def paper_of(case: Content, now: datetime, progress: Progress = SILENT) -> Paper:
    """The graph is drawn here, for all else is known."""
    account = account_of(case)
    progress.step(0, 1, "Drawing the graph")
    picture = graph_picture(case, "light", now, progress)
    about = caption(CaptionFacts((), case.facts), now).end
    return Paper(case.title, about, tuple(_blocks(case, account, SheetBlock(picture))))


def _blocks(case: Content, account: Account, graph: SheetBlock) -> Iterator[Block]:
    yield from _note(account)
    yield from _compared(account)
    yield from _verdict(account)
    if account.advice:
        yield Heading(RECOMMENDED)
        yield Bullets(tuple((each.text, f"{each.why} ({each.source})") for each in account.advice))
    yield from _nodes(account)
    if account.outputs:
        rows = tuple((each.name, each.kind, each.text) for each in account.outputs)
        yield Heading(OUTPUTS)
        yield GridBlock(("Output", "Verdict", "Why"), rows, (0.25, 0.2, 0.55))
    yield graph
    yield from _measured(case)
    if account.changed.rows:
        yield Heading(CHANGED)
        yield GridBlock(account.changed.heads, account.changed.rows, (0.5, 0.5))
    yield from _tried(account.tried)
    for heading, lines in case.chapters.items():
        yield Heading(heading)
        yield Bullets(tuple((line, "") for line in lines))
    yield from _rest(case, account)


def _note(account: Account) -> Iterator[Block]:
    lines = [line for line in account.note.splitlines() if line.strip()]
    yield from (Words(line, is_noted=True) for line in lines)


def _compared(account: Account) -> Iterator[Block]:
    yield Heading(COMPARED)
    yield PairsBlock(tuple((fact.label, fact.text) for fact in account.compared))
    yield from (Words(text, "warning") for text in account.warnings)
    if account.form:
        yield Heading(TICKETED)
        yield PairsBlock(tuple((fact.label, fact.text) for fact in account.form))


def _verdict(account: Account) -> Iterator[Block]:
    yield Heading(VERDICT)
    if account.kind is None:
        yield Words(NOTHING)
        return
    real = f"Measured for real: {account.real}" if account.real else ""
    rest = tuple(filter(None, (*account.stages, real, account.surety)))
    head = account.head if account.head else account.kind.capitalize()
    yield FindingBlock(head, account.sentence, rest, account.tone)


def _nodes(account: Account) -> Iterator[Block]:
    if account.cards:
        yield Heading(NODES)
    yield from (_node(card, number + 1) for number, card in enumerate(account.cards))


def _node(card: Card, number: int) -> NodeBlock:
    what = " · ".join(filter(None, (card.op_type, card.word, card.how)))
    numbers = tuple((fact.label, fact.text) for fact in card.numbers)
    return NodeBlock(f"{number}  {card.title}", what, card.share_text, card.why, card.told, numbers, card.picture)


def _measured(case: Content) -> Iterator[Block]:
    for heading, (light, _) in case.plots.items():
        yield Heading(heading)
        yield Plot(light)
    if case.findings is not None:
        said = painted_by(case.findings, case.painting)
        if said:
            yield Words(said, "muted")
        yield from nodes_table(case.findings)
        yield from tensors_table(case, case.findings)


def _tried(tried: AccountTable) -> Iterator[Block]:
    if not tried.rows:
        return
    sizes = [_NARROW if column in tried.right or not column else _WIDE for column in range(len(tried.heads))]
    shares = tuple(size / sum(sizes) for size in sizes)
    yield Heading(TRIED)
    yield GridBlock(tried.heads, tried.rows, shares, tuple(sorted(tried.right)))


def _rest(case: Content, account: Account) -> Iterator[Block]:
    if account.notes:
        yield Heading(NOTED)
        yield Bullets(tuple((name, text) for name, text in account.notes), is_noted=True)
    lacking = [(each.text, "") for each in account.lacks] + [(each, "") for each in account.oddities]
    if lacking:
        more = len(lacking) - _MOST_TOLD
        yield Heading(UNMEASURED)
        yield Bullets((*lacking[:_MOST_TOLD], *([(f"… and {more:,} more", "")] if more > 0 else [])))
    facts = _facts(case)
    if facts:
        yield Heading("What this rests on")
        yield PairsBlock(tuple(facts.items()))


def _facts(case: Content) -> Mapping[str, str]:
    return {**case.facts, **{path.name: size_text(path.stat().st_size) for path in case.files if path.is_file()}}


# The worst nodes and tensors of a comparison as tables for paper; all of them are in the CSV.

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
    rows = tuple(_tables_node(blame, number + 1, int(node)) for number, node in enumerate(order[:MOST]))
    label = PAINTED.label.lower()
    numbers = (f"Accumulated ({label})", "Share of blame", f"Introduced ({label})", INTRODUCED_SHARE)
    heads = ("", "Node", "Type", "Verdict", *numbers)
    # Names take what types leave them.
    kind = 0.17 if max((len(row[2]) for row in rows), default=0) > _SHORT else 0.09
    grid = GridBlock(heads, rows, (0.04, 0.41 - kind, kind, 0.13, 0.12, 0.08, 0.105, 0.115), (0, 4, 5, 6, 7))
    worst = f"The worst {len(rows):,} of {len(known):,} measured nodes, by the accumulated error."
    if blame.blamed is not None:
        worst = (
            f"The worst {len(rows):,} of {len(known):,} measured nodes, by the share of blame and accumulated error."
        )
    return [*_table("Worst nodes", grid, worst, len(known)), *([Words(SHARE_NOTE, "muted")] if rows else [])]


def _tables_node(blame: Blame, number: int, node: int) -> tuple[str, ...]:
    share = float(blame.shares[node])
    how = blame.method(node)
    return (
        str(number),
        blame.graph.title(node),
        blame.graph.op_types[node],
        f"{blame.word(node)}, {how}" if how else blame.word(node),
        _text(PAINTED, float(blame.accumulated[node])),
        blame.told_share(node),
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
    grid = GridBlock(heads, rows, shares, (0, *range(4, 4 + len(scales))))
    by = f"{measured.measure} {scale.label} ({scale.formula})"
    told = f"The worst {len(rows):,} of {len(known):,} measured tensors, by {by}."
    return _table("Worst tensors", grid, told, len(known))


def _table(title: str, grid: GridBlock, told: str, measured: int) -> list[Block]:
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
