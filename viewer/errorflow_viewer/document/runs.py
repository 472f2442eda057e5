"""Actions on the runs of a session: each is one step that can be undone."""

from collections.abc import Collection
from dataclasses import replace

from errorflow.case.session.model import Session, Simulation
from errorflow.study.simulate.trial import Trial
from errorflow_viewer.document.compared_trial import trial_named, trial_on_view
from errorflow_viewer.document.document import Document

MOST_LETTERS = 80


def go_to(document: Document, name: str) -> None:
    """Simulates what that run did, on its samples and ranges."""
    trial = trial_named(document.session, name)
    if trial is not None:
        document.edit(f"Go to {name}", simulation=_on(document.session, trial))


def compare(document: Document, name: str, against: str | None = None) -> None:
    """Paints what changed: the run on view against that one, or that one against another."""
    now, before = (trial_on_view(document.session), name) if against is None else (None, against)
    trial = trial_named(document.session, name) if against is not None else now
    simulation = document.session.simulation if trial is None else _on(document.session, trial)
    if simulation is not None:
        document.edit("Compare two runs", simulation=replace(simulation, against=before))


def stop_comparing(document: Document) -> None:
    simulation = document.session.simulation
    if simulation is not None and simulation.against:
        document.edit("Stop comparing", simulation=replace(simulation, against=""))


def turn_round(document: Document) -> None:
    """The run that was compared with comes on view, and the other way round."""
    simulation, now = document.session.simulation, trial_on_view(document.session)
    if simulation is not None and simulation.against and now is not None:
        compare(document, simulation.against, now.name)


def rename(document: Document, name: str, wanted: str) -> str:
    """Renames a run; says why it cannot be called so; "": it is."""
    session, wanted = document.session, " ".join(wanted.split())[:MOST_LETTERS]
    if wanted == name:
        return ""
    if not wanted:
        return "A run needs a name."
    if trial_named(session, wanted) is not None:
        return f"Another run is called {wanted}."
    trials = tuple(replace(trial, name=wanted) if trial.name == name else trial for trial in session.trials)
    simulation = session.simulation
    if simulation is not None and simulation.against == name:
        simulation = replace(simulation, against=wanted)
    document.edit("Rename a run", trials=trials, simulation=simulation)
    return ""


def delete(document: Document, names: Collection[str]) -> str:
    """Deletes runs; says why some stay; "": all are gone. The run on view stays, since it would come back at once."""
    session, now = document.session, trial_on_view(document.session)
    gone = {name for name in names if now is None or name != now.name}
    if gone:
        simulation = session.simulation
        if simulation is not None and simulation.against in gone:
            simulation = replace(simulation, against="")
        trials = tuple(trial for trial in session.trials if trial.name not in gone)
        text = f"Delete {next(iter(gone))}" if len(gone) == 1 else f"Delete {len(gone)} runs"
        document.edit(text, trials=trials, simulation=simulation)
    return "" if len(gone) == len(set(names)) else "The run on view stays in the list."


def why_not(session: Session, name: str, against: str) -> str:
    """Says why two runs are not compared; "": they can be."""
    one, other = trial_named(session, name), trial_named(session, against)
    if one is None or other is None or name == against:
        return "Choose another run than the one on view."
    if not one.is_on_samples_of(other):
        return f"{against} is on other samples than {name}: their numbers cannot be compared."
    return ""


def _on(session: Session, trial: Trial) -> Simulation:
    simulation = session.simulation
    if simulation is None:
        return Simulation(trial.basis, trial.plan)
    against = trial_named(session, simulation.against)
    keeps = against is not None and against.name != trial.name and trial.is_on_samples_of(against)
    return replace(simulation, plan=trial.plan, basis=trial.basis, against=simulation.against if keeps else "")
