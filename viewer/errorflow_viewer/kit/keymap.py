"""Keymap: keys of a command, its own, or those that the user gave it."""

from collections.abc import Sequence
from weakref import WeakValueDictionary

from PySide6.QtCore import QKeyCombination, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

from errorflow_viewer.kit.settings import Settings

# Of one command.
MOST_KEYS = 8
_PORTABLE = QKeySequence.SequenceFormat.PortableText
_NATIVE = QKeySequence.SequenceFormat.NativeText


class Keymap(QObject):
    """Keys are texts as Qt writes them, such as `Ctrl+O`; what the settings say that makes none counts as nothing."""

    changed = Signal()

    @classmethod
    def of(cls, settings: Settings) -> "Keymap":
        """Finds the one of these settings: all its users hear of the same changes."""
        found = _SHARED.get(id(settings))
        if found is None:
            found = _SHARED[id(settings)] = cls(settings)
        return found

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        # By command; asked for whenever anything changes.
        self._known: dict[str, tuple[str, ...] | None] = {}

    def keys(self, command: str, own: Sequence[str]) -> tuple[str, ...]:
        """`own`: those that it has while the user gives it no others."""
        given = self._given(command)
        return tuple(own) if given is None else given

    def means(self, event: QKeyEvent, command: str, own: Sequence[str]) -> bool:
        """Whether a key that a panel got is one of the command's: there it does the same as in the graph."""
        pressed = QKeyCombination(event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier, Qt.Key(event.key()))
        return QKeySequence(pressed).toString(_PORTABLE) in map(portable, self.keys(command, own))

    def is_changed(self, command: str, own: Sequence[str]) -> bool:
        given = self._given(command)
        return given is not None and given != tuple(map(portable, own))

    def give(self, command: str, own: Sequence[str], keys: Sequence[str]) -> None:
        """Gives these keys and no others; its own again where they are the same."""
        wanted = tuple(dict.fromkeys(filter(None, map(portable, keys))))[:MOST_KEYS]
        same = wanted == tuple(map(portable, own))
        self._settings.set_keys_of(command, None if same else wanted)
        self._forget()

    def reset(self, *commands: str) -> None:
        """Gives each of them its own keys again."""
        for command in commands:
            self._settings.set_keys_of(command, None)
        self._forget()

    def _given(self, command: str) -> tuple[str, ...] | None:
        if command not in self._known:
            said = self._settings.keys_of(command)
            known = None if said is None else tuple(filter(None, map(portable, said)))[:MOST_KEYS]
            # Keys of a newer version, of which this one can read none, are no wish to have none.
            self._known[command] = None if said and not known else known
        return self._known[command]

    def _forget(self) -> None:
        self._known.clear()
        self.changed.emit()


# By the identity of their settings, which live as long as they do.
_SHARED: WeakValueDictionary[int, Keymap] = WeakValueDictionary()


class _Tip(QObject):
    """Tip of a widget that does what a command does; lives and dies with it."""

    def __init__(self, widget: QWidget, keymap: Keymap, text: str, command: str, own: Sequence[str]) -> None:
        super().__init__(widget)
        self._widget, self._keymap = widget, keymap
        self._text, self._command, self._own = text, command, own
        keymap.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        tip, keys = self._text, native("".join(self._keymap.keys(self._command, self._own)[:1]))
        self._widget.setToolTip(f"{tip} ({keys})" if keys else tip)


def tell_keys(widget: QWidget, settings: Settings, text: str, command: str, own: Sequence[str]) -> None:
    """A tip with the keys of the command that the widget stands for, as they are. `own`: those of its row."""
    _Tip(widget, Keymap.of(settings), text, command, own)


def portable(keys: str) -> str:
    """Writes keys as they are kept; "": Qt knows no such keys."""
    found = QKeySequence(keys, _PORTABLE)
    text = found.toString(_PORTABLE)
    return text if found.count() and all(each.key() for each in combinations(found)) else ""


def combinations(keys: QKeySequence) -> list[QKeyCombination]:
    """Lists those that are pressed one after the other."""
    return [keys[at] for at in range(keys.count())]  # type: ignore[index]  # the stubs do not know that it is


def native(keys: str) -> str:
    """Writes keys as the platform does."""
    return QKeySequence(keys).toString(_NATIVE)
