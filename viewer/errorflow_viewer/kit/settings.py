"""Settings that the app remembers between two starts. Rubbish in the file counts as nothing remembered."""

import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, cast, get_args

from PySide6.QtCore import QByteArray

from errorflow.base.allowance import LEAST_MEMORY, MOST_CORES, MOST_MEMORY
from errorflow.base.codec import Between, Most, as_json
from errorflow.base.language import LANGUAGES
from errorflow.case.session.model import PALETTES, Painting, Palette
from errorflow_viewer.kit.drawings import VIEWS, View
from errorflow_viewer.kit.recent import Recent, files_of, folder_of, parsed, text_of
from errorflow_viewer.kit.stored import Stored

RECENTS = 12
# Of so many models it is remembered what they were fed with.
SAMPLES_OF = 40
PICTURE_SCALES = (1, 2, 3, 4)
ThemeChoice = Literal["system", "light", "dark"]
THEME_CHOICES = get_args(ThemeChoice)
MotionChoice = Literal["system", "on", "off"]
# In percent.
TEXT_SIZES = (80, 90, 100, 110, 125, 150, 175, 200)
# Bump when docks or toolbars change so much that an old layout would look broken.
LAYOUT_VERSION = 5
# Of a side of the window in px; more is rubbish.
WIDEST = 20_000
_Width = Annotated[int, Between(1, WIDEST - 1)]
_Keys = Annotated[tuple[str, ...], Most(100)]


class Settings(Stored):
    """Typed entrances to what is stored. What this version does not know is kept, and a value that it does not know
    counts as its default until the user chooses another."""

    @property
    def theme(self) -> ThemeChoice:
        value = self._store.value("look/theme")
        return cast(ThemeChoice, value) if value in THEME_CHOICES else "system"

    @theme.setter
    def theme(self, choice: ThemeChoice) -> None:
        self._store.setValue("look/theme", choice)

    @property
    def language(self) -> str:
        """A key of `errorflow.base.language.LANGUAGES`, or "system"."""
        value = self._text("look/language")
        return value if value in {each.key for each in LANGUAGES} else "system"

    @language.setter
    def language(self, choice: str) -> None:
        self._store.setValue("look/language", choice)

    def view_of(self, path: Path) -> View:
        """Finds how the graph of a model is laid out; a choice goes with the model, and is forgotten with it."""
        return self._views().get(str(path), "auto")

    def set_view_of(self, path: Path, view: View) -> None:
        with self._alone():
            known = {str(file) for recent in self.recents for file in files_of(recent)}
            views = {**self._rows("files/views", str), str(path): view}
            kept = {name: v for name, v in views.items() if name in known and v != "auto"}
            self._store.setValue("files/views", as_json(kept))

    def _views(self) -> dict[str, View]:
        return {name: view for name, view in self._rows("files/views", str).items() if view in VIEWS}

    def samples_of(self, model: Path) -> object:
        """Finds what was given to run a model with, as it was written; None: nothing."""
        return self._rows("simulate/samples", Any).get(str(model))

    def set_samples_of(self, model: Path, given: object) -> None:
        with self._alone():
            others = {name: kept for name, kept in self._rows("simulate/samples", Any).items() if name != str(model)}
            newest = dict([*others.items(), (str(model), given)][-SAMPLES_OF:])
            self._store.setValue("simulate/samples", as_json(newest))

    def view_of_kind(self, kind: str) -> str:
        """The inspector's view that was chosen last for such a tensor; "": none."""
        return self._text(f"inspector/{kind}")

    def set_view_of_kind(self, kind: str, view: str) -> None:
        self._store.setValue(f"inspector/{kind}", view)

    def is_on(self, switch: str, otherwise: bool) -> bool:
        """Whether something that can be switched is on; `otherwise` counts before the user's first switch."""
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
        """Layout of this version; at first that of the versions before, which `LAYOUT_VERSION` tells apart."""
        own = self._bytes(f"window/layout-{LAYOUT_VERSION}")
        return self._bytes("window/layout") if own.isEmpty() else own

    @layout.setter
    def layout(self, value: QByteArray) -> None:
        self._store.setValue(f"window/layout-{LAYOUT_VERSION}", value)

    @property
    def sides(self) -> dict[str, tuple[int, int]]:
        """Widths that sides of the layout are meant to have and those that they have in it, where these differ."""
        if self._rows("window/sides", int).get("of") != _mark(self.layout):  # another version has written one since
            return {}
        return self._rows("window/sides", tuple[_Width, _Width])

    @sides.setter
    def sides(self, value: dict[str, tuple[int, int]]) -> None:
        """Sets the widths after the layout that they are of."""
        self._store.setValue("window/sides", as_json({**value, "of": _mark(self.layout)}))

    def plot_geometry(self, key: str) -> QByteArray:
        """Finds the geometry of the large window of one kind of plot."""
        return self._bytes(f"plots/{key}")

    def set_plot_geometry(self, key: str, value: QByteArray) -> None:
        self._store.setValue(f"plots/{key}", value)

    @property
    def last_folder(self) -> str:
        return self.said_folder if self._is_folder(self.said_folder) else str(Path.home())

    @property
    def said_folder(self) -> str:
        """The same, whether it is there or not."""
        return self._text("files/folder")

    def _is_folder(self, name: str) -> bool:
        return name not in self.unanswered and _is_folder(name)

    def export_folder(self, beside: Path | None) -> str:
        """Finds where what was last written of the models of that folder went; at first there. None: of no folder."""
        value, of = self._store.value("files/export"), self._store.value("files/export-of")
        known = (value if of == _of(beside) else None, None if beside is None else str(beside))
        return next((path for path in known if isinstance(path, str) and self._is_folder(path)), str(Path.home()))

    def remember_export(self, folder: Path, beside: Path | None) -> None:
        self._store.setValue("files/export", str(folder))
        self._store.setValue("files/export-of", _of(beside))

    @property
    def picture_scale(self) -> int:
        """Number of times that pictures are as fine as the screen."""
        value = self._store.value("files/scale")
        return next((scale for scale in PICTURE_SCALES if str(scale) == str(value)), 2)

    @picture_scale.setter
    def picture_scale(self, scale: int) -> None:
        self._store.setValue("files/scale", scale)

    @property
    def recents(self) -> tuple[Recent, ...]:
        """Recent entries, newest first; whether they still exist, `recents` finds out in the background."""
        found = (parsed(text) for text in self._recent_texts())
        return tuple(recent for recent in found if recent is not None)[:RECENTS]

    def add_recent(self, recent: Recent) -> None:
        """Adds a recent entry, unless the user wants none to be remembered."""
        if folder := folder_of(recent):
            self._store.setValue("files/folder", folder)
        if not self.keeps_recents:
            return
        with self._alone():
            kept = [text_of(recent), *self._others(recent)]
            self._store.setValue("files/recent", _shortened(kept))
            times = {**self._opened(), text_of(recent): round(time.time())}
            self._store.setValue("files/opened", as_json({text: times[text] for text in kept if text in times}))

    def remove_recent(self, recent: Recent) -> None:
        with self._alone():
            self._store.setValue("files/recent", self._others(recent))

    def _others(self, recent: Recent) -> list[str]:
        """Lists others with those that a newer version has written and this one cannot read."""
        return [text for text in self._recent_texts() if parsed(text) != recent and _may_be_recent(text)]

    def _recent_texts(self) -> list[str]:
        value = self._store.value("files/recent")
        names = [value] if isinstance(value, str) else value
        return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []

    @property
    def keeps_recents(self) -> bool:
        """Whether it is remembered what was opened."""
        return self._store.value("files/keep") not in (False, "false")

    @keeps_recents.setter
    def keeps_recents(self, on: bool) -> None:
        self._store.setValue("files/keep", on)

    def clear_recents(self) -> None:
        self._store.remove("files/recent")
        self._store.remove("files/opened")

    def opened_at(self, recent: Recent) -> int:
        """Finds when it was opened last, in seconds since 1970; 0 where that is unknown."""
        return self._opened().get(text_of(recent), 0)

    def _opened(self) -> dict[str, int]:
        return self._rows("files/opened", int)

    @property
    def tour_step(self) -> str:
        """The step at which the tour was left; "": at none."""
        return self._text("start/tour")

    @tour_step.setter
    def tour_step(self, key: str) -> None:
        self._store.setValue("start/tour", key)

    @property
    def reopens(self) -> bool:
        """Whether the model of the last time is opened at the start."""
        return self._store.value("start/reopen") not in (False, "false")

    @reopens.setter
    def reopens(self, on: bool) -> None:
        self._store.setValue("start/reopen", on)

    @property
    def last_model(self) -> str:
        """Model on view at the end, as `errorflow_viewer.document.reopening` writes it; "" if none was."""
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

    # What the settings page is about

    @property
    def palette(self) -> Palette:
        """Palette of errors, in sessions that are new."""
        value = self._text("look/palette")
        return value if value in PALETTES else Painting().palette

    @palette.setter
    def palette(self, choice: Palette) -> None:
        self._store.setValue("look/palette", choice)

    @property
    def text_size(self) -> int:
        """Size in percent."""
        value = str(self._store.value("look/text"))
        return next((size for size in TEXT_SIZES if str(size) == value), 100)

    @text_size.setter
    def text_size(self, percent: int) -> None:
        self._store.setValue("look/text", percent)

    @property
    def reduced_motion(self) -> MotionChoice:
        """Choice of the switch in the menu Drawing; "system" before the user's first one."""
        value = self._store.value("graph/still")
        return "on" if value in (True, "true") else "off" if value in (False, "false") else "system"

    @reduced_motion.setter
    def reduced_motion(self, choice: MotionChoice) -> None:
        if choice == "system":
            self._store.remove("graph/still")
        else:
            self.switch("still", choice == "on")

    @property
    def memory(self) -> int:
        """Megabytes of tensors that may be held at a time; 0: as many as suit the machine."""
        return self._number("work/memory", LEAST_MEMORY >> 20, MOST_MEMORY >> 20)

    @memory.setter
    def memory(self, megabytes: int) -> None:
        self._store.setValue("work/memory", megabytes)

    @property
    def cores(self) -> int:
        """Number of processes or threads that may work; 0: as many as suit the machine."""
        return self._number("work/cores", 1, MOST_CORES)

    @cores.setter
    def cores(self, count: int) -> None:
        self._store.setValue("work/cores", count)

    @property
    def cache(self) -> str:
        """The folder for what can be made again; "": that of the system."""
        value = self._text("files/cache")
        return value if value and "\0" not in value and Path(value).is_absolute() else ""

    @cache.setter
    def cache(self, folder: str) -> None:
        self._store.setValue("files/cache", folder)

    def keys_of(self, command: str) -> tuple[str, ...] | None:
        """The keys that the user gave a command, as Qt writes them; None: it has its own."""
        found: tuple[str, ...] | None = self._read(f"keys/{command}", _Keys, None)
        return found

    def set_keys_of(self, command: str, keys: Sequence[str] | None) -> None:
        if keys is None:
            self._store.remove(f"keys/{command}")
        else:
            self._store.setValue(f"keys/{command}", as_json(keys))


def _may_be_recent(text: str) -> bool:
    """Whether a text is an entry of this version or of a newer one, which may know more than files and comparisons."""
    return parsed(text) is not None or text.startswith("{")


def _shortened(texts: Sequence[str]) -> list[str]:
    """Shortens to as many as are shown, and as many that this version cannot show."""
    known = [text for text in texts if parsed(text) is not None][:RECENTS]
    unknown = [text for text in texts if parsed(text) is None][:RECENTS]
    return [text for text in texts if text in known or text in unknown]


def _of(folder: Path | None) -> str:
    return "" if folder is None else str(folder)


def _is_folder(name: str) -> bool:
    try:
        return bool(name) and Path(name).is_dir()
    except (OSError, ValueError):
        return False


def _mark(layout: QByteArray) -> int:
    return zlib.crc32(layout.data())
