"""Secrets that must not leave the machine with a case: folders, and the names of users and machines."""

import getpass
import os
import platform
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import fields
from functools import cache
from pathlib import Path

from errorflow.base.values import dataclass
from errorflow.case.session.model import Painting, Session, Sights, Simulation
from errorflow.compare.match.model import Listed, Match
from errorflow.compare.metrics.measure import MEASURES
from errorflow.compare.metrics.metric import Scale
from errorflow.compare.model import Comparison, Row
from errorflow.explain.blame.model import Advice, Blame, Contribution, ExactParts, ModelVerdict
from errorflow.explain.stages.model import Stages, StageTensor
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Model
from errorflow.graph.qparams import QParams
from errorflow.report.bundle.found_file import PairFacts
from errorflow.report.bundle.homes import hidden_names, rehomed
from errorflow.report.bundle.model import Manifest, OriginalFile
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.trial import Accuracy, Trial

# Shorter ones are parts of too many words, and say nothing of anybody; in Chinese two letters are a whole name.
SHORTEST, SHORTEST_WIDE = 3, 2
# Of a number that somebody is known by in a company.
SHORTEST_NUMBER = 6
# Names that everybody has or that are words of every case: they tell nobody from others.
COMMON = frozenset(
    (
        *("admin", "administrator", "build", "builder", "case", "centos", "ci", "conv", "data", "debian"),
        *("default", "desktop", "developer", "docker", "error", "errorflow", "float", "graph", "guest"),
        *("home", "host", "image", "input", "int8", "jenkins", "laptop", "layer", "local", "localdomain"),
        *("localhost", "model", "models", "name", "node", "nodes", "npu", "onnx", "output", "path", "public"),
        *("quant", "root", "run", "runner", "session", "shared", "system", "tensor", "test", "tester"),
        *("ubuntu", "uint8", "user", "users", "vagrant", "weight", "windows", "work", "worker", "workspace"),
        # Accounts of toolchains and of machines that are rented.
        *("ascend", "atc", "axera", "coder", "codespace", "deploy", "dev", "git", "gpu", "huawei", "hwhiaiuser"),
        *("jovyan", "ma-user", "mindspore", "nobody", "nvidia", "pulsar", "pulsar2", "rknn", "sandbox", "service"),
    )
)
# The rest of a path, which is taken out with the folder that it is in.
_PLAIN = re.compile(r"[\\/][\w.\-\\/]*")
_USER_VARIABLES = ("USER", "LOGNAME", "USERNAME", "SUDO_USER")
# Whose home a path leads through.
_HOME = re.compile(r"(?:^|[\\/])(?:home|Users|Documents and Settings)[\\/]+([^\\/]+)")
_HOST_VARIABLES = ("HOSTNAME", "COMPUTERNAME", "HOST")


@dataclass(frozen=True, slots=True)
class Secrets:
    """Folders with the longest first; names as they are spelled."""

    folders: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    # Names of nodes and tensors, which may look like paths and are none.
    protected: frozenset[str] = frozenset()
    # Ends of paths that stand alone in texts, each with what stands in its place.
    ways: tuple[tuple[str, str], ...] = ()


def secrets_of(session: Session, model: Model | None = None, match: Match | None = None) -> Secrets:
    """Finds all that this machine and the files of a session give away."""
    files = _named(session)
    files += [] if model is None else [model.path]
    folders = needed({*_folders(files), *_folders(map(Path, _stored(match))), *_own_folders()})
    names = frozenset() if model is None else frozenset(_names(model))
    return Secrets(folders, telling((*_users(), *owners(folders))), telling(_hosts()), names, hidden_names(session))


def _named(session: Session) -> list[Path]:
    """Every file that any part of it names."""
    found: list[Path] = []

    def note(path: Path) -> Path:
        found.append(path)
        return path

    rehomed(session, note)
    return found


def owners(folders: Iterable[str]) -> Iterator[str]:
    """Users whose homes files lie in: a case may come from a colleague."""
    for folder in folders:
        yield from _HOME.findall(folder)


def needed(folders: Iterable[str]) -> tuple[str, ...]:
    """Chooses folders by which all others are found too, the longest first: a run may have thousands of folders."""
    kept: list[str] = []
    for folder in sorted(folders, key=lambda each: (len(each), each)):
        if not any(folder.startswith(each) and _PLAIN.fullmatch(folder[len(each) :]) for each in kept):
            kept.append(folder)
    return tuple(reversed(kept))


def telling(names: Iterable[str]) -> tuple[str, ...]:
    """Chooses names that tell a person from others, the longest first."""
    long = {name for name in names if len(name) >= _shortest(name)}
    kept = {name for name in long if name.lower() not in COMMON and not is_word(name)}
    return tuple(sorted(kept, key=lambda name: (-len(name), name)))


def _shortest(name: str) -> int:
    if name.isdecimal():
        return SHORTEST_NUMBER
    return SHORTEST if name.isascii() else SHORTEST_WIDE


def _users() -> Iterator[str]:
    yield from (os.environ.get(key, "") for key in _USER_VARIABLES)
    with suppress(KeyError, OSError, ImportError):  # a user that no system knows by name
        yield getpass.getuser()
    yield _full_name()
    with suppress(RuntimeError):  # no home
        yield Path.home().name


def _full_name() -> str:
    """Finds the full name that the system knows; "": it knows none."""
    with suppress(ImportError, KeyError, OSError):  # Windows has no such list
        import pwd

        return pwd.getpwuid(os.getuid()).pw_gecos.partition(",")[0].strip()
    return ""


def _hosts() -> Iterator[str]:
    found = [platform.node(), *(os.environ.get(key, "") for key in _HOST_VARIABLES)]
    for name in found:
        yield name
        yield name.partition(".")[0]


def _own_folders() -> Iterator[str]:
    for find in (Path.home, Path.cwd, lambda: Path(tempfile.gettempdir())):
        try:
            folder = find()
        except (OSError, RuntimeError):  # no home, or the folder was removed
            continue
        if len(folder.parts) > 1:
            yield str(folder)


def _folders(paths: Iterable[Path]) -> Iterator[str]:
    """Each folder around a file, but for the root and those right below it, which every machine has."""
    seen: set[Path] = set()
    for path in paths:
        if path in seen or not path.is_absolute():
            continue
        seen.add(path)
        for folder in path.parents:
            if folder in seen:
                break
            seen.add(folder)
            if len(folder.parts) > 2:
                yield str(folder)


def _stored(match: Match | None) -> Iterator[str]:
    for pair in () if match is None else match.pairs:
        # What is worked out, or is not there, is called by its own name.
        sides = (side for side in (pair.candidate, pair.reference) if side is not None)
        yield from (side.path for side in sides if side.path != side.info.name)


def _names(model: Model) -> Iterator[str]:
    for graph in model.graphs():
        yield from graph.node_names
        yield from graph.tensor_names


# Words that the files of every bundle are made of: a user who is called like one of them is not taken out of them.

_KINDS = (
    *(
        Advice,
        Blame,
        Contribution,
        ExactParts,
        ModelVerdict,
        PairFacts,
        Manifest,
        OriginalFile,
        Comparison,
        Row,
        TensorInfo,
    ),
    *(Listed, QParams, Painting, Session, Sights, Simulation, Basis, Accuracy, Trial, Stages, StageTensor, Scale),
)
# From so many letters on a name is taken out wherever it stands, also in the middle of a word.
LONG = 5


def is_word(name: str) -> bool:
    """Whether it is one; a longer name, which is taken out of words too, also where it is a part of one."""
    lowered, words = name.lower(), _words()
    return lowered in words if len(name) >= LONG else lowered in re.split(r"[^a-z0-9]+", words)


@cache
def _words() -> str:
    names = [each.name for kind in _KINDS for each in fields(kind)]
    return " ".join((*names, *(measure.key for measure in MEASURES), *(measure.label.lower() for measure in MEASURES)))
