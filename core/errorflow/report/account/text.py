"""The account as plain text, to paste into a ticket or a mail."""

from collections.abc import Iterator

from errorflow.base.language import translated
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
    AccountTable,
    Card,
)

# From here on letters are as wide as two.
_WIDE = "\u2e80"


def account_text(account: Account) -> str:
    return "\n".join((account.title, "=" * len(account.title), *_chapters(account))) + "\n"


def _chapters(account: Account) -> Iterator[str]:
    if account.note:
        yield from ("", *account.note.splitlines())
    yield from _chapter(COMPARED, [_pair(fact.label, fact.text) for fact in account.compared] + list(account.warnings))
    yield from _chapter(TICKETED, [_pair(fact.label, fact.text) for fact in account.form], is_noted=True)
    yield from _chapter(VERDICT, list(_verdict(account)))
    yield from _chapter(NODES, [line for number, card in enumerate(account.cards) for line in _card(card, number + 1)])
    yield from _chapter(OUTPUTS, [f"{each.name}: {each.text}" for each in account.outputs])
    yield from _chapter(CHANGED, [_pair(*row) for row in account.changed.rows])
    yield from _chapter(TRIED, list(_table(account.tried)))
    yield from _chapter(RECOMMENDED, [line for each in account.advice for line in (each.text, f"  {each.source}")])
    yield from _chapter(UNMEASURED, [*(each.text for each in account.lacks), *account.oddities])
    noted = [f"{name}: {text}" for name, text in account.notes]
    yield from _chapter(NOTED, noted, is_noted=True)


def _chapter(title: str, lines: list[str], *, is_noted: bool = False) -> Iterator[str]:
    """Yields a chapter in the language in use, but for what the user wrote."""
    if lines:
        said = translated(title, label=True)
        rule = "-" * sum(1 + (letter > _WIDE) for letter in said)
        yield from ("", said, rule, *(lines if is_noted else map(translated, lines)))


def _verdict(account: Account) -> Iterator[str]:
    if account.kind is None:
        yield NOTHING
        return
    yield _pair(account.head, account.sentence)
    yield from filter(None, (account.surety, *account.stages))
    if account.real:
        yield f"Measured for real: {account.real}"


def _card(card: Card, number: int) -> Iterator[str]:
    yield f"{number}. {card.title} ({card.op_type}): {card.word}{f', {card.how}' if card.how else ''}"
    yield from (f"   {text}" for text in (card.share_text, card.why, card.told) if text)
    if card.numbers:
        yield "   " + ", ".join(f"{fact.label} {fact.text}" for fact in card.numbers)


def _table(table: AccountTable) -> Iterator[str]:
    for row in table.rows:
        named = zip(table.heads[1:], row[1:], strict=True)
        yield f"{row[0]}: {', '.join(f'{head} {cell}' for head, cell in named if cell)}"


def _pair(label: str, text: str) -> str:
    return f"{label}: {text}" if label else text
