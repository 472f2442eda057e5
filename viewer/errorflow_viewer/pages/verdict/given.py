"""What the chapters give away from their context menus; they keep no widget: the page is made anew often."""

from collections.abc import Callable

from PySide6.QtCore import QByteArray, QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QWidget

from errorflow.report.account.model import Account, Card, Fact
from errorflow.report.account.model import Table as Told
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.cells import Table, text_of
from errorflow_viewer.commands.copy_save.labels import offer_labels, offer_menu
from errorflow_viewer.commands.copy_save.plots import Plot, add_plot, image_of
from errorflow_viewer.pages.verdict.card import NodeCard
from errorflow_viewer.pages.verdict.picture import Picture
from errorflow_viewer.plots.saving import file_name, in_our_font

# Takes a part of the page, and gives it back with its menu.
Offer = Callable[[QWidget, str, Table], QWidget]


def offering(desk: Desk) -> Offer:
    def offer(widget: QWidget, what: str, table: Table) -> QWidget:
        offer_labels(desk, widget, what, table)
        return widget

    return offer


def offer_card(desk: Desk, card: NodeCard) -> None:
    """Its picture as far as it is there, and its numbers."""
    picture = next(iter(card.findChildren(Picture)), None)
    plot = _plot(card.card, None if picture is None else picture.svg, desk.appearance.theme.surface)
    offer_menu(card, lambda menu: add_plot(menu, desk, plot))


def _plot(card: Card, svg: bytes | None, ground: str) -> Plot:
    made = svg or b""
    size = QSvgRenderer(QByteArray(made)).defaultSize() if made else QSize()

    def paint(painter: QPainter) -> None:
        QSvgRenderer(QByteArray(in_our_font(made))).render(painter, QRectF(0, 0, size.width(), size.height()))

    return Plot(
        lambda: file_name(card.title),
        lambda: image_of(size, ground, paint),
        lambda: made,
        lambda: card_table(card).csv,
        lambda: bool(made),
        lambda: True,
    )


def card_table(card: Card) -> Table:
    """What stands on it, and the share with all its digits."""
    share = [("Share of the error at the output", text_of(card.share))] if card.share_text else []
    verdict = " · ".join(filter(None, (card.word, card.how)))
    known = [("Node", card.title), ("Operator", card.op_type), ("Verdict", verdict), *share]
    return Table(("Quantity", "Value"), (*known, *_rows(card.numbers), ("Why", card.why)))


def facts_table(facts: tuple[Fact, ...]) -> Table:
    return Table(("Quantity", "Value"), _rows(facts))


def told_table(told: Told) -> Table:
    """All rows, those too for which the page has no room."""
    return Table(told.heads, told.rows)


def lacks_table(account: Account) -> Table:
    """A row per reason, as far as it is told, and one per oddity."""
    lacks = [(lack.title, str(lack.count), lack.named, lack.hint) for lack in account.lacks]
    oddities = [("", "", text, "") for text in account.oddities]
    return Table(("Reason", "Count", "Problem", "What to do"), lacks + oddities)


def _rows(facts: tuple[Fact, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((fact.label, fact.text) for fact in facts)
