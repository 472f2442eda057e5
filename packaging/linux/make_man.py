"""`python make_man.py SHARE`: the manual pages of both programs, made from what their parsers take.

SHARE is the `share` folder of what becomes a package. The date on the pages is that of SOURCE_DATE_EPOCH, if it is set.
"""

import os
import re
import sys
import time
from argparse import SUPPRESS, Action, ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from pathlib import Path

import errorflow
from errorflow.cli.main import INTERRUPTED, make_parser
from errorflow.compare.match import codes
from errorflow_viewer.app.start import make_parser as make_viewer_parser
from errorflow_viewer.kit.desktop_entry.options import USER_ERROR
from errorflow_viewer.kit.emergency import NO_WINDOW

SEE_ALSO = {"errorflow": "errorflow-viewer", "errorflow-viewer": "errorflow"}
SUMMARY = {
    "errorflow": "show where a converted or quantized neural network goes wrong",
    "errorflow-viewer": "show it in a window: the graph of a model, painted by its error",
}
STORY = {
    "errorflow": """\
Compares what two runs of one neural network left behind, tensor by tensor: a float model that works, and what became
of it by conversion or quantization. It says where the error is born and where it is only passed on, simulates
quantization, searches the fewest parts that must stay in float, and writes reports.

Nothing is sent anywhere, and no network is needed. Each command is described below;
`errorflow COMMAND --help` says the same.
""",
    "errorflow-viewer": """\
Opens models, sessions and comparisons in a window. A second start hands its files to the window that is open, unless
--new-instance is given. The manual is at F1.
""",
}
# Those that stand in for msaccucmp's end in its codes, of which this is the last.
OF_TOOL = ("compare", "convert", "overflow", "file_compare")
LAST_OF_TOOL = max(code for name, code in vars(codes).items() if name.isupper())
STATUS = {
    "errorflow": (
        ("0", "Done."),
        (
            "1",
            "Done, and what was asked for does not hold: a limit is broken, a step of the guide is not passed, two "
            "pipelines part, a checksum is wrong; with --exit-code there is a difference. A fault of the program, "
            "which leaves a traceback, ends with 1 as well.",
        ),
        (
            "2",
            "What was asked for cannot be done, or the call is wrong; a sentence on the standard error says why, and "
            "what to do. Of compare without a limit: some operator has no dump, which is usual.",
        ),
        (
            f"3 to {LAST_OF_TOOL}",
            f"Of {', '.join(OF_TOOL)}: what was asked for cannot be done, in the codes of msaccucmp.",
        ),
        (str(INTERRUPTED), "Interrupted."),
    ),
    "errorflow-viewer": (
        ("0", "The window was closed, its files went to the one that is open, or what needs no window is done."),
        ("1", "The self-test failed, or the screen went away while the window was open."),
        (
            str(USER_ERROR),
            "The call is wrong, or the settings or the entry in the menu cannot be changed; a sentence says why.",
        ),
        (str(NO_WINDOW), "There is no window; a sentence on the standard error, or in a box, says why and what to do."),
    ),
}
ENVIRONMENT = {
    "ERRORFLOW_LANGUAGE": "What the window and reports speak: en, zh_CN, or system.",
    "ERRORFLOW_CORES": "How many processes or threads work at a time, where no option says it.",
    "ERRORFLOW_MEMORY": "Of tensors, megabytes that are held at a time, or gigabytes: 512, 2G.",
    "ERRORFLOW_CACHE": "The folder for what can be made again.",
    "QT_QPA_PLATFORM": "How Qt shows the window; offscreen where there is no screen.",
}
FILES = (
    ("*.errorflow", "A session: what was opened and decided, as JSON."),
    ("~/.config/Errorflow/errorflow.conf", "The settings of the window."),
    ("~/.local/state/Errorflow/errorflow", "Its log, and sessions that were not saved."),
)


def page(parser: ArgumentParser) -> str:
    """One manual page."""
    return "\n".join((*_lines(parser), ""))


def _lines(parser: ArgumentParser) -> Iterator[str]:
    name = parser.prog
    when = time.gmtime(float(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    yield f'.TH {name.upper()} 1 {time.strftime("%Y-%m-%d", when)} "Errorflow {errorflow.__version__}" "User Commands"'
    yield from (".SH NAME", f"{escaped(name)} \\- {escaped(SUMMARY[name])}")
    yield ".SH SYNOPSIS"
    yield from _synopsis(parser)
    yield ".SH DESCRIPTION"
    yield from _text(STORY[name])
    yield ".SH OPTIONS"
    yield from _options(parser)
    commands = [action for action in parser._actions if isinstance(action, _SubParsersAction)]
    if commands:
        yield ".SH COMMANDS"
    for action in commands:
        for command in action.choices.values():
            yield from _command(command)
    yield from _ends(name)


def _command(parser: ArgumentParser) -> Iterator[str]:
    yield f".SS {escaped(parser.prog)}"
    yield from _text(parser.description if parser.description else "")
    yield ".PP"
    yield from _synopsis(parser)
    yield from _options(parser)
    if parser.epilog:
        yield from (".PP", ".nf", *(escaped(line) for line in parser.epilog.strip().splitlines()), ".fi")


def _synopsis(parser: ArgumentParser) -> Iterator[str]:
    parts = ["[\\fIOPTION\\fR...]"]
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            parts.append("\\fICOMMAND\\fR ...")
        elif not action.option_strings:
            parts.append(_value(action))
    yield f".B {escaped(parser.prog)}"
    yield " ".join(parts)


def _options(parser: ArgumentParser) -> Iterator[str]:
    """By the groups of the help; its first two, arguments and options, stand without a heading."""
    for number, group in enumerate(parser._action_groups):
        rows = [row for row in group._group_actions if row.help != SUPPRESS and not isinstance(row, _SubParsersAction)]
        if rows and number > 1 and group.title:
            yield from (".PP", f".I {escaped(group.title)}")
        for action in rows:
            yield ".TP"
            yield _head(action)
            yield from _text(_help(action))


def _head(action: Action) -> str:
    if not action.option_strings:
        return _value(action)
    names = ", ".join(f"\\fB{escaped(name)}\\fR" for name in action.option_strings)
    return names if action.nargs == 0 else f"{names} {_value(action)}"


def _value(action: Action) -> str:
    """As the help writes it: what must be given, what may, and what may many times."""
    if action.choices is not None and action.metavar is None:
        name = "{" + ",".join(str(each) for each in action.choices) + "}"
    elif isinstance(action.metavar, tuple):
        return " ".join(f"\\fI{escaped(each)}\\fR" for each in action.metavar)
    else:
        name = action.metavar if action.metavar else action.dest.upper()
    shown = f"\\fI{escaped(name)}\\fR"
    return {"?": f"[{shown}]", "*": f"[{shown} ...]", "+": f"{shown} ..."}.get(str(action.nargs), shown)


def _help(action: Action) -> str:
    text = action.help if action.help else ""
    said = text % {**vars(action), "prog": ""} if "%(" in text else text.replace("%%", "%")
    return f"{said[:1].upper()}{said[1:]}." if said and said[-1] not in ".:?!" else said


def _ends(name: str) -> Iterator[str]:
    yield ".SH EXIT STATUS"
    for code, text in STATUS[name]:
        yield from (".TP", f"\\fB{code}\\fR", *_text(text))
    yield ".SH ENVIRONMENT"
    for variable, text in ENVIRONMENT.items():
        yield from (".TP", f"\\fB{escaped(variable)}\\fR", *_text(text))
    yield ".SH FILES"
    for path, text in FILES:
        yield from (".TP", f"\\fI{escaped(path)}\\fR", *_text(text))
    yield from (".SH SEE ALSO", f".BR {escaped(SEE_ALSO[name])} (1)")


def _text(text: str) -> Iterator[str]:
    """Paragraphs; a sentence per line, as the language of manual pages wants it."""
    for number, paragraph in enumerate(text.strip().split("\n\n")):
        if number:
            yield ".PP"
        sentences = re.split(r"(?<=[.:?!]) (?=[A-Z`])", " ".join(paragraph.split()))
        yield from (escaped(sentence) for sentence in sentences if sentence)


def escaped(text: str) -> str:
    """As roff prints it and nothing else."""
    plain = (
        text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga").replace("^", "\\(ha")
    )
    coded = "".join(letter if letter.isascii() else f"\\[u{ord(letter):04X}]" for letter in plain.replace("~", "\\(ti"))
    return f"\\&{coded}" if coded.startswith((".", "'")) else coded


def write(share: Path) -> list[Path]:
    """Where they are."""
    folder = share / "man" / "man1"
    folder.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    for parser in (make_parser(), make_viewer_parser(whole=True)):
        path = folder / f"{parser.prog}.1"
        path.write_text(page(parser), encoding="ascii")
        paths.append(path)
    return paths


if __name__ == "__main__":
    for written in write(Path(sys.argv[1])):
        print(written)
