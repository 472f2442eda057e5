"""Language of the window: what was chosen, that of the system, or English; switched while it is open."""

import os
from collections.abc import Callable, Collection, Iterable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractProxyModel,
    QCoreApplication,
    QEvent,
    QLibraryInfo,
    QLocale,
    QObject,
    Qt,
    QTranslator,
    Signal,
    SignalInstance,
)
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QCheckBox,
    QComboBox,
    QGroupBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QTabBar,
    QTextEdit,
    QWidget,
)

from errorflow.base.language import ENGLISH, LANGUAGES, Language, current, keep, use
from errorflow.case.session.model import Session
from errorflow.case.session.own_texts import names_of, own_texts
from errorflow.graph.model import Graph
from errorflow_viewer.kit.following import Follower, follow
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.translation import door
from errorflow_viewer.kit.translation.door import own_text

# Fields of a session in which users write and name.
_OWN = tuple(f"session.{name}" for name in ("note", "notes", "trials", "model", "since", "second"))


# Keeps what users named and wrote out of the translator's hands.
class UserTexts(Protocol):
    """A document, as far as texts of the user's own are in it."""

    changed: SignalInstance

    @property
    def graph(self) -> Graph | None: ...

    @property
    def session(self) -> Session: ...


class OwnTexts(QObject):
    """Follows a document: its notes, trials and names."""

    def __init__(self, document: UserTexts, parent: QObject) -> None:
        super().__init__(parent)
        self._document = document
        self._graph: Graph | None = None
        self._names: frozenset[str] = frozenset()
        # In English nothing is translated, so nothing is kept out of that.
        self.follower = follow(self, document.changed, self._on_changed, ("model", "place", *_OWN))

    def _on_changed(self, _fields: Collection[str]) -> None:
        graph = self._document.graph
        if graph is not self._graph:
            self._graph, self._names = graph, frozenset() if graph is None else names_of(graph)
        keep((*own_texts(self._document.session), *self._names))


SYSTEM = "system"
# For tests and for whoever starts the app from a script.
VARIABLE = "ERRORFLOW_LANGUAGE"


class Speech(QObject):
    """Tells `changed` when everything on the screen has been said anew, `chosen` after every choice."""

    changed = Signal()
    chosen = Signal()

    def __init__(self, settings: Settings, parent: QObject) -> None:
        super().__init__(parent)
        self._settings = settings
        # Qt's texts as Qt has them, and above these what it lacks.
        self._qt = (QTranslator(self), QTranslator(self))
        # Tells of what users wrote, while a language is spoken to which that must not be translated.
        self._own: Follower | None = None
        self.choice = _known(os.environ.get(VARIABLE, "")) or settings.language
        # What was chosen and no font here can show: English is spoken in its place.
        self.unreadable: Language | None = None
        parent.destroyed.connect(_english)
        self._speak(self._readable())

    def follow(self, document: UserTexts) -> None:
        """Follows a document: what users wrote in it stays as they wrote it."""
        self._own = OwnTexts(document, self).follower
        self._own.note_seen(current() is not ENGLISH)

    def choose(self, choice: str) -> None:
        """A key of LANGUAGES, or "system"."""
        self.choice = self._settings.language = choice
        key = self._readable()
        if key != current().key:
            held = HeldTexts()
            self._speak(key)
            held.tell()
            self.changed.emit()
        self.chosen.emit()

    def _readable(self) -> str:
        """The key of what is chosen, or English where that would be boxes."""
        key = _key(self.choice)
        self.unreadable = None
        if key != ENGLISH.key:  # which comes with its font, so that nobody needs to look for one
            from errorflow_viewer.kit.translation.legible import can_show

            language = next(each for each in LANGUAGES if each.key == key)
            self.unreadable = None if can_show(language) else language
        return key if self.unreadable is None else ENGLISH.key

    def _speak(self, key: str) -> None:
        if self._own is not None:
            self._own.note_seen(key != ENGLISH.key)
        for each in self._qt:
            QCoreApplication.removeTranslator(each)
        door.close_door()
        if use(key) is ENGLISH:
            door.stand_by(HOLDING)
        else:
            door.open_door()
            self._take(key)

    def _take(self, key: str) -> None:
        files = ((f"qtbase_{key}", _folder()), (f"qt_{key}", str(current().file.parent)))
        for translator, (name, folder) in zip(self._qt, files, strict=True):
            if translator.load(name, folder):
                QCoreApplication.installTranslator(translator)


def _english() -> None:
    """Returns to English for what comes after in the same process."""
    door.close_door()
    use(ENGLISH.key)


def _known(choice: str) -> str:
    return choice if choice in {SYSTEM, *(each.key for each in LANGUAGES)} else ""


def _key(choice: str) -> str:
    """The language of a choice; that of the system as far as there is one like it."""
    known = [each.key for each in LANGUAGES]
    if choice != SYSTEM:
        return choice if choice in known else ENGLISH.key
    wanted = (name.replace("-", "_") for name in QLocale.system().uiLanguages())
    return next((found for name in wanted if (found := _like(name, known))), ENGLISH.key)


def _like(name: str, known: list[str]) -> str:
    """`zh_CN` for zh_Hans_CN, zh_CN and zh; traditional characters are another language."""
    language, *rest = name.split("_")
    if "Hant" in rest or {"TW", "HK", "MO"} & set(rest):
        return ""
    return next((key for key in known if key.split("_")[0] == language), "")


def _folder() -> str:
    """Finds where Qt's own texts are: in PySide6, or in a bundle."""
    return str(Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)))


# A class, and its getters and setters of what is to be read.
_PAIRS: tuple[tuple[type, tuple[tuple[str, str], ...]], ...] = (
    (QLabel, (("text", "setText"),)),
    (QAbstractButton, (("text", "setText"),)),
    (QGroupBox, (("title", "setTitle"),)),
    (QMenu, (("title", "setTitle"),)),
    (QLineEdit, (("placeholderText", "setPlaceholderText"),)),
    (QPlainTextEdit, (("placeholderText", "setPlaceholderText"),)),
    (QTextEdit, (("placeholderText", "setPlaceholderText"),)),
    (
        QWidget,
        (
            ("toolTip", "setToolTip"),
            ("statusTip", "setStatusTip"),
            ("accessibleName", "setAccessibleName"),
            ("accessibleDescription", "setAccessibleDescription"),
            ("windowTitle", "setWindowTitle"),
        ),
    ),
)
_OF_ACTIONS = (("text", "setText"), ("toolTip", "setToolTip"), ("statusTip", "setStatusTip"))
# By these they are given what is to be read again later.
HOLDING: tuple[tuple[type, str], ...] = (
    *((cls, setter) for cls, pairs in (*_PAIRS, (QAction, _OF_ACTIONS)) for _, setter in pairs),
    *((cls, "__init__") for cls in (QLabel, QPushButton, QCheckBox, QGroupBox, QMenu, QAction)),
    *((QComboBox, name) for name in ("addItem", "addItems", "setItemText", "setItemData")),
    *((QTabBar, name) for name in ("addTab", "setTabText")),
    *((QMenu, name) for name in ("addAction", "addMenu")),
)
_ROLES = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole)


class HeldTexts:
    """Texts that Qt holds now, in English; made while the old language is spoken, told again in the new one."""

    def __init__(self) -> None:
        self._tell: list[Callable[[], None]] = []
        widgets = QApplication.allWidgets()
        for widget in widgets:
            for cls, pairs in _PAIRS:
                if isinstance(widget, cls):
                    self._hold(widget, cls, pairs)
            if isinstance(widget, QComboBox):
                self._hold_items(widget)
            if isinstance(widget, QTabBar):
                self._hold_tabs(widget)
        for action in {action for widget in widgets for action in widget.actions()}:
            self._hold(action, QAction, _OF_ACTIONS)
        self._widgets = widgets

    def _hold(self, thing: Any, cls: type, pairs: Iterable[tuple[str, str]]) -> None:
        for getter, setter in pairs:
            text = own_text(thing, getattr(cls, getter)(thing))
            if text:
                self._tell.append(partial(_tell, cls, setter, thing, text))

    def _hold_items(self, box: QComboBox) -> None:
        for at, role in product(range(box.count()), _ROLES):
            text = own_text(box, box.itemData(at, role))
            if isinstance(text, str):
                self._tell.append(partial(_tell_item, box, at, text, role))

    def _hold_tabs(self, bar: QTabBar) -> None:
        for at in range(bar.count()):
            text = own_text(bar, bar.tabText(at))
            self._tell.append(partial(_tell_tab, bar, at, text))

    def tell(self) -> None:
        for each in self._tell:
            each()
        for widget in self._widgets:
            if isinstance(widget, QAbstractItemView):
                _ask_anew(widget.model())
        for widget in self._widgets:
            QApplication.sendEvent(widget, QEvent(QEvent.Type.LanguageChange))
            if isinstance(widget, QAbstractItemView):
                widget.viewport().update()
            widget.updateGeometry()
            widget.update()


def _tell(cls: type, setter: str, thing: object, text: str) -> None:
    """Tells by the method that the class has at that time: the door changes them."""
    getattr(cls, setter)(thing, text)


def _tell_item(box: QComboBox, at: int, text: str, role: Qt.ItemDataRole) -> None:
    box.setItemData(at, text, role)


def _tell_tab(bar: QTabBar, at: int, text: str) -> None:
    bar.setTabText(at, text)


def _ask_anew(model: QAbstractItemModel | None) -> None:
    """PySide keeps the methods of a thing that it has called once, and calls those of before: until it is given one."""
    if isinstance(model, QAbstractProxyModel):
        _ask_anew(model.sourceModel())
    if model is not None and type(model).__module__.startswith("errorflow_viewer"):
        model.data = model.data  # type: ignore[method-assign]  # any would do
        del model.data
