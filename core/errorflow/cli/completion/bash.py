"""Completion for bash, from 3.2 on: needs no package of completions beside it."""

from collections.abc import Iterator
from shlex import quote

from errorflow.cli.completion.grammar import ArgumentValue, CommandGrammar, Program

_HEAD = """\
# What bash offers after `{name}`.
# For this user: {name} --completion bash > ~/.local/share/bash-completion/completions/{name}

_{id}_take() {{
    local line
    while IFS= read -r line; do COMPREPLY+=("$line"); done
}}

_{id}_words() {{
    _{id}_take < <(compgen -W "$1" -- "$cur")
}}

_{id}_folders() {{
    type compopt &>/dev/null && compopt -o filenames
    _{id}_take < <(compgen -d -- "$cur")
}}

# Files of these kinds and the folders that they may lie in; all files where there are none.
_{id}_files() {{
    local kind
    type compopt &>/dev/null && compopt -o filenames
    for kind in "$@"; do _{id}_take < <(compgen -f -X "!*.$kind" -- "$cur"); done
    if ((${{#COMPREPLY[@]}} || $# == 0)); then
        (($#)) && _{id}_take < <(compgen -d -- "$cur")
    fi
    ((${{#COMPREPLY[@]}})) || _{id}_take < <(compgen -f -- "$cur")
}}

_{id}() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} option=${{COMP_WORDS[COMP_CWORD - 1]}} command="" each
    COMPREPLY=()
    if [[ $cur == "=" ]]; then
        cur=""
    elif [[ $option == "=" ]]; then
        option=${{COMP_WORDS[COMP_CWORD - 2]}}
    fi
    cur=${{cur#[\\"\\']}}
"""
_TAIL = """\
}}

complete -F _{id} {name}
"""


def script(program: Program) -> str:
    ours = "".join(letter if letter.isalnum() else "_" for letter in program.name)
    lines = _body(program, f"_{ours}")
    middle = "\n".join(f"    {line}" if line else "" for line in lines)
    return _HEAD.format(name=program.name, id=ours) + middle + "\n" + _TAIL.format(name=program.name, id=ours)


def _body(program: Program, ours: str) -> Iterator[str]:
    if program.commands:
        names = [command.name for command in program.commands]
        yield 'for each in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do'
        yield f"    case $each in {'|'.join(names)}) command=$each; break ;; esac"
        yield "done"
    everything = (program.own, *program.commands)
    yield "case $command,$option in"
    for command in everything:
        yield from _values(command, ours)
    yield "esac"
    yield "case $command,$cur in"
    for command in everything:
        names = [name for option in command.options for name in option.names]
        yield f"    {quote(command.name)},-*) {ours}_words {quote(' '.join(names))} ;;"
    for command in everything:
        yield f"    {quote(command.name)},*) {_alone(command, program, ours)} ;;"
    yield "esac"


def _values(command: CommandGrammar, ours: str) -> Iterator[str]:
    for option in command.options:
        if option.value.kind != "nothing" and not option.value.optional:
            names = "|".join(quote(f"{command.name},{name}") for name in option.names)
            yield f"    {names}) {_offer(option.value, ours)}; return ;;"


def _alone(command: CommandGrammar, program: Program, ours: str) -> str:
    """Writes the words that stand without an option: a command, or what the first argument is."""
    if not command.name and program.commands:
        return f"{ours}_words {quote(' '.join(each.name for each in program.commands))}"
    return _offer(command.arguments[0], ours) if command.arguments else ":"


def _offer(value: ArgumentValue, ours: str) -> str:
    if value.kind == "words":
        return f"{ours}_words {quote(' '.join(value.words))}"
    if value.kind == "folder":
        return f"{ours}_folders"
    return f"{ours}_files {' '.join(value.suffixes)}".rstrip() if value.kind == "file" else ":"
