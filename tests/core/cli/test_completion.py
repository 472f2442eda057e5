"""What a program takes, as read from its parser; what shells make of it is tested with real ones."""

from argparse import SUPPRESS, ArgumentParser

import pytest

from errorflow.cli.completing import Completion
from errorflow.cli.completion import SHELLS
from errorflow.cli.completion.grammar import ArgumentValue, CommandGrammar, Option, program_of


@pytest.fixture
def parser() -> ArgumentParser:
    parser = ArgumentParser(prog="tool", add_help=False)
    parser.add_argument("--version", action="store_true", help="say it")
    commands = parser.add_subparsers()
    command = commands.add_parser("draw", help="make a picture", add_help=False)
    command.add_argument("files", nargs="+", metavar="MODEL")
    command.add_argument("-o", "--output", metavar="DIR", help="where; it's %(default)s", default="here")
    command.add_argument("--kind", choices=("a", "b"), action="append", help="50 %% of it")
    command.add_argument("--name")
    command.add_argument("--again", nargs="?", metavar="FILE")
    command.add_argument("--secret", help=SUPPRESS)
    return parser


def test_it_is_read_as_a_whole(parser: ArgumentParser) -> None:
    program = program_of(parser)
    assert program.name == "tool"
    assert program.own == CommandGrammar(
        "", "", (Option(("--version",), "say it", ArgumentValue("nothing")),), (), many=False
    )
    (command,) = program.commands
    assert (command.name, command.help, command.many) == ("draw", "make a picture", True)
    assert command.arguments[0].kind == "file" and "onnx" in command.arguments[0].suffixes
    assert command.options == (
        Option(("-o", "--output"), "where; it's here", ArgumentValue("folder", "DIR")),
        Option(("--kind",), "50 % of it", ArgumentValue("words", "KIND", ("a", "b")), repeatable=True),
        Option(("--name",), "", ArgumentValue("text", "NAME")),
        Option(("--again",), "", ArgumentValue("file", "FILE", optional=True)),
    )


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_names_all_of_it_and_nothing_hidden(shell: str, parser: ArgumentParser) -> None:
    text = SHELLS[shell](program_of(parser))
    assert all(word in text for word in ("tool", "draw", "output", "kind", "name", "again", "version"))
    assert "secret" not in text


def test_the_option_knows_every_shell() -> None:
    assert tuple(SHELLS) == Completion(["--completion"], "completion", "print it").choices
