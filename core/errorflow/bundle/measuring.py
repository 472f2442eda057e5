"""From a session to what a bundle is made of: all of it is measured again, or run again."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from errorflow.bundle.draft import SAID, said_of
from errorflow.bundle.model import SECONDS, Material
from errorflow.errors import ErrorflowError, UsageError
from errorflow.formats import read_model
from errorflow.graph.model import Model
from errorflow.match.by_hand import with_hand_pairs
from errorflow.progress import SILENT, Progress
from errorflow.report.html.opening import said_of_simulation
from errorflow.sample import other_of
from errorflow.scenarios.measure import measure, original_of
from errorflow.scenarios.prepare import import_table, prepare
from errorflow.scenarios.setup import Setup
from errorflow.session.model import Session, Simulation
from errorflow.simulate.bench import Bench
from errorflow.simulate.floated import floated
from errorflow.simulate.outcome import simulate
from errorflow.simulate.tensors import match_of


@contextmanager
def material_of(session: Session, progress: Progress = SILENT) -> Iterator[Material]:
    """Its tensors can be read until this is left."""
    if session.simulation is not None and session.model is not None:
        with _simulated(session, session.model, session.simulation, progress) as found:
            yield _with_second(found, progress)
    elif session.setup is not None and session.setup.files:
        # Models that are run leave their tensors in a folder that is gone with this.
        with TemporaryDirectory(prefix="errorflow-", ignore_cleanup_errors=True) as place:
            yield _with_second(_compared(session, session.setup, Path(place), progress), progress)
    elif session.model is not None:
        yield _with_second(Material(session, _with_shapes(read_model(session.model, progress), progress)), progress)
    else:
        raise UsageError("The session holds no model.", "Open a model in the window, and save the session.")


def _with_second(material: Material, progress: Progress) -> Material:
    """With the graph that is shown beside the painted one, if its model can be read."""
    path = second_of(material.session, material.model.path)
    if path is None:
        return material
    try:
        return replace(material, second=_with_shapes(read_model(path, progress), progress))
    except ErrorflowError:  # the bundle says that it is not in it
        return material


def second_of(session: Session, shown: Path) -> Path | None:
    """The file of the second graph; None: none is shown."""
    if not session.pairing or session.second is not None:
        return session.second if session.pairing else None
    files = {} if session.setup is None else session.setup.files
    others = (files[key] for key in SECONDS if key in files and files[key] != shown)
    return next(others, other_of(shown))


def _with_shapes(model: Model, progress: Progress) -> Model:
    return model if model.infer_shapes is None else model.infer_shapes(progress)


def _compared(session: Session, setup: Setup, place: Path, progress: Progress) -> Material:
    table = setup.file("table")
    if table is not None:
        model = _shown(session, setup, progress)
        return Material(session, model, import_table(table, model.graph, progress), **said_of(session))
    prepared = prepare(setup, progress, place)
    pairs = [(pair.candidate, pair.reference) for pair in session.hand_pairs]
    match = with_hand_pairs(prepared.match, pairs) if pairs else prepared.match
    model = prepared.made if prepared.made is not None else _shown(session, setup, progress)
    sketch = measure(match, model.graph, original_of(setup, model), three=prepared.three, progress=progress)
    said = {**said_of(session), "made_up": bool(prepared.made_up)}
    return Material(session, model, sketch.comparison, match, sketch.blame, sketch.stages, **said)


def _shown(session: Session, setup: Setup, progress: Progress) -> Model:
    path = session.model if setup.shown is None else setup.shown
    if path is None:
        raise UsageError("The session names no model.", "Open it in the window, choose one, and save it.")
    return _with_shapes(read_model(path, progress), progress)


@contextmanager
def _simulated(session: Session, path: Path, simulation: Simulation, progress: Progress) -> Iterator[Material]:
    basis, plan = simulation.basis, simulation.plan
    with floated(path, basis.reference, progress) as model, Bench.open(model, basis, plan, progress=progress) as bench:
        found = simulate(bench.engine, bench.plan, progress=progress)
        sample = simulation.sample if 0 <= simulation.sample < bench.engine.samples else max(found.worst_sample, 0)
        match = match_of(bench.engine, found.plan, found.comparison, sample, found.assigned)
        said = said_of_simulation(path, simulation, bench)
        yield Material(
            session,
            replace(bench.model, graph=found.findings.graph, path=path),
            found.comparison,
            match,
            found.findings.blame,
            **{name: said[name] for name in SAID if name in said},
        )
