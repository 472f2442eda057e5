"""Grammar of a program as plain values: its commands, their options, and what kind of value each takes."""

from argparse import SUPPRESS, Action, ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from typing import Literal

from errorflow.base.values import dataclass

Kind = Literal["nothing", "text", "file", "folder", "words"]

# What a value is, by the word that the help has for it. Other words stand for texts, of which none are offered.
_FILES = {
    "MODEL": ("onnx", "json", "om", "prototxt", "textproto", "onnxtxt"),
    "MODEL|RUN": (),
    "SESSION": ("errorflow", "zip"),
    "NPY": ("npy",),
    "CSV": ("csv",),
    "FILE.svg": ("svg",),
    "PICTURE": ("svg", "png", "pdf"),
    "FILE": (),
    "TABLE": (),
    "CONFIG": (),
    "DUMP": (),
    "RUN": (),
    "PATH": (),
    "CANDIDATE": (),
    "REFERENCE": (),
    "ONE": (),
    "OTHER": (),
    "A": (),
    "A B": (),
}
_FOLDERS = frozenset(("DIR", "FOLDER"))


@dataclass(frozen=True, slots=True)
class ArgumentValue:
    """A value that follows an option or stands alone. `suffixes`: of the files that are offered first; empty: any."""

    kind: Kind
    name: str = ""
    words: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    # An option may do without it.
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Option:
    """One option under all its names."""

    names: tuple[str, ...]
    help: str
    value: ArgumentValue
    repeatable: bool = False


@dataclass(frozen=True, slots=True)
class CommandGrammar:
    """Command and what can be given after it; of the program itself, the name is empty."""

    name: str
    help: str
    options: tuple[Option, ...]
    arguments: tuple[ArgumentValue, ...]
    # The last argument may be given many times.
    many: bool


@dataclass(frozen=True, slots=True)
class Program:
    """A program with its commands, if it has any."""

    name: str
    own: CommandGrammar
    commands: tuple[CommandGrammar, ...]


def program_of(parser: ArgumentParser) -> Program:
    return Program(parser.prog, _command("", "", parser), tuple(_commands(parser)))


def _commands(parser: ArgumentParser) -> Iterator[CommandGrammar]:
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            helps = {each.dest: each.help for each in action._choices_actions}
            for name, command in action.choices.items():
                yield _command(name, _plain(helps.get(name)), command)


def _command(name: str, text: str, parser: ArgumentParser) -> CommandGrammar:
    shown = [action for action in parser._actions if action.help != SUPPRESS]
    options = [action for action in shown if action.option_strings]
    alone = [action for action in shown if not action.option_strings and not isinstance(action, _SubParsersAction)]
    return CommandGrammar(
        name,
        text,
        tuple(_option(action) for action in options),
        tuple(value_of(action) for action in alone),
        many=bool(alone) and alone[-1].nargs in ("*", "+"),
    )


def _option(action: Action) -> Option:
    names = tuple(action.option_strings)
    return Option(names, _plain(_help(action)), value_of(action), type(action).__name__ == "_AppendAction")


def value_of(action: Action) -> ArgumentValue:
    if action.nargs == 0:
        return ArgumentValue("nothing")
    optional = action.nargs == "?"
    if action.choices is not None:
        words = tuple(str(each) for each in action.choices)
        return ArgumentValue("words", _name(action), words, optional=optional)
    name = _name(action)
    if name in _FOLDERS:
        return ArgumentValue("folder", name, optional=optional)
    if name in _FILES:
        return ArgumentValue("file", name, suffixes=_FILES[name], optional=optional)
    return ArgumentValue("text", name, optional=optional)


def _name(action: Action) -> str:
    named = action.metavar[0] if isinstance(action.metavar, tuple) else action.metavar
    return named if named else action.dest.upper()


def _help(action: Action) -> str:
    """Text of the help with the defaults put in."""
    text = action.help if action.help else ""
    return text % {**vars(action), "prog": ""} if "%(" in text else text.replace("%%", "%")


def _plain(text: str | None) -> str:
    return " ".join(text.split()) if text else ""
