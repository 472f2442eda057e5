"""Files of a session that are no longer where they were."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from errorflow.progress import SILENT, Progress
from errorflow.session.model import Session
from errorflow.simulate.basis import Basis

# So deep below the folder that the user names they are looked for, among so many files at most.
DEEPEST, MOST = 6, 200_000


def files_of(session: Session) -> tuple[Path, ...]:
    """All files and folders that it needs, each once."""
    setup, simulation = session.setup, session.simulation
    fed = () if simulation is None else basis_files(simulation.basis)
    named = (session.model, session.second, *(() if setup is None else setup.files.values()), *fed)
    return tuple(dict.fromkeys(path for path in named if path is not None))


def basis_files(basis: Basis) -> tuple[Path, ...]:
    """Samples, saved ranges, and the float model of a quantized one."""
    others = (path for path in (basis.calibration, basis.reference) if path is not None)
    return (*map(Path, (*basis.asked.paths, *basis.others)), *others)


def missing(session: Session) -> tuple[Path, ...]:
    """Those that are not there."""
    return tuple(path for path in files_of(session) if not os.path.exists(path))  # noqa: PTH110 - never raises


def looked_for(session: Session, folder: Path, progress: Progress = SILENT) -> Session:
    """The same session with every missing file that lies, under its old name, somewhere in the folder.

    Of several the one whose way there is most like the old one.
    """
    lost = missing(session)
    places: dict[str, list[Path]] = {path.name: [] for path in lost}
    for path in _walk(folder, progress):
        if path.name in places:
            places[path.name].append(path)
    found = {path: max(places[path.name], key=lambda new: _alike(path, new)) for path in lost if places[path.name]}
    return with_files(session, found)


def with_files(session: Session, found: Mapping[Path, Path]) -> Session:
    """With other files in the place of some."""

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
        setup=None if setup is None else replace(setup, files={need: now(path) for need, path in setup.files.items()}),
        simulation=None if simulation is None else replace(simulation, basis=moved(simulation.basis)),
        trials=tuple(replace(trial, basis=moved(trial.basis)) for trial in session.trials),
        rankings=tuple(replace(ranked, basis=moved(ranked.basis)) for ranked in session.rankings),
    )


def _alike(old: Path, new: Path) -> int:
    """How many of the last parts of both names are equal."""
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
