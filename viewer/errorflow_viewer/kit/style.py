"""Dresses the application in a theme: font, palette and stylesheet; follows the system's light and dark."""

from functools import cache
from importlib.resources import files
from textwrap import wrap

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette, Qt
from PySide6.QtWidgets import QApplication

from errorflow.base.language import translated
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.look import BODY, DARK, FONT_FAMILY, LABEL, LIGHT, RADIUS, TARGET, TITLE, Banner, Theme
from errorflow_viewer.kit.portal import listen
from errorflow_viewer.kit.scaling import all_at_once, factor, fit_all, grow_fonts, one_font, own_fonts, px, scale

_SCHEMES = {"system": Qt.ColorScheme.Unknown, "light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}


# Widgets that Fusion draws with an outline of its own, and how much darker than the ground it is, in percent.
_OUTLINED, _DARKER = ("QCheckBox", "QRadioButton", "QAbstractSpinBox", "QComboBox"), 140
CHINESE_FONTS = (
    "Microsoft YaHei UI", "PingFang SC", "Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "Source Han Sans CN",
    "WenQuanYi Micro Hei",
)  # fmt: skip
# Letters of a tip that are one line.
TIP = 96
# In ms, from the start until icons are drawn for a theme that may be chosen, and between two of them.
LATER, AHEAD = 2000, 50
# Where desktops say whether they are dark.
_DARKNESS = ("org.freedesktop.appearance", "color-scheme")


@cache
def _chinese() -> tuple[str, ...]:
    """The first of these that is there: the system's own choice may have the forms of Japanese characters."""
    return next(((name,) for name in CHINESE_FONTS if QFontDatabase.hasFamily(name)), ())


def font(size: int = BODY, strong: bool = False) -> QFont:
    """The application's font; what it lacks (Chinese, Japanese …) comes from the system."""
    result = QFont([FONT_FAMILY, *_chinese()])
    result.setPixelSize(px(size))
    result.setWeight(QFont.Weight.DemiBold if strong else QFont.Weight.Normal)
    return result


class Appearance(QObject):
    """The theme in force; tells when it changes."""

    changed = Signal(object)  # Theme

    def __init__(self, app: QApplication, choice: str, text_size: int = 100) -> None:
        """`text_size`: in percent."""
        super().__init__()
        self._app = app
        self._choice = choice
        self.theme: Theme = LIGHT
        # Qt knows of few desktops how dark they are; the others are asked.
        self._is_desktop_dark = False
        _load_fonts()
        app.setStyle("Fusion")
        scale(app, text_size)
        app.setFont(font())
        app.styleHints().colorSchemeChanged.connect(self._refresh)
        self._ask_system()
        self._dress(self._wanted())
        # Draws the icons of the other theme one by one, so that a change need not wait for all of them.
        self._ahead: set[str] = set()
        self._drawing_ahead = QTimer(self)
        self._drawing_ahead.timeout.connect(self.draw_ahead)
        self._drawing_ahead.start(LATER)
        if app.styleHints().colorScheme() == Qt.ColorScheme.Unknown:
            QTimer.singleShot(0, self, lambda: listen((_DARKNESS,), self.hear_desktop, self))

    @property
    def choice(self) -> str:
        return self._choice

    def choose(self, choice: str) -> None:
        """ "system", "light" or "dark"."""
        self._choice = choice
        self._ask_system()
        self._refresh()

    def set_text_size(self, percent: int) -> None:
        """Sets the size of all text but that of the graph, which is as large as the graph is seen."""
        if percent == round(factor() * 100):
            return
        before, fonts = factor(), own_fonts(self._app)
        with all_at_once():
            self._app.setStyleSheet("")
            scale(self._app, percent)
            self._app.setFont(font())
            self._app.setStyleSheet(stylesheet(self.theme))
            one_font(self._app, font())
        grow_fonts(fonts, before)
        fit_all(self._app)
        icons.recolour(list(self._app.topLevelWidgets()))
        self.changed.emit(self.theme)

    def show_again(self) -> None:
        """Makes anew what is painted, and pages that are made of text, as for other colours."""
        self.changed.emit(self.theme)

    def draw_ahead(self) -> bool:
        """The next icon in the other theme; False: all are there."""
        self._drawing_ahead.setInterval(AHEAD)
        missing = icons.followed() - self._ahead
        other = DARK if self.theme is LIGHT else LIGHT
        for name in sorted(missing)[:1]:
            icons.icon(name, other.text, other.disabled)
            self._ahead.add(name)
        if len(missing) <= 1:
            self._drawing_ahead.stop()
        return bool(missing)

    def _ask_system(self) -> None:
        # Also colours what Qt does not draw: title bars and native dialogs, where the platform can.
        self._app.styleHints().setColorScheme(_SCHEMES[self._choice])

    def _wanted(self) -> Theme:
        if self._choice != "system":
            return DARK if self._choice == "dark" else LIGHT
        scheme = self._app.styleHints().colorScheme()
        is_dark = self._is_desktop_dark if scheme == Qt.ColorScheme.Unknown else scheme == Qt.ColorScheme.Dark
        return DARK if is_dark else LIGHT

    def hear_desktop(self, _place: str, _name: str, value: object) -> None:
        """1 stands for dark, 2 for light, 0 for neither."""
        self._is_desktop_dark = value == 1
        self._refresh()

    def _refresh(self) -> None:
        theme = self._wanted()
        if theme != self.theme:
            self._dress(theme)
            icons.recolour(list(self._app.topLevelWidgets()))
            self.changed.emit(theme)

    def _dress(self, theme: Theme) -> None:
        """A style sheet in place of another has Qt dress each widget once for every widget around it, so that it takes
        the old one off first."""
        self.theme = theme
        with all_at_once():
            self._app.setStyleSheet("")
            self._app.setPalette(palette(theme))
            for name in _OUTLINED:
                self._app.setPalette(outlined(theme), name)  # type: ignore[arg-type]  # PySide takes no bytes here
            self._app.setStyleSheet(stylesheet(theme))
            one_font(self._app, font())


def _load_fonts() -> None:
    for file in (files("errorflow_resources") / "fonts").iterdir():
        if file.name.endswith(".otf"):
            QFontDatabase.addApplicationFontFromData(file.read_bytes())


def palette(theme: Theme) -> QPalette:
    """The theme in the words of Qt."""
    role, result = QPalette.ColorRole, QPalette()
    colors = {
        role.Window: theme.background,
        role.WindowText: theme.text,
        role.Base: theme.surface,
        role.AlternateBase: theme.background,
        role.Text: theme.text,
        role.PlaceholderText: theme.muted,
        role.Button: theme.surface,
        role.ButtonText: theme.text,
        role.BrightText: theme.on_accent,
        role.Highlight: theme.selected,
        role.HighlightedText: theme.selected_text,
        role.Link: theme.link,
        role.LinkVisited: theme.link,
        role.ToolTipBase: theme.raised,
        role.ToolTipText: theme.text,
        role.Light: theme.raised,
        role.Midlight: theme.hover,
        role.Mid: theme.hairline,
        role.Dark: theme.control_border,
        role.Shadow: theme.control_border,
        role.Accent: theme.accent,
    }
    for name, color in colors.items():
        result.setColor(name, QColor(color))
    for name in (role.WindowText, role.Text, role.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, name, QColor(theme.disabled))
    return result


def broken(text: str) -> str:
    """A sentence as a tip in lines: Qt breaks only what is wider than the screen."""
    told = translated(text)
    return "\n".join(wrap(told, TIP if told.isascii() else TIP // 2))


def outlined(theme: Theme) -> QPalette:
    """Makes a palette for boxes whose outline Fusion makes of the ground, darker: on a dark one it could not be
    seen.
    """
    result = palette(theme)
    result.setColor(QPalette.ColorRole.Window, QColor(theme.outline).lighter(_DARKER))
    result.setColor(QPalette.ColorRole.Highlight, QColor(theme.focus))  # what it is made of with the keyboard there
    return result


def _notice(kind: str, colors: Banner) -> str:
    return (
        f'QFrame[notice="{kind}"] {{ background: {colors.background}; border: none;'
        f" border-bottom: 1px solid {colors.border}; }}"
    )


def stylesheet(theme: Theme) -> str:
    """Writes what Fusion would draw too heavily. Widgets that need more set a property that is named here."""
    rules = (_frame_rules, _button_rules, _content_rules, _edge_rules, _role_rules)
    return "\n".join(["", *(made(theme) for made in rules), ""])


def _frame_rules(theme: Theme) -> str:
    """The window's own parts: menus, toolbars, separators."""
    return f"""\
* {{ outline: none; }}
/* As plain text, whatever stands in it: names come from files of others, and must not become markup. */
QToolTip {{
    qproperty-textFormat: 0;
    background: {theme.raised}; color: {theme.text}; border: 1px solid {theme.control_border}; padding: 4px 6px;
}}
QMainWindow::separator {{ background: {theme.hairline}; width: 1px; height: 1px; }}
QMainWindow::separator:hover {{ background: {theme.focus}; }}
QMenuBar {{ background: {theme.background}; border-bottom: 1px solid {theme.hairline}; padding: 0 4px; }}
QMenuBar::item {{ padding: 5px 8px; border-radius: {RADIUS}px; background: transparent; }}
QMenuBar::item:selected, QMenuBar::item:pressed {{ background: {theme.hover}; }}
QMenu {{ background: {theme.raised}; border: 1px solid {theme.control_border}; padding: 4px; }}
QMenu::item {{ padding: 4px 24px 4px 8px; min-height: {px(16)}px; border-radius: {RADIUS}px; }}
QMenu::icon {{ padding-left: 8px; }}
QMenu::indicator {{ width: {px(16)}px; height: {px(16)}px; left: 6px; }}
QMenu::item:selected {{ background: {theme.selected}; color: {theme.selected_text}; }}
QMenu::item:disabled {{ color: {theme.disabled}; background: transparent; }}
QMenu::separator {{ height: 1px; background: {theme.hairline}; margin: 4px 8px; }}
QToolBar {{
    background: {theme.background}; border: none; border-bottom: 1px solid {theme.hairline};
    padding: 3px 6px; spacing: 2px;
}}
QToolBar::separator {{ background: {theme.hairline}; width: 1px; margin: 4px 6px; }}"""


def _button_rules(theme: Theme) -> str:
    """Writes the rules of what is pressed."""
    return f"""\
QToolButton {{
    border: 1px solid transparent; border-radius: {RADIUS}px; padding: 3px; color: {theme.text};
    min-height: {px(16)}px; background: transparent;
}}
QToolButton:hover, QToolButton:checked {{ background: {theme.hover}; }}
QToolButton:pressed {{ background: {theme.selected}; }}
QToolButton:focus {{ border: 2px solid {theme.focus}; padding: 2px; }}
QToolButton:disabled {{ color: {theme.disabled}; background: transparent; }}
QToolButton::menu-indicator {{ image: none; }}
QPushButton {{
    border: 1px solid {theme.control_border}; border-radius: {RADIUS}px; padding: 0 12px; min-height: {px(TARGET)}px;
    background: {theme.raised}; color: {theme.text};
}}
QPushButton:hover {{ background: {theme.hover}; }}
QPushButton:pressed {{ background: {theme.selected}; }}
QPushButton:focus {{ border: 2px solid {theme.focus}; padding: 0 11px; }}
QPushButton:disabled {{ color: {theme.disabled}; border-color: {theme.hairline}; }}
QPushButton[primary="true"] {{
    background: {theme.accent}; color: {theme.on_accent}; border-color: {theme.accent}; font-weight: 600;
}}
QPushButton[primary="true"]:disabled {{
    background: {theme.hairline}; color: {theme.disabled}; border-color: {theme.hairline};
}}
QPushButton[primary="true"]:hover:enabled {{ background: {theme.focus}; border-color: {theme.focus}; }}
QPushButton[primary="true"]:focus {{ border: 3px double {theme.on_accent}; padding: 0 10px; }}
QPushButton[link="true"] {{
    border: 1px solid transparent; background: transparent; color: {theme.link}; padding: 0; text-align: left;
}}
QPushButton[chip="true"] {{ padding: 0 8px; background: {theme.surface}; }}
QPushButton[missing="true"] {{ color: {theme.muted}; }}
QPushButton[link="true"]:disabled {{ color: {theme.disabled}; text-decoration: none; }}
QPushButton[link="true"]:hover:enabled {{ text-decoration: underline; }}
QPushButton[link="true"]:disabled {{ color: {theme.disabled}; text-decoration: none; }}
QPushButton[link="true"]:focus {{ border: 1px solid {theme.focus}; padding: 0; }}"""


def _content_rules(theme: Theme) -> str:
    """Fields, tables, lists and texts."""
    return f"""\
QLineEdit {{
    border: 1px solid {theme.outline}; border-radius: {RADIUS}px; padding: 0 6px;
    background: {theme.surface}; selection-background-color: {theme.selected};
    selection-color: {theme.selected_text};
}}
QLineEdit:focus {{ border: 2px solid {theme.focus}; padding: 0 5px; }}
QLineEdit[wrong="true"] {{ border-color: {theme.error.mark}; }}
QLineEdit QToolButton {{ border: none; padding: 0; min-height: 0; }}
QTableView, QTreeView, QListView, QTextBrowser, QPlainTextEdit {{
    background: {theme.surface}; border: 1px solid transparent; selection-background-color: {theme.selected};
    selection-color: {theme.selected_text};
}}
QPlainTextEdit[role="field"] {{ border: 1px solid {theme.outline}; border-radius: {RADIUS}px; }}
QPlainTextEdit[role="field"]:focus {{ border: 2px solid {theme.focus}; }}
QTableView:focus, QTreeView:focus, QListView:focus, QTextBrowser:focus, QPlainTextEdit:focus {{
    border-color: {theme.focus};
}}
QTableView::item, QListView::item {{ border: none; padding: 0 4px; }}
QTreeView::item:hover, QListView::item:hover {{ background: {theme.hover}; }}
QTableView::item:selected, QTreeView::item:selected, QListView::item:selected {{
    background: {theme.selected}; color: {theme.selected_text};
}}
QHeaderView {{ background: {theme.surface}; }}
QHeaderView::section {{
    background: {theme.surface}; color: {theme.muted}; border: none; border-bottom: 1px solid {theme.hairline};
    padding: 0 8px; height: {px(TARGET)}px; font-size: {px(LABEL)}px;
}}
QHeaderView::section:hover {{ color: {theme.text}; }}"""


def _edge_rules(theme: Theme) -> str:
    """Tabs, the status bar, and what scrolls."""
    return f"""\
QTabBar::tab {{
    padding: 4px 12px; min-height: {px(16)}px; border: none; color: {theme.muted}; background: transparent;
}}
QTabBar::tab:selected {{ color: {theme.text}; border-bottom: 2px solid {theme.accent}; }}
QTabBar::tab:hover {{ color: {theme.text}; }}
QTabBar::tab:focus {{ border: 2px solid {theme.focus}; padding: 2px 10px; }}
QStatusBar {{ background: {theme.background}; border-top: 1px solid {theme.hairline}; color: {theme.muted}; }}
QStatusBar QLabel, QStatusBar QToolButton {{ font-size: {px(LABEL)}px; color: {theme.muted}; }}
QStatusBar::item {{ border: none; }}
QProgressBar {{
    border: none; border-radius: 2px; background: {theme.hairline}; max-height: 4px; min-height: 4px;
}}
QProgressBar::chunk {{ background: {theme.accent}; border-radius: 2px; }}
QScrollBar:vertical {{ background: transparent; width: 12px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 12px; margin: 0; }}
QScrollBar::handle {{ background: {theme.control_border}; border-radius: 3px; margin: 3px; }}
QScrollBar::handle:vertical {{ min-height: 24px; }}
QScrollBar::handle:horizontal {{ min-width: 24px; }}
QScrollBar::handle:hover {{ background: {theme.muted}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}"""


def _role_rules(theme: Theme) -> str:
    """Writes the rules of what a property says of labels and frames."""
    return f"""\
QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
QLabel[linked="true"] {{ border: 1px solid transparent; border-radius: {RADIUS}px; }}
QLabel[linked="true"]:focus {{ border-color: {theme.focus}; }}
QLabel[muted="true"] {{ color: {theme.muted}; }}
QLabel[role="title"] {{ font-size: {px(TITLE)}px; font-weight: 600; }}
QLabel[role="strong"] {{ font-weight: 600; }}
QLabel[role="label"] {{ font-size: {px(LABEL)}px; color: {theme.muted}; }}
QCheckBox[role="strong"] {{ font-weight: 600; }}
QPushButton[role="lead"] {{ text-align: left; padding: 0 4px; border: 1px solid transparent; background: transparent; }}
QPushButton[role="lead"]:hover {{ background: {theme.hover}; }}
QPushButton[role="lead"]:focus {{ border-color: {theme.focus}; }}
QPushButton[role="lead"]:disabled {{ color: {theme.disabled}; }}
QFrame[role="setting"] {{ border: none; border-left: 2px solid transparent; }}
QFrame[role="setting"][changed="true"] {{ border-left-color: {theme.accent}; }}
QFrame[role="rule"] {{ background: {theme.hairline}; max-height: 1px; min-height: 1px; border: none; }}
QFrame[role="card"] {{
    background: {theme.raised}; border: 1px solid {theme.hairline}; border-radius: {RADIUS}px;
}}
QFrame[role="card"]:hover {{ border-color: {theme.control_border}; background: {theme.hover}; }}
QFrame[role="card"]:focus {{ border-color: {theme.focus}; }}
QFrame[role="card"][chosen="true"] {{ border-color: {theme.accent}; background: {theme.selected}; }}
QFrame[role="card"][chosen="true"]:focus {{ border: 2px solid {theme.text}; }}
QFrame[role="sheet"] {{
    background: {theme.surface}; border: 1px solid {theme.hairline}; border-radius: {RADIUS}px;
}}
QFrame[role="need"] {{ border: 1px solid transparent; border-bottom-color: {theme.hairline}; }}
QFrame[role="need"][open="true"] {{ border-bottom-color: transparent; }}
QFrame[role="need"][aimed="true"] {{ border-color: {theme.focus}; background: {theme.hover}; }}
QFrame[role="verdict"] {{ background: {theme.surface}; border: none; border-bottom: 1px solid {theme.hairline}; }}
QFrame[role="code"] {{
    background: {theme.surface}; border: 1px solid {theme.hairline}; border-radius: {RADIUS}px;
}}
QFrame[role="foot"] {{ background: {theme.background}; border-top: 1px solid {theme.hairline}; }}
{_notice("error", theme.error)}
{_notice("warning", theme.warning)}
{_notice("info", theme.info)}
QFrame[role="popup"] {{
    background: {theme.raised}; border: 1px solid {theme.control_border}; border-radius: {RADIUS}px;
}}
QFrame[role="popup"] QListView {{ background: {theme.raised}; }}"""
