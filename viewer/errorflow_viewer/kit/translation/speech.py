"""Which language the window speaks: what was chosen, that of the system, or English; switched while it is open."""

import os
from collections.abc import Collection
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QObject, QTranslator, Signal, SignalInstance

from errorflow.base.language import ENGLISH, LANGUAGES, Language, current, keep, use
from errorflow.case.session.model import Session
from errorflow.case.session.own_texts import names_of, own_texts
from errorflow.graph.model import Graph
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.translation import door
from errorflow_viewer.kit.translation.retelling import HOLDING, Held


# Keeps what users named and wrote out of the translator's hands.
class Told(Protocol):
    """A document, as far as texts of the user's own are in it."""

    changed: SignalInstance

    @property
    def graph(self) -> Graph | None: ...

    @property
    def session(self) -> Session: ...


class OwnTexts(QObject):
    """Follows a document: its notes, trials and names."""

    def __init__(self, document: Told, parent: QObject) -> None:
        super().__init__(parent)
        self._document = document
        self._graph: Graph | None = None
        self._names: frozenset[str] = frozenset()
        document.changed.connect(self._on_changed)

    def _on_changed(self, fields: Collection[str]) -> None:
        if not {"model", "place", "session"} & set(fields):
            return
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
        self.choice = _known(os.environ.get(VARIABLE, "")) or settings.language
        # What was chosen and no font here can show: English is spoken in its place.
        self.unreadable: Language | None = None
        parent.destroyed.connect(_english)
        self._speak(self._readable())

    def follow(self, document: Told) -> None:
        """What users wrote in it stays as they wrote it."""
        OwnTexts(document, self)

    def choose(self, choice: str) -> None:
        """A key of LANGUAGES, or "system"."""
        self.choice = self._settings.language = choice
        key = self._readable()
        if key != current().key:
            held = Held()
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
    """As for whoever comes after in the same process."""
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
    """Where Qt's own texts are: in PySide6, or in a bundle."""
    return str(Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)))
