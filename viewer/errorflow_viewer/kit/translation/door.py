"""The door to Qt: while another language is spoken, its methods that take texts translate them first.

The code of the window says, compares and reads English only; see docs/decisions/0011. To add a method: a row in `rows`.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractItemModel, QObject, Qt

from errorflow.base.language import ENGLISH, LanguageText, Verbatim, translated, use
from errorflow.base.values import word_list

if TYPE_CHECKING:
    from errorflow_viewer.kit.translation.rows import MethodRow

# Of so many texts is remembered what they are in English.
_KEPT = 60_000
# Where a thing keeps what its texts are in English; a few, as some change many times a second.
_OF_ONE = 400
_OWN = "_errorflow_told"
# A model of ours that says so is shown as it is: what it holds was not written for the window.
VERBATIM = "is_verbatim"
_READ_BY_USERS = frozenset(
    (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.StatusTipRole,
     Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.AccessibleDescriptionRole)
)  # fmt: skip
_KEYWORDS = frozenset(
    word_list("text title toolTip statusTip placeholderText windowTitle accessibleName label caption filter")
)
# Texts that know more than Qt keeps of them.
_KNOWING = (LanguageText, Verbatim)
Wrapper = Callable[[Callable[..., Any], Any], Any]
# What each of these was before, to be put back.
_before: dict[tuple[type, str], Any] = {}
_english: dict[str, str] = {}
_spoken: set[type] = set()
_open = False


def said(text: str, label: bool = True) -> str:
    """A text as the window shows it; what it is in English is remembered."""
    result = translated(text, label)
    if result is not text and result != text:
        if len(_english) >= _KEPT:
            _english.clear()
        _english[result] = text
        if "&" in result:  # as Qt makes a tip of it
            _english[_plain(result)] = _plain(text)
        return Verbatim(result)  # a model hands it to that of the class above
    return result


def english(text: str) -> str:
    """Finds what a shown text is in the code; one that was never translated is that already."""
    return _english.get(text, text)


def _plain(text: str) -> str:
    return text.replace("&", "").removesuffix("…")


def speak(key: str) -> None:
    """Speaks one language in a process of its own, from its start to its end."""
    if use(key) is not ENGLISH:
        open_door()


def open_door() -> None:
    """Opens the door: from now on texts are translated on their way to Qt."""
    global _open
    if _open:
        return
    _open = True
    # Loaded here: English has no use for it.
    from errorflow_viewer.kit.translation.rows import DATA, GETTERS, MODELS, PAINTED, SETTERS, STATIC, MethodRow

    for rows, wrapper in ((SETTERS, _in), (DATA, _kept), (PAINTED, _painted), (GETTERS, _out), (STATIC, _asked)):
        for row in rows:
            for name in row.methods:
                _replace(_owner(row.owner, name), name, wrapper, row)
    for model in MODELS:
        _replace(model, "__init__", _made, MethodRow(model, ("__init__",)))
    for model in _below(QAbstractItemModel):
        _speak(model)


def stand_by(methods: Iterable[tuple[type, str]]) -> None:
    """English: things remember the texts that another language would find by more than their words."""
    for cls, name in methods:
        _replace(_owner(cls, name), name, _held, None)


def own_text(thing: object, text: str) -> str:
    """The text that the thing was given, of which Qt keeps the words."""
    found: str = getattr(thing, _OWN, {}).get(text, text)
    return found


def close_door() -> None:
    """Qt is as it was, and nothing costs anything."""
    global _open
    _open = False
    for (owner, name), given in _before.items():
        setattr(owner, name, given)
    _before.clear()


def _owner(cls: type, name: str) -> type:
    """The class that has the method itself: one below it may be asked for what it inherits."""
    return next(each for each in cls.__mro__ if name in each.__dict__)


def _replace(owner: type, name: str, wrapper: Wrapper, row: "MethodRow | None") -> None:
    if (owner, name) not in _before:
        _before[owner, name] = owner.__dict__[name]
        setattr(owner, name, wrapper(getattr(owner, name), row))


def _like(given: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Names a method like another, without its text of help: reading that of Qt's methods has PySide read a whole
    class.
    """
    return wraps(given, assigned=("__module__", "__name__", "__qualname__"))


def _in(given: Callable[..., Any], row: "MethodRow") -> Callable[..., Any]:
    """Texts are translated: the first one, or those at the places that the row names. A thing remembers its own."""

    @_like(given)
    def translating(self: Any, *arguments: Any, **named: Any) -> Any:
        told = _told(arguments, row.places)
        made = given(self, *told, **_named(named))
        _remember(made if isinstance(made, QObject) else self, arguments, told)
        return made

    return translating


def _held(given: Callable[..., Any], _: None) -> Callable[..., Any]:
    """Texts go as they are; a thing remembers those that know more than Qt keeps of them."""

    @_like(given)
    def remembering(self: Any, *arguments: Any, **named: Any) -> Any:
        made = given(self, *arguments, **named)
        for value in arguments:
            if isinstance(value, _KNOWING) or type(value) is list:
                texts = value if type(value) is list else [value]
                known = [text for text in texts if isinstance(text, _KNOWING)]
                _remember(made if isinstance(made, QObject) else self, known, known)
        return made

    return remembering


def _remember(thing: Any, given: Sequence[Any], told: Sequence[Any]) -> None:
    """Remembers the thing's texts in English, and which of them are names."""
    pairs = [pair for pair in zip(given, told, strict=True) if pair[0] is not pair[1] or isinstance(pair[0], _KNOWING)]
    if pairs:
        own = vars(thing).setdefault(_OWN, {})
        if len(own) >= _OF_ONE:
            own.clear()
        for text, shown in pairs:
            own.update(zip(shown, text, strict=True) if isinstance(shown, list) else ((shown, text),))


def _told(arguments: tuple[Any, ...], places: tuple[int, ...] | None) -> Sequence[Any]:
    if places is None:
        first = next((place for place, value in enumerate(arguments) if isinstance(value, str | list | tuple)), -1)
        places = (first,)
    return [_any(value, True) if place in places else value for place, value in enumerate(arguments)]


def _named(named: dict[str, Any]) -> dict[str, Any]:
    return {key: _any(value, True) if key in _KEYWORDS else value for key, value in named.items()}


def _kept(given: Callable[..., Any], row: "MethodRow") -> Callable[..., Any]:
    """Keeps data in a role, which stands at the place of the row; most of them are keys that are never read."""
    place = row.places[0] if row.places else 0

    @_like(given)
    def translating(self: Any, *arguments: Any) -> Any:
        role = arguments[place] if len(arguments) > place else Qt.ItemDataRole.UserRole
        told = [_any(value, True) for value in arguments] if role in _READ_BY_USERS else arguments
        _remember(self, arguments, told)
        return given(self, *told)

    return translating


def _painted(given: Callable[..., Any], _: "MethodRow") -> Callable[..., Any]:
    """Passes on what is painted and measured and may be a name: of an operator it stays one."""

    @_like(given)
    def translating(self: Any, *arguments: Any, **named: Any) -> Any:
        return given(self, *[said(value, False) if isinstance(value, str) else value for value in arguments], **named)

    return translating


def _asked(given: Callable[..., Any], row: "MethodRow") -> Any:
    """A dialog that answers: the answer is in English again."""

    @_like(given)
    def translating(*arguments: Any, **named: Any) -> Any:
        return _back(given(*_told(arguments, row.places), **_named(named)))

    return staticmethod(translating)


def _out(given: Callable[..., Any], _: "MethodRow") -> Callable[..., Any]:
    """Returns English again: what the thing itself was told, as several texts may be one in the other language."""

    @_like(given)
    def english_again(self: Any, *arguments: Any) -> Any:
        shown = given(self, *arguments)
        own = getattr(self, _OWN, None)
        return own[shown] if own and isinstance(shown, str) and shown in own else _back(shown)

    return english_again


def _any(value: Any, label: bool) -> Any:
    """A text, or a list of them."""
    if isinstance(value, str):
        return said(value, label)
    if isinstance(value, list | tuple) and value and all(isinstance(each, str) for each in value):
        return [said(each, label) for each in value]
    return value


def _back(value: Any) -> Any:
    if isinstance(value, str):
        return english(value)
    return tuple(map(_back, value)) if isinstance(value, tuple) else value


def _made(given: Callable[..., Any], _: "MethodRow") -> Callable[..., Any]:
    """A model of a class that was loaded after the door was opened."""

    @_like(given)
    def speaking(self: Any, *arguments: Any, **named: Any) -> Any:
        for cls in type(self).__mro__:
            _speak(cls)
        return given(self, *arguments, **named)

    return speaking


def _below(cls: type) -> Iterable[type]:
    below: list[type] = cls.__subclasses__()
    for each in below:
        yield each
        yield from _below(each)


def _speak(cls: type) -> None:
    """Translates, while the door is open, what a model of ours gives to be read."""
    if cls in _spoken or not cls.__module__.startswith("errorflow_viewer") or vars(cls).get(VERBATIM, False):
        return
    _spoken.add(cls)
    if "data" in cls.__dict__:
        cls.data = _data(cls.data)  # type: ignore[attr-defined]  # it is a model
    if "headerData" in cls.__dict__:
        cls.headerData = _header(cls.headerData)  # type: ignore[attr-defined]  # it is a model


def _data(given: Callable[..., Any]) -> Callable[..., Any]:
    @_like(given)
    def translating(self: Any, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        value = given(self, index, role)
        return said(value, False) if _open and isinstance(value, str) and role in _READ_BY_USERS else value

    return translating


def _header(given: Callable[..., Any]) -> Callable[..., Any]:
    @_like(given)
    def translating(self: Any, section: int, orientation: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        value = given(self, section, orientation, role)
        return said(value) if _open and isinstance(value, str) and role in _READ_BY_USERS else value

    return translating
