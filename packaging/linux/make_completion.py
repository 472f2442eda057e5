"""`python make_completion.py SHARE`: what bash, zsh and fish offer after both programs, where each looks for it.

SHARE is the `share` folder of what becomes a package.
"""

import sys
from pathlib import Path

from errorflow.cli.completion import SHELLS
from errorflow.cli.completion.grammar import Program, program_of
from errorflow.cli.main import make_parser
from errorflow_viewer.app.start import make_parser as make_viewer_parser

PLACES = {
    "bash": "bash-completion/completions/{name}",
    "zsh": "zsh/vendor-completions/_{name}",
    "fish": "fish/vendor_completions.d/{name}.fish",
}


def programs() -> tuple[Program, ...]:
    return program_of(make_parser()), program_of(make_viewer_parser(whole=True))


def write(share: Path) -> list[Path]:
    """Where they are."""
    paths: list[Path] = []
    for program in programs():
        for shell, script in SHELLS.items():
            path = share / PLACES[shell].format(name=program.name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(script(program), encoding="utf-8")
            paths.append(path)
    return paths


if __name__ == "__main__":
    for written in write(Path(sys.argv[1])):
        print(written)
