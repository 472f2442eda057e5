"""The `.errorflow` file: a session as JSON, with the ways to its files from where it lies."""

import json
import math
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from errorflow import __version__
from errorflow.base.codec import MOST_LETTERS, Codec, Form, OddError, parsed
from errorflow.base.errors import FormatError, WrongFileError
from errorflow.base.files import Source, write_atomic
from errorflow.case.session.guide_progress import GuideProgress
from errorflow.case.session.model import SUFFIX, HandPair, Ranked, Searched, Session
from errorflow.case.session.places import found, written
from errorflow.case.session.ranked import newest_rankings, plain_ranked, ranked_of
from errorflow.case.session.searched import newest_searches, plain_searched, searched_of
from errorflow.case.session.upgrades import VERSION, upgraded
from errorflow.quant.plan import Plan
from errorflow.quant.plan_file import PLAN
from errorflow.study.rank.asked import Question
from errorflow.study.rank.model import can_be_asked
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
    """What is in the file if it is kept in that folder. `belongs_to`: it is a draft of another file."""
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
    """What is in the file: single odd values are left out and noted, a file of another kind is an error."""
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
    """What only the file of a draft holds."""

    belongs_to: Path | None = None


def _codec(folder: Path, notes: list[str] | None = None) -> Codec:
    """For a file in that folder. `notes`: what is odd in rankings and searches is left out, and noted there."""
    forms = {
        Path: Form(partial(written, folder=folder), lambda name, _: found(_text(name), folder)),
        Plan: PLAN,
        HandPair: Form(lambda pair: [pair.candidate, pair.reference], lambda names, _: _hand_pair(names)),
    }
    inner = Codec(forms)
    ranked = Form(partial(plain_ranked, inner), lambda row, where: ranked_of(inner, row, where, notes))
    searched = Form(partial(plain_searched, inner), lambda row, where: searched_of(inner, row, where, notes))
    return Codec({**forms, Ranked: ranked, Searched: searched})


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
    """What of it there is room for in a file, and can be read again."""
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
    """Without what its types do not forbid, but nothing can be made of."""
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
