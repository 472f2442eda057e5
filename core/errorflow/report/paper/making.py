"""From a case to its report on paper, in the order of the page."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from errorflow.base.progress import SILENT, Progress
from errorflow.report.account.making import account_of, painted_by
from errorflow.report.account.model import (
    CHANGED,
    COMPARED,
    NODES,
    NOTED,
    NOTHING,
    OUTPUTS,
    RECOMMENDED,
    TICKETED,
    TRIED,
    UNMEASURED,
    VERDICT,
    Account,
    Card,
    Table,
)
from errorflow.report.caption import Made, caption
from errorflow.report.content import Content
from errorflow.report.html.graph import graph_picture
from errorflow.report.paper.blocks import Block, Bullets, Finding, Grid, Heading, Node, Pairs, Paper, Plot, Sheet, Words
from errorflow.report.paper.tables import nodes_table, tensors_table

# What cannot be measured, told one by one.
_MOST_TOLD = 60
# Of the width of a table of what was tried: the run, what changed, numbers, verdict and samples.
_WIDE, _NARROW = 2.0, 1.0


def paper_of(case: Content, now: datetime, progress: Progress = SILENT) -> Paper:
    """The graph is drawn here, for all else is known."""
    account = account_of(case)
    progress.step(0, 1, "Drawing the graph")
    picture = graph_picture(case, "light", now, progress)
    about = caption(Made((), case.facts), now).end
    return Paper(case.title, about, tuple(_blocks(case, account, Sheet(picture))))


def _blocks(case: Content, account: Account, graph: Sheet) -> Iterator[Block]:
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
        yield Grid(("Output", "Verdict", "Why"), rows, (0.25, 0.2, 0.55))
    yield graph
    yield from _measured(case)
    if account.changed.rows:
        yield Heading(CHANGED)
        yield Grid(account.changed.heads, account.changed.rows, (0.5, 0.5))
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
    yield Pairs(tuple((fact.label, fact.text) for fact in account.compared))
    yield from (Words(text, "warning") for text in account.warnings)
    if account.form:
        yield Heading(TICKETED)
        yield Pairs(tuple((fact.label, fact.text) for fact in account.form))


def _verdict(account: Account) -> Iterator[Block]:
    yield Heading(VERDICT)
    if account.kind is None:
        yield Words(NOTHING)
        return
    real = f"Measured for real: {account.real}" if account.real else ""
    rest = tuple(filter(None, (*account.stages, real, account.surety)))
    head = account.head if account.head else account.kind.capitalize()
    yield Finding(head, account.sentence, rest, account.tone)


def _nodes(account: Account) -> Iterator[Block]:
    if account.cards:
        yield Heading(NODES)
    yield from (_node(card, number + 1) for number, card in enumerate(account.cards))


def _node(card: Card, number: int) -> Node:
    what = " · ".join(filter(None, (card.op_type, card.word, card.how)))
    numbers = tuple((fact.label, fact.text) for fact in card.numbers)
    return Node(f"{number}  {card.title}", what, card.share_text, card.why, card.told, numbers, card.picture)


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


def _tried(tried: Table) -> Iterator[Block]:
    if not tried.rows:
        return
    sizes = [_NARROW if column in tried.right or not column else _WIDE for column in range(len(tried.heads))]
    shares = tuple(size / sum(sizes) for size in sizes)
    yield Heading(TRIED)
    yield Grid(tried.heads, tried.rows, shares, tuple(sorted(tried.right)))


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
        yield Pairs(tuple(facts.items()))


def _facts(case: Content) -> Mapping[str, str]:
    return {**case.facts, **{path.name: _size(path.stat().st_size) for path in case.files if path.is_file()}}


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 100_000 else f"{count:,} bytes"
