"""The `.errorflow` file: a session as JSON, with the ways to its files from where it lies."""

import json
import math
import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from errorflow import __version__
from errorflow.base import FormatError, WrongFileError, dataclass, replace
from errorflow.base.codec import MOST_LETTERS, Codec, Form, OddError, parsed
from errorflow.base.files import Source, write_atomic
from errorflow.base.sample import folder as sample_folder
from errorflow.case.session.model import MOST_SEARCHES, SUFFIX, GuideProgress, HandPair, KeptRanking, Searched, Session
from errorflow.case.session.ranked import newest_rankings, plain_ranked, ranked_of
from errorflow.quant.plan import Plan
from errorflow.quant.plan_file import PLAN
from errorflow.study.rank.asked import Question
from errorflow.study.rank.model import can_be_asked
from errorflow.study.search.asked import Sought
from errorflow.study.search.model import Search
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.trial import Trial

MARK = "errorflow-session"
MOST_BYTES = 64 << 20
_OLDER = "Open an older copy of it if there is one, or open the model and the runs anew."


@dataclass(frozen=True, slots=True)
class Opened:
    """A session that was read, and what in it could not be."""

    session: Session
    problems: tuple[str, ...] = ()
    # Of a draft, the file that it is to be saved as; None: it has none yet, or is no draft.
    belongs_to: Path | None = None


def write_session(session: Session, path: Path) -> None:
    """Writes the file, all of it or not at all."""
    write_atomic(path, session_text(session, path.parent))


def session_text(session: Session, folder: Path, belongs_to: Path | None = None) -> str:
    """Writes the text of the file for that folder. `belongs_to`: it is a draft of another file."""
    codec = _codec(folder)
    rows = {MARK: VERSION, "written_by": __version__, **codec.plain(_kept(session))}
    if belongs_to is not None:
        rows["belongs_to"] = codec.plain(belongs_to)
    # Names of files need not be UTF-8: what is not is escaped.
    text = json.dumps(rows, indent=1, allow_nan=False) + "\n"
    if len(text) > MOST_BYTES and session.trials:  # nobody could read it again: the oldest give way
        return session_text(replace(session, trials=session.trials[len(session.trials) // 2 + 1 :]), folder, belongs_to)
    return text


def read_session(path: Path) -> Opened:
    """Reads a session: single odd values are left out and noted, a file of another kind is an error."""
    with Source(path) as source:
        if source.size > MOST_BYTES:
            raise FormatError(f"{path.name} is too large for a session.", "Open the model itself.")
        data = source.read(0, source.size)
    return parse_session(data, path.parent, path.name)


def parse_session(data: bytes, folder: Path, name: str = "The session") -> Opened:
    """`read_session` of what a file in that folder holds."""
    if not data.strip():
        raise FormatError(f"{name} is empty: nothing was ever saved in it, or all of it was lost.", _OLDER)
    try:
        rows = parsed(data.decode("utf-8"))
    except ValueError as error:
        raise FormatError(f"{name} is broken: it is no whole JSON.", _OLDER) from error
    version = rows.get(MARK) if isinstance(rows, dict) else None
    if type(version) is not int or version < 1:
        hint = _OLDER if name.endswith(SUFFIX) else "Open a file that ends with .errorflow."
        raise WrongFileError(f"{name} is not a session of Errorflow.", hint)
    problems: list[str] = []
    rows, codec = upgraded(rows, version), _codec(folder, problems)
    session = _checked(codec.read(Session, rows, notes=problems), problems)
    draft: _Draft = codec.read(_Draft, rows, notes=problems)
    return Opened(session, tuple(problems), draft.belongs_to)


@dataclass(frozen=True, slots=True)
class _Draft:
    """Facts that only the file of a draft holds."""

    belongs_to: Path | None = None


def _codec(folder: Path, notes: list[str] | None = None) -> Codec:
    """Makes the codec for a file in that folder. `notes`: what is odd in rankings and searches is left out, and noted
    there.
    """
    forms = {
        Path: Form(partial(written, folder=folder), lambda name, _: found(_text(name), folder)),
        Plan: PLAN,
        HandPair: Form(lambda pair: [pair.candidate, pair.reference], lambda names, _: _hand_pair(names)),
    }
    inner = Codec(forms)
    ranked = Form(partial(plain_ranked, inner), lambda row, where: ranked_of(inner, row, where, notes))
    searched = Form(partial(plain_searched, inner), lambda row, where: searched_of(inner, row, where, notes))
    return Codec({**forms, KeptRanking: ranked, Searched: searched})


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise OddError("it should be a file's name.")
    return value


def _hand_pair(names: Any) -> HandPair:
    read: tuple[str, str] = Codec().read(tuple[str, str], names)
    if not any(read):
        raise OddError("it should be two names, one of them at least.")
    return HandPair(*read)


def _kept(session: Session) -> Session:
    """Keeps what there is room for in a file, and can be read again."""
    guide = session.guide
    return replace(
        session,
        rankings=newest_rankings(session.rankings),
        searches=newest_searches(session.searches),
        guide=None if guide is None else _kept_guide(guide),
    )


def _kept_guide(guide: GuideProgress) -> GuideProgress:
    steps = {
        key: replace(
            step,
            numbers={name: value for name, value in step.numbers.items() if math.isfinite(value)},
            texts={name: text[:MOST_LETTERS] for name, text in step.texts.items()},
        )
        for key, step in guide.steps.items()
    }
    return replace(guide, steps=steps)


def _checked(session: Session, problems: list[str]) -> Session:
    """Removes what its types do not forbid, but nothing can be made of."""
    painting, question = session.painting, session.question
    limits = {key: (good, bad) for key, (good, bad) in painting.limits.items() if good != bad}
    if not can_be_asked(question):
        problems.append("question is left out: it names no metric, or one that is not known.")
        question = Question()
    trials: dict[str, Trial] = {}
    for trial in session.trials:
        trials.setdefault(trial.name, trial)
    checked = replace(painting, limits=limits)
    return replace(session, painting=checked, question=question, trials=tuple(trials.values()))


# Sessions of earlier versions, brought to this one step by step.
#
# To change the file: a function here that makes the last version's object the next one's, and a file of the version
# before in tests/data/sessions.

Rows = Mapping[str, Any]
# The first one makes version 2 of version 1.
UPGRADES: tuple[Callable[[Rows], Rows], ...] = ()
VERSION = len(UPGRADES) + 1


def upgraded(rows: Rows, version: int) -> Rows:
    """The same in this version's form; a `FormatError` for one that is newer."""
    if version > VERSION:
        raise FormatError(
            f"The session was saved by a newer Errorflow (its form is {version}, this one knows {VERSION}).",
            "Install a newer Errorflow. Nothing was changed in the file.",
        )
    for upgrade in UPGRADES[version - 1 :]:
        rows = upgrade(rows)
    return rows


# What a session keeps of searches: what was asked, and what was tried. The oldest give way.

# Of all searches of a file together: names of parts, and parts that were raised.
MOST_NAMES = 200_000


@dataclass(frozen=True)
class _Row:
    """`Searched`, whose search is not loaded at the start of the app."""

    basis: Basis
    sought: Sought
    search: Search


def newest_searches(searches: Iterable[Searched]) -> tuple[Searched, ...]:
    """Keeps those for which there is room in a file."""
    kept: list[Searched] = []
    names = 0
    for searched in reversed(tuple(searches)):
        search = searched.search
        names += sum(len(part.nodes) + len(part.tensors) for part in search.parts)
        names += sum(len(tried.choice) for tried in search.tried)
        if names > MOST_NAMES or len(kept) == MOST_SEARCHES:
            break
        kept.append(searched)
    return tuple(kept[::-1])


def plain_searched(codec: Codec, searched: Searched) -> Any:
    return codec.plain(_Row(searched.basis, searched.sought, searched.search))


def searched_of(codec: Codec, value: Any, where: str, notes: list[str] | None) -> Searched:
    row: _Row = codec.read(_Row, value, where, notes)
    if not _is_whole(row.search):
        raise OddError("it speaks of parts that it does not have.")
    return Searched(row.basis, row.sought, row.search)


def _is_whole(search: Search) -> bool:
    count, tried = len(search.parts), len(search.tried)
    return (
        len(search.scores) in (0, count)
        and all(0 <= part < count for each in search.tried for part in each.choice.parts)
        and [each.number for each in search.tried] == list(range(tried))
        and all(0 <= number < tried for number in search.asked)
    )


# How a session names files: by the way from its own folder, so that both can move together.

# The built-in sample lies elsewhere on every machine.
SAMPLE = "sample:"
LONGEST = 4096


def written(path: Path, folder: Path) -> str:
    """The name of a file in a session that is kept in a folder."""
    built_in = _below(path, sample_folder())
    if built_in is not None:
        return f"{SAMPLE}{built_in}"
    try:
        way = os.path.relpath(path, folder)
    except ValueError:  # another drive
        return str(path)
    text = Path(way).as_posix()
    return f"./{text}" if text.startswith(SAMPLE) else text


def found(text: str, folder: Path) -> Path:
    """The file that a session in that folder means; a `FormatError` for names that lead where none of its files lie."""
    if len(text) > LONGEST or "\0" in text or not text:
        raise FormatError("A file's name in the session cannot be one.", "Open the files again and save the session.")
    if text.startswith(SAMPLE):
        root = sample_folder()
        path = Path(os.path.normpath(root / text.removeprefix(SAMPLE)))
        if _below(path, root) is None:
            raise FormatError(f"{text} is no file of the sample.", "Open it from File → Open sample.")
        return path
    if _is_remote(text) and not _same_share(text, folder):
        raise FormatError(
            f"{text} lies on another machine.", "Open it there yourself: a session does not connect to others."
        )
    return Path(os.path.normpath(folder / text))


def _below(path: Path, folder: Path) -> str | None:
    try:
        return path.relative_to(folder).as_posix()
    except ValueError:
        return None


def _is_remote(text: str) -> bool:
    """Asking for such a file tells another machine who is asking."""
    # Windows takes either stroke for the other, and two of them for another machine.
    return text.replace("\\", "/").startswith("//") or "://" in text


def _same_share(text: str, folder: Path) -> bool:
    return PureWindowsPath(text).drive.lower() == PureWindowsPath(str(folder)).drive.lower() != "" or (
        PurePosixPath(text).parts[:1] == ("//",) == PurePosixPath(str(folder)).parts[:1]
    )
