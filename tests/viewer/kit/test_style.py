"""Font, icons and the theme of the system."""

from importlib.resources import files
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAction, QFont, QFontInfo, QFontMetricsF
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QLabel,
    QPushButton,
    QSpinBox,
    QToolTip,
    QWidget,
)
from pytestqt.qtbot import QtBot

from errorflow_viewer.kit import icons
from errorflow_viewer.kit.look import DARK, FONT_FAMILY, LIGHT, Theme
from errorflow_viewer.kit.scaling import one_font
from errorflow_viewer.kit.style import Appearance, broken, font, stylesheet
from viewer.kit.test_look import contrast

ROOT = Path(str(files("errorflow_resources")))


def test_the_shipped_font_is_used_with_digits_of_one_width(appearance: Appearance) -> None:
    assert QFontInfo(font()).family() == FONT_FAMILY
    metrics = QFontMetricsF(font(20))
    assert len({metrics.horizontalAdvance(digit) for digit in "0123456789"}) == 1


def test_the_strong_font_is_shipped_too(appearance: Appearance) -> None:
    assert QFontInfo(font(strong=True)).weight() == QFont.Weight.DemiBold


def test_the_fonts_are_small_and_their_licence_lies_beside_them() -> None:
    fonts = list((ROOT / "fonts").glob("*.otf"))
    assert fonts and sum(path.stat().st_size for path in fonts) <= 700_000
    assert "SIL OPEN FONT LICENSE" in (ROOT / "fonts" / "LICENSE.txt").read_text("utf-8")


@pytest.mark.parametrize("path", sorted((ROOT / "icons" / "line").glob("*.svg")), ids=lambda path: path.stem)
def test_a_line_icon_is_drawn_in_the_colour_asked_for_and_inside_its_square(path: Path, qapp: QApplication) -> None:
    assert 'viewBox="0 0 24 24"' in path.read_text() and 'stroke-width="1.5"' in path.read_text()
    image = icons.pixmap(path.stem, "#FF0000", 24, 2.0).toImage()
    inked = [(x, y) for x in range(48) for y in range(48) if image.pixelColor(x, y).alpha() > 128]
    assert inked
    assert all(image.pixelColor(x, y).red() > 200 for x, y in inked)
    assert all(2 <= x < 46 and 2 <= y < 46 for x, y in inked)


@pytest.mark.parametrize("size", icons.SIZES)
def test_an_icon_is_there_in_every_size(size: int, qapp: QApplication) -> None:
    drawn = icons.icon("open", "#000000", "#888888")
    assert drawn.pixmap(size, size).width() == size


def test_the_app_icon_is_there_in_all_sizes(qapp: QApplication) -> None:
    assert {size.width() for size in icons.app_icon().availableSizes()} == set(icons.APP_SIZES)


def test_icons_follow_the_theme(appearance: Appearance) -> None:
    action = QAction("x")
    icons.follow(action, "close")
    before = action.icon().pixmap(24, 24).toImage()
    appearance.choose("dark")
    icons.recolour([action])
    assert action.icon().pixmap(24, 24).toImage() != before
    appearance.choose("light")


def test_a_change_of_theme_draws_no_icon_that_was_drawn_ahead(appearance: Appearance) -> None:
    action = QAction("x")
    icons.follow(action, "close")
    while appearance.draw_ahead():
        pass
    drawn = icons._icon.cache_info().misses
    appearance.choose("dark")
    icons.recolour([action])
    appearance.choose("light")
    assert icons._icon.cache_info().misses == drawn


def test_a_change_of_theme_is_told_once(appearance: Appearance) -> None:
    seen: list[object] = []
    appearance.changed.connect(seen.append)
    appearance.choose("dark")
    appearance.choose("dark")
    appearance.choose("light")
    appearance.changed.disconnect(seen.append)
    assert seen == [DARK, LIGHT]


def test_the_system_decides_when_it_is_asked_to(appearance: Appearance, qapp: QApplication) -> None:
    appearance.choose("system")
    dark = qapp.styleHints().colorScheme() == Qt.ColorScheme.Dark
    assert appearance.theme is (DARK if dark else LIGHT)
    appearance.choose("light")


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_a_link_that_leads_nowhere_does_not_look_like_one(qtbot: QtBot, theme: Theme) -> None:
    link = QPushButton("████")
    link.setProperty("link", True)
    link.setEnabled(False)
    link.setStyleSheet(stylesheet(theme))
    qtbot.addWidget(link)
    image = link.grab().toImage()
    found = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
    assert theme.disabled.lower() in found and theme.link.lower() not in found


@pytest.mark.parametrize("choice", ["light", "dark"])
@pytest.mark.parametrize("focused", [False, True], ids=["calm", "focused"])
@pytest.mark.parametrize("kind", [QCheckBox, QSpinBox])
def test_the_outline_of_a_box_can_be_seen(
    appearance: Appearance, qtbot: QtBot, choice: str, focused: bool, kind: type[QCheckBox] | type[QAbstractSpinBox]
) -> None:
    appearance.choose(choice)
    host = QWidget()
    qtbot.addWidget(host)
    box = kind(host)
    box.move(10, 8)
    host.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    host.show()
    qtbot.waitExposed(host)
    (box if focused else host).setFocus()
    edge = host.grab().toImage().pixelColor(10, 8 + box.height() // 2).name()
    theme = appearance.theme
    appearance.choose("light")
    assert min(contrast(edge, theme.surface), contrast(edge, theme.background)) >= 3


def test_a_tip_shows_a_name_as_it_is(qtbot: QtBot, appearance: Appearance) -> None:
    """As markup it could load a picture from another machine. All tips are shown by one label of Qt's."""
    host = QWidget()
    qtbot.addWidget(host)
    host.show()
    for name in ("<b>x", "<img src='//server/share/x.png'>\nsecond"):
        QToolTip.showText(host.mapToGlobal(QPoint(4, 4)), name, host)
        label = next(each for each in QApplication.topLevelWidgets() if each.inherits("QTipLabel"))
        assert isinstance(label, QLabel) and label.text() == name
        assert label.textFormat() is Qt.TextFormat.PlainText
    QToolTip.hideText()


def test_a_long_tip_is_broken_into_lines() -> None:
    lines = broken("The error is made by one node. " * 12).split("\n")
    assert len(lines) > 3 and max(map(len, lines)) <= 96


@pytest.mark.parametrize("change", ["theme", "text size"])
def test_a_widget_is_dressed_as_often_however_deep_it_lies(appearance: Appearance, qtbot: QtBot, change: str) -> None:
    class Counting(QWidget):
        told = 0

        def changeEvent(self, event: QEvent) -> None:
            self.told += event.type() == QEvent.Type.StyleChange

    top = Counting()
    qtbot.addWidget(top)
    deep: QWidget = top
    for _ in range(12):
        deep = Counting(deep)
    top.show()
    if change == "theme":
        appearance.choose("dark")
        appearance.choose("light")
    else:
        appearance.set_text_size(150)
        appearance.set_text_size(100)
    assert isinstance(deep, Counting) and 0 < deep.told <= top.told


@pytest.mark.parametrize("kind", [QLabel, QPushButton, QCheckBox])
def test_a_font_that_the_desktop_has_for_a_kind_of_widget_is_not_used(
    appearance: Appearance, qapp: QApplication, qtbot: QtBot, kind: type[QWidget]
) -> None:
    qapp.setFont(QFont("monospace", 30), kind.__name__)  # type: ignore[arg-type]  # PySide takes no bytes here
    one_font(qapp, font())
    widget = kind()
    qtbot.addWidget(widget)
    widget.show()
    assert (widget.font().family(), widget.font().pixelSize()) == (font().family(), font().pixelSize())
