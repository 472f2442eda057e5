"""Shells as people use them: on a terminal, with the Tab key."""

import os
import pty
import re
import select
import subprocess
import time
from pathlib import Path

PATIENCE = 30.0
# How each is started without anything of the person who runs the tests, and told where the completion is.
STARTS = {
    "bash": (("bash", "--norc", "--noprofile", "-i"), "source {file}"),
    "zsh": (("zsh", "-f", "-i"), "autoload -U compinit; compinit -u -d {folder}/dump; source {file}"),
}


class Terminal:
    """One of these shells, with a stand-in for the program that prints what it is called with."""

    def __init__(self, shell: str, program: str, file: Path, folder: Path) -> None:
        self._text = ""
        bin_folder = folder / "bin"
        bin_folder.mkdir()
        stand_in = bin_folder / program
        stand_in.write_text('#!/bin/sh\nprintf "<%s>" "$@"\necho END\n')
        stand_in.chmod(0o755)
        command, source = STARTS[shell]
        home = {"HOME": str(folder), "ZDOTDIR": str(folder), "PS1": "READY> ", "TERM": "dumb", "LC_ALL": "C.UTF-8"}
        self._fd, child = pty.openpty()
        self._process = subprocess.Popen(
            command,
            stdin=child,
            stdout=child,
            stderr=child,
            cwd=folder,
            env={"PATH": f"{bin_folder}:{os.environ['PATH']}", **home},
            start_new_session=True,
        )
        os.close(child)
        self._run(source.format(file=file, folder=folder) + "; echo LOA''DED")
        self._wait_for("LOADED")

    def typed(self, text: str) -> list[str]:
        """The words of the call that comes of these keys."""
        self._text = ""
        os.write(self._fd, text.encode())
        self._settle()
        self._run("")
        self._wait_for("END")
        return re.findall(r"<([^>]*)>", self._text.rpartition("END")[0].rpartition("\n")[2])

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._fd)

    def _run(self, line: str) -> None:
        os.write(self._fd, f"{line}\n".encode())

    def _settle(self) -> None:
        """Until it has shown what became of the keys."""
        while select.select([self._fd], [], [], 0.4)[0]:
            self._text += os.read(self._fd, 65536).decode(errors="replace")

    def _wait_for(self, text: str) -> None:
        end = time.monotonic() + PATIENCE
        while text not in self._text:
            assert time.monotonic() < end, f"waited too long for {text}: {self._text}"
            if select.select([self._fd], [], [], 0.1)[0]:
                self._text += os.read(self._fd, 65536).decode(errors="replace")
