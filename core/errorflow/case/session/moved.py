"""Files of a session that are no longer where they were."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from errorflow.base.progress import SILENT, Progress
from errorflow.case.session.model import Session
from errorflow.study.simulate.basis import Basis

# So deep below the folder that the user names they are looked for, among so many files at most.
DEEPEST, MOST = 6, 200_000


def files_of(session: Session) -> tuple[Path, ...]:
    """Lists all files and folders that the session names, each once."""
    setup, simulation = session.setup, session.simulation
    fed = () if simulation is None else basis_files(simulation.basis)
    others = (session.second, session.since, session.bundle)
    named = (session.model, *others, *(() if setup is None else setup.files.values()), *fed)
    return tuple(dict.fromkeys(path for path in named if path is not None))


def basis_files(basis: Basis) -> tuple[Path, ...]:
    """Samples, saved ranges, and the float model of a quantized one."""
    others = (path for path in (basis.calibration, basis.reference) if path is not None)
    return (*map(Path, (*basis.asked.paths, *basis.others)), *others)


def missing(session: Session) -> tuple[Path, ...]:
    """Lists those that are not there; of what came in a ticket bundle, all that is shown is in that."""
    needed = files_of(session) if session.bundle is None else (session.bundle,)
    # Without the session that it is compared with, it is what it is.
    return tuple(path for path in needed if path != session.since and not is_there(path))


def is_there(path: Path) -> bool:
    return os.path.exists(path)  # noqa: PTH110 - never raises


def looked_for(session: Session, folder: Path, progress: Progress = SILENT) -> Session:
    """The same session with every missing file that lies, under its old name, somewhere in the folder.

    Of several the one whose way there is most like the old one.
    """
    since = () if session.since is None or is_there(session.since) else (session.since,)
    lost = (*missing(session), *since)
    places: dict[str, list[Path]] = {path.name: [] for path in lost}
    for path in _walk(folder, progress):
        if path.name in places:
            places[path.name].append(path)
    found = {path: max(places[path.name], key=lambda new: _alike(path, new)) for path in lost if places[path.name]}
    return with_files(session, found)


def with_files(session: Session, found: Mapping[Path, Path]) -> Session:
    """Copies the session with other files in the place of some."""

    def now(path: Path) -> Path:
        return found.get(path, path)

    def moved(basis: Basis) -> Basis:
        return replace(
            basis,
            asked=replace(basis.asked, paths=tuple(str(now(Path(text))) for text in basis.asked.paths)),
            others=tuple(str(now(Path(text))) for text in basis.others),
            calibration=None if basis.calibration is None else now(basis.calibration),
            reference=None if basis.reference is None else now(basis.reference),
        )

    setup, simulation = session.setup, session.simulation
    return replace(
        session,
        model=None if session.model is None else now(session.model),
        second=None if session.second is None else now(session.second),
        since=None if session.since is None else now(session.since),
        bundle=None if session.bundle is None else now(session.bundle),
        guide=None if session.guide is None else session.guide.moved(now),
        setup=None if setup is None else replace(setup, files={need: now(path) for need, path in setup.files.items()}),
        simulation=None if simulation is None else replace(simulation, basis=moved(simulation.basis)),
        trials=tuple(replace(trial, basis=moved(trial.basis)) for trial in session.trials),
        rankings=tuple(replace(ranked, basis=moved(ranked.basis)) for ranked in session.rankings),
    )


def _alike(old: Path, new: Path) -> int:
    """Counts the last parts that both names have in common."""
    pairs = zip(reversed(old.parts), reversed(new.parts), strict=False)
    return next(
        (count for count, (one, other) in enumerate(pairs) if one != other), min(len(old.parts), len(new.parts))
    )


def _walk(folder: Path, progress: Progress) -> Iterable[Path]:
    """Links are not followed."""
    count = 0
    for here, folders, names in os.walk(folder):
        progress.step(count, 0, f"Looking through {here}")
        if len(Path(here).parts) - len(folder.parts) >= DEEPEST:
            folders.clear()
        for name in (*folders, *names):
            yield Path(here, name)
        count += len(names)
        if count > MOST:
            return
