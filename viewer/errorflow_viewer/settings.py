"""What the app remembers between two starts. Rubbish in the file counts as nothing remembered."""

import json
from pathlib import Path
from typing import Literal, cast, get_args

from PySide6.QtCore import QByteArray, QSettings

from errorflow.language import LANGUAGES
from errorflow_viewer.drawings import VIEWS, View
from errorflow_viewer.recent import Recent, files_of, folder_of, parsed, text_of

RECENTS = 12
# Of so many models it is remembered what they were fed with.
SAMPLES_OF = 40
PICTURE_SCALES = (1, 2, 3, 4)
ThemeChoice = Literal["system", "light", "dark"]
THEME_CHOICES = get_args(ThemeChoice)
# Bump when docks or toolbars change so much that an old layout would look broken.
LAYOUT_VERSION = 5


class Settings:
    """Typed entrances to a `QSettings`."""

    def __init__(self, store: QSettings) -> None:
        self._store = store

    @property
    def theme(self) -> ThemeChoice:
        value = self._store.value("look/theme")
        return cast(ThemeChoice, value) if value in THEME_CHOICES else "system"

    @theme.setter
    def theme(self, choice: ThemeChoice) -> None:
        self._store.setValue("look/theme", choice)

    @property
    def language(self) -> str:
        """A key of `errorflow.language.LANGUAGES`, or "system"."""
        value = self._text("look/language")
        return value if value in {each.key for each in LANGUAGES} else "system"

    @language.setter
    def language(self, choice: str) -> None:
        self._store.setValue("look/language", choice)

    def view_of(self, path: Path) -> View:
        """How the graph of a model is laid out; a choice goes with the model, and is forgotten with it."""
        return self._views().get(str(path), "auto")

    def set_view_of(self, path: Path, view: View) -> None:
        known = {str(file) for recent in self.recents for file in files_of(recent)}
        views = {name: chosen for name, chosen in {**self._views(), str(path): view}.items() if name in known}
        self._store.setValue("files/views", json.dumps({name: v for name, v in views.items() if v != "auto"}))

    def _views(self) -> dict[str, View]:
        try:
            rows = json.loads(self._text("files/views"))
        except (ValueError, RecursionError):
            return {}
        return {name: view for name, view in rows.items() if view in VIEWS} if isinstance(rows, dict) else {}

    def samples_of(self, model: Path) -> object:
        """What was given to run a model with, as whoever kept it wrote it; None: nothing."""
        return self._samples().get(str(model))

    def set_samples_of(self, model: Path, rows: object) -> None:
        others = {name: kept for name, kept in self._samples().items() if name != str(model)}
        newest = dict([*others.items(), (str(model), rows)][-SAMPLES_OF:])
        self._store.setValue("simulate/samples", json.dumps(newest))

    def _samples(self) -> dict[str, object]:
        try:
            rows = json.loads(self._text("simulate/samples"))
        except (ValueError, RecursionError):
            return {}
        return rows if isinstance(rows, dict) else {}

    def view_of_kind(self, kind: str) -> str:
        """The inspector's view that was chosen last for such a tensor; "": none."""
        return self._text(f"inspector/{kind}")

    def set_view_of_kind(self, kind: str, view: str) -> None:
        self._store.setValue(f"inspector/{kind}", view)

    def is_on(self, switch: str, otherwise: bool) -> bool:
        """Whether something that can be switched is on; `otherwise` counts while nobody has touched it."""
        value = self._store.value(f"graph/{switch}")
        return value in (True, "true") if value in (True, False, "true", "false") else otherwise

    def switch(self, switch: str, on: bool) -> None:
        self._store.setValue(f"graph/{switch}", on)

    @property
    def geometry(self) -> QByteArray:
        return self._bytes("window/geometry")

    @geometry.setter
    def geometry(self, value: QByteArray) -> None:
        self._store.setValue("window/geometry", value)

    @property
    def layout(self) -> QByteArray:
        return self._bytes("window/layout")

    @layout.setter
    def layout(self, value: QByteArray) -> None:
        self._store.setValue("window/layout", value)

    def plot_geometry(self, key: str) -> QByteArray:
        """Of the large window of one kind of plot."""
        return self._bytes(f"plots/{key}")

    def set_plot_geometry(self, key: str, value: QByteArray) -> None:
        self._store.setValue(f"plots/{key}", value)

    @property
    def last_folder(self) -> str:
        value = self._store.value("files/folder")
        return value if isinstance(value, str) and _is_folder(value) else str(Path.home())

    def export_folder(self, beside: Path | None) -> str:
        """Where what was last written of the models of that folder went; at first there. None: of no folder."""
        value, of = self._store.value("files/export"), self._store.value("files/export-of")
        known = (value if of == _of(beside) else None, None if beside is None else str(beside))
        return next((path for path in known if isinstance(path, str) and _is_folder(path)), str(Path.home()))

    def remember_export(self, folder: Path, beside: Path | None) -> None:
        self._store.setValue("files/export", str(folder))
        self._store.setValue("files/export-of", _of(beside))

    @property
    def picture_scale(self) -> int:
        """How many times as fine as the screen pictures are."""
        value = self._store.value("files/scale")
        return next((scale for scale in PICTURE_SCALES if str(scale) == str(value)), 2)

    @picture_scale.setter
    def picture_scale(self, scale: int) -> None:
        self._store.setValue("files/scale", scale)

    @property
    def recents(self) -> tuple[Recent, ...]:
        """What was opened last, newest first; whether it still exists, `recents` finds out in the background."""
        value = self._store.value("files/recent")
        names = [value] if isinstance(value, str) else value
        if not isinstance(names, list):
            return ()
        found = (parsed(name) for name in names)
        return tuple(recent for recent in found if recent is not None)[:RECENTS]

    def add_recent(self, recent: Recent) -> None:
        others = [text_of(other) for other in self.recents if other != recent]
        self._store.setValue("files/recent", [text_of(recent), *others][:RECENTS])
        if folder := folder_of(recent):
            self._store.setValue("files/folder", folder)

    def remove_recent(self, recent: Recent) -> None:
        self._store.setValue("files/recent", [text_of(other) for other in self.recents if other != recent])

    def clear_recents(self) -> None:
        self._store.remove("files/recent")

    @property
    def reopens(self) -> bool:
        """Whether the model of the last time is opened at the start."""
        return self._store.value("start/reopen") not in (False, "false")

    @reopens.setter
    def reopens(self, on: bool) -> None:
        self._store.setValue("start/reopen", on)

    @property
    def last_model(self) -> str:
        """What was on view at the end, as `errorflow_viewer.reopening` writes it; "" if nothing was."""
        return self._text("start/model")

    @last_model.setter
    def last_model(self, text: str) -> None:
        self._store.setValue("start/model", text)

    @property
    def on_trial(self) -> str:
        """The file that is being opened again, until that went well."""
        return self._text("start/trial")

    @on_trial.setter
    def on_trial(self, file: str) -> None:
        self._store.setValue("start/trial", file)

    def flush(self) -> None:
        self._store.sync()

    def _text(self, key: str) -> str:
        value = self._store.value(key)
        return value if isinstance(value, str) else ""

    def _bytes(self, key: str) -> QByteArray:
        value = self._store.value(key)
        return value if isinstance(value, QByteArray) else QByteArray()


def _of(folder: Path | None) -> str:
    return "" if folder is None else str(folder)


def _is_folder(name: str) -> bool:
    try:
        return bool(name) and Path(name).is_dir()
    except (OSError, ValueError):
        return False


def is_file(path: Path) -> bool:
    """Whether it is there and can be asked for."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # a dead network drive, a NUL in the name
        return False
