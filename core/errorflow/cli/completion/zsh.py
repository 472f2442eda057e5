"""Completion for zsh: a file for a folder of `fpath`; may be read with `source` as well."""

from collections.abc import Iterator

from errorflow.cli.completion.grammar import ArgumentValue, CommandGrammar, Option, Program


def script(program: Program) -> str:
    ours = "_" + "".join(letter if letter.isalnum() else "_" for letter in program.name)
    lines = [
        f"#compdef {program.name}",
        f"# What zsh offers after `{program.name}`.",
        f"# For this user: {program.name} --completion zsh > a folder of $fpath/_{program.name}",
        "",
        f"{ours}() {{",
        "    local context state state_descr line ret=1",
        "    typeset -A opt_args",
        *(_with_commands(program) if program.commands else _specs(program.own, "    ")),
        "    return ret",
        "}",
        "",
        f"if [[ $funcstack[1] == _{program.name} ]]; then",
        f'    {ours} "$@"',
        "else",
        f"    compdef {ours} {program.name}",
        "fi",
        "",
    ]
    return "\n".join(lines)


def _with_commands(program: Program) -> Iterator[str]:
    yield "    _arguments -C \\"
    for option in program.own.options:
        yield f"        {_option(option)} \\"
    yield "        ': :->command' '*:: :->arguments' && ret=0"
    yield "    case $state in"
    yield "    command)"
    yield "        local -a commands=("
    for command in program.commands:
        yield f"            {_quoted(f'{command.name}:{command.help}')}"
    yield "        )"
    yield "        _describe -t commands command commands && ret=0"
    yield "        ;;"
    yield "    arguments)"
    yield "        case $words[1] in"
    for command in program.commands:
        yield f"        {command.name})"
        yield from _specs(command, "            ")
        yield "            ;;"
    yield "        esac"
    yield "        ;;"
    yield "    esac"


def _specs(command: CommandGrammar, indent: str) -> Iterator[str]:
    rows = [_option(option) for option in command.options]
    for place, value in enumerate(command.arguments, 1):
        last = command.many and place == len(command.arguments)
        start = "*" if last else f"{place}"
        rows.append(_quoted(f"{start}:{_escaped(value.name)}:{_action(value)}"))
    yield f"{indent}_arguments \\"
    for row in rows[:-1]:
        yield f"{indent}    {row} \\"
    yield f"{indent}    {rows[-1]} && ret=0"


def _option(option: Option) -> str:
    """Writes an option as `_arguments` reads it; of several names, one excludes the others."""
    value = option.value
    takes = "" if value.kind == "nothing" else f"{':' * (1 + value.optional)}{_escaped(value.name)}:{_action(value)}"
    said = f"[{_escaped(option.help)}]{takes}"
    lead = "*" if option.repeatable else f"({' '.join(option.names)})" if len(option.names) > 1 else ""
    return " ".join(_quoted(f"{lead}{_named(name, value)}{said}") for name in option.names)


def _named(name: str, value: ArgumentValue) -> str:
    return f"{name}=" if name.startswith("--") and value.kind != "nothing" else name


def _action(value: ArgumentValue) -> str:
    if value.kind == "words":
        return f"({' '.join(value.words)})"
    if value.kind == "folder":
        return "_files -/"
    if value.kind == "file":
        return f'_files -g "*.({"|".join(value.suffixes)})(-.)"' if value.suffixes else "_files"
    return " "


def _escaped(text: str) -> str:
    return "".join(f"\\{letter}" if letter in "[]:\\" else letter for letter in text)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
