"""Completion for fish."""

from collections.abc import Iterator

from errorflow.cli.completion.grammar import ArgumentValue, CommandGrammar, Option, Program


def script(program: Program) -> str:
    return "\n".join((*_lines(program), ""))


def _lines(program: Program) -> Iterator[str]:
    name = program.name
    yield f"# What fish offers after `{name}`."
    yield f"# For this user: {name} --completion fish > ~/.config/fish/completions/{name}.fish"
    yield f"complete -c {name} -f"
    for option in program.own.options:
        yield f"complete -c {name}{_first(program)} {_option(option)}"
    for command in program.commands:
        yield f"complete -c {name} -n __fish_use_subcommand -a {command.name} -d {_quoted(command.help)}"
    for command in program.commands if program.commands else (program.own,):
        where = f" -n '__fish_seen_subcommand_from {command.name}'" if command.name else ""
        if command.name:
            for option in command.options:
                yield f"complete -c {name}{where} {_option(option)}"
        yield from (f"complete -c {name}{where} {offer}" for offer in _alone(command))


def _first(program: Program) -> str:
    return " -n __fish_use_subcommand" if program.commands else ""


def _alone(command: CommandGrammar) -> list[str]:
    return [_offer(command.arguments[0])] if command.arguments and command.arguments[0].kind != "text" else []


def _option(option: Option) -> str:
    names = " ".join(_named(name) for name in option.names)
    value = option.value
    takes = "" if value.kind == "nothing" or value.optional else f" {_offer(value)}" if value.kind != "text" else " -x"
    return f"{names}{takes} -d {_quoted(option.help)}"


def _named(name: str) -> str:
    if name.startswith("--"):
        return f"-l {name[2:]}"
    return f"-s {name[1:]}" if len(name) == 2 else f"-o {name[1:]}"


def _offer(value: ArgumentValue) -> str:
    if value.kind == "words":
        return f"-x -a {_quoted(' '.join(value.words))}"
    if value.kind == "folder":
        return "-x -a '(__fish_complete_directories)'"
    if value.suffixes:
        calls = " ".join(f"(__fish_complete_suffix .{suffix})" for suffix in value.suffixes)
        return f"-x -k -a {_quoted(calls)}"
    return "-r -F" if value.kind == "file" else "-x"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
