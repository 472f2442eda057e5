"""From a folder to a verdict as a user gets there: the command that `errorflow scenarios` prints, run word for word."""

import io
import json
import re
import shlex
from collections.abc import Mapping, Sequence
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errorflow.cli.main import main

_HEAD = re.compile(r"^\S.*\[(?P<key>[a-z-]+)\]$")
# Words of a verdict that leaves open who it was.
_UNSURE = re.compile(r"\bnot sure\b|\bcannot be (told|said)\b|\bis not known\b|\bbetween \S+ and \S+", re.IGNORECASE)
# Of the error at the output; whoever is said to bring less is no suspect.
NOTICED = 0.1
MOST = 0.5


@dataclass(frozen=True, slots=True)
class Told:
    """What a comparison said: its summary, and all of its text."""

    data: Mapping[str, Any]
    text: str

    @property
    def blame(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.data.get("blame", {})
        return found

    @property
    def kind(self) -> str:
        return str(self.blame.get("kind", ""))

    @property
    def headline(self) -> str:
        return str(self.blame.get("text", "no verdict"))

    @property
    def top(self) -> Sequence[tuple[str, float]]:
        return [(each["node"], float(each["share"])) for each in self.blame.get("top", ())]

    @property
    def first_bad(self) -> Sequence[str]:
        found: Sequence[str] = self.blame.get("front", {}).get("first", ())
        return found

    @property
    def unsure(self) -> bool:
        return bool(_UNSURE.search(self.headline))

    @property
    def named(self) -> list[str]:
        """Who is accused: in the sentence itself, or with a noticeable share below it."""
        loud = [node for node, share in self.top if share >= NOTICED]
        quiet = [node for node, share in self.top if share < NOTICED and _says(self.headline, node)]
        return [*loud, *quiet]


def _says(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w/]){re.escape(name)}(?![\w/])", text) is not None


def said(words: Sequence[str], place: Path) -> tuple[int, str]:
    """The exit code and what is printed by `errorflow` with these words, called in that folder."""
    text = io.StringIO()
    with chdir(place), redirect_stdout(text):
        code = main(list(words))
    return code, text.getvalue()


def printed(place: Path, folder: str) -> dict[str, str]:
    """The commands that `errorflow scenarios FOLDER` prints, by the comparison."""
    code, text = said(["scenarios", folder], place)
    assert code == 0, text
    return commands_in(text)


def commands_in(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    key = ""
    for line in text.splitlines():
        head = _HEAD.match(line)
        key = head["key"] if head is not None else key
        if line.startswith("  errorflow compare "):
            found[key] = line.strip()
    return found


def compared(command: str, place: Path) -> Told:
    """The result of a printed command."""
    words = shlex.split(command)
    assert words[:2] == ["errorflow", "compare"]
    code, text = said(words[1:], place)
    # An operator without a dump is no failure: inputs never have one.
    assert code in (0, 2), text
    return Told(json.loads((place / "summary.json").read_text(encoding="utf-8")), text)


def complaints(told: Told, expected: str, guilty: frozenset[str] = frozenset()) -> list[str]:
    """What is wrong with a verdict; `expected` is "fault", "drift" or "twin"."""
    if expected == "fault":
        return _of_fault(told, guilty)
    return _of_drift(told) if expected == "drift" else _of_twin(told)


def _of_fault(told: Told, guilty: frozenset[str]) -> list[str]:
    if told.unsure:
        # "A or B" may hold an innocent, but not two of them.
        left_out = told.named and not guilty.intersection(told.named)
        return [f"leaves it open between innocent ones: {', '.join(told.named)}"] if left_out else []
    innocent = [name for name in told.named if name not in guilty]
    found = [f"names the innocent {', '.join(innocent)}"] if innocent else []
    if told.kind != "node error":
        found.append(f"calls the fault of one layer “{told.kind}”")
    if not told.top or told.top[0][0] not in guilty:
        found.append(f"names {told.top[0][0] if told.top else 'no layer'} first")
    return found


def _of_drift(told: Told) -> list[str]:
    found = [] if told.kind == "accumulated error" else [f"calls the drift “{told.kind}”"]
    loud = [name for name, share in told.top if share >= MOST]
    return [*found, f"gives most of it to {', '.join(loud)}"] if loud and not told.unsure else found


def _of_twin(told: Told) -> list[str]:
    found = [] if told.kind == "good" else [f"calls the harmless twin “{told.kind}”"]
    accused = [*told.named, *told.first_bad]
    return [*found, f"accuses {', '.join(accused)}"] if accused else found
