"""Hints from the names of two runs. A hint decides nothing by itself: its user says that it was one."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from errorflow.case.scenarios.found import FoundFile

Role = str
_HINTS: Final[Mapping[Role, str]] = {
    "reference": "golden gold ref reference float fp32 f32 cpu gpu original "
    "origin standard benchmark baseline expected before old unfused nofusion",
    "candidate": "npu my mine quant quantized int8 int4 w8a8 board device runtime "
    "candidate after new actual test sim simulator simulation xrun fused",
    "simulator": "simulator sim simulation fake fakequant qdq xrun",
    "inputs": "input inputs data calibration calib evaluation images features",
    "board": "npu board device runtime chip target",
}
_WORDS: Final[Mapping[Role, frozenset[str]]] = {role: frozenset(text.split()) for role, text in _HINTS.items()}
_WORD = re.compile(r"[a-z]+[0-9]*")


def words_of(found: FoundFile) -> frozenset[str]:
    """The words in its path, in small letters; `w8a8` and `fp32` count as one."""
    text = "/".join(found.path.parts[-4:]).lower()
    return frozenset(_WORD.findall(text)) | frozenset(re.split(r"[^a-z0-9]+", text))


def is_called_inputs(found: FoundFile) -> bool:
    """Whether its own name, not that of a folder above, says that a model is fed with it, and nothing else."""
    words = frozenset(re.split(r"[^a-z0-9]+", found.path.stem.lower()))
    return bool(words & _WORDS["inputs"]) and not words & (_WORDS["reference"] | _WORDS["candidate"])


def hinted(role: Role, among: Sequence[FoundFile]) -> tuple[FoundFile, str] | None:
    """The only one whose name says so, with the word that does; words that all of them have say nothing."""
    shared = frozenset.intersection(*map(words_of, among)) if len(among) > 1 else frozenset()
    told = [(each, words) for each in among if (words := (words_of(each) - shared) & _WORDS[role])]
    return (told[0][0], min(told[0][1])) if len(told) == 1 else None
