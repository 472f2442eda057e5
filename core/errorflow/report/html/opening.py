"""From a session to what its report tells: all of it is measured again, or run again."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from errorflow.blame.model import Blame
from errorflow.compare.model import Comparison
from errorflow.compare.placed import side_of
from errorflow.errors import UsageError
from errorflow.files import telling_name
from errorflow.findings.model import Findings
from errorflow.formats import read_model
from errorflow.graph.model import Graph, Model
from errorflow.match.by_hand import with_hand_pairs
from errorflow.match.model import Match
from errorflow.progress import SILENT, Progress
from errorflow.report.html.case import MADE_UP, Case
from errorflow.report.html.evidence import evidence_of
from errorflow.report.html.plots import plots_of
from errorflow.report.html.told import chapters_of, problems_of
from errorflow.report.stages import stages_lines
from errorflow.scenarios import scenario_of
from errorflow.scenarios.call import makes_up_inputs
from errorflow.scenarios.measure import measure, original_of
from errorflow.scenarios.prepare import import_table, prepare
from errorflow.scenarios.setup import Setup
from errorflow.session.model import Session, Simulation
from errorflow.simulate.bench import Bench
from errorflow.simulate.floated import floated
from errorflow.simulate.outcome import simulate
from errorflow.simulate.tensors import match_of

SIMULATED = "The float model against its simulated quantization"


def case_of(session: Session, title: str = "", progress: Progress = SILENT) -> Case:
    """`title`: what the report is called; "": as the model is."""
    if session.simulation is not None and session.model is not None:
        found = _simulated(session.model, session.simulation, progress)
    elif session.setup is not None and session.setup.files:
        found = _compared(session.setup, session, progress)
    elif session.model is not None:
        model = read_model(session.model, progress)
        found = Case(model.path.name, model.graph, files=(model.path,))
    else:
        raise UsageError("The session holds no model.", "Open a model in the window, and save the session.")
    return dressed(found, session, title)


def dressed(case: Case, session: Session, title: str = "") -> Case:
    """With what the user decided and tried."""
    found = replace(
        case,
        title=title if title else case.title,
        painting=session.painting,
        plan=None if session.simulation is None else session.simulation.plan,
        trials=session.trials,
        shown=_on_view(session),
        notes=session.notes,
        note=session.note,
        chapters=chapters_of(session),
    )
    return replace(found, plots=plots_of(found))


def _on_view(session: Session) -> str:
    simulation = session.simulation
    if simulation is None:
        return ""
    wanted = simulation.plan, simulation.basis
    return next((trial.name for trial in session.trials if (trial.plan, trial.basis) == wanted), "")


def _simulated(path: Path, simulation: Simulation, progress: Progress) -> Case:
    basis, plan = simulation.basis, simulation.plan
    with floated(path, basis.reference, progress) as model, Bench.open(model, basis, plan, progress=progress) as bench:
        found = simulate(bench.engine, bench.plan, progress=progress)
        match = match_of(bench.engine, found.plan, found.comparison, max(found.worst_sample, 0), found.assigned)
        case = Case(
            path.name, bench.engine.graph, found.findings, evidence=evidence_of(found.findings, match, progress)
        )
        case = replace(case, **said_of_simulation(path, simulation, bench))
        return replace(case, problems=(*case.problems, *problems_of(found.findings, None)))


def said_of_simulation(path: Path, simulation: Simulation, bench: Bench) -> dict[str, Any]:
    """Fields of a case, but for what was measured."""
    meant = f"{path.name} in float, and quantized as {bench.meant(simulation.plan)}"
    return {
        "compared": (meant, bench.text, *_made_up(bench.made_up)),
        "made_up": bench.made_up,
        "sides": {
            "Comparison": SIMULATED,
            "Model": path.name,
            "Quantized as": bench.meant(simulation.plan),
            "Samples": bench.text,
        },
        "problems": tuple(bench.notes),
        "files": (path, *(Path(each) for each in simulation.basis.asked.paths)),
        "facts": bench.facts,
    }


def _compared(setup: Setup, session: Session, progress: Progress) -> Case:
    """Models that are run leave their tensors in a folder that is gone with this."""
    with TemporaryDirectory(prefix="errorflow-", ignore_cleanup_errors=True) as place:
        table = setup.file("table")
        if table is not None:
            return _of_table(setup, session, table, progress)
        prepared = prepare(setup, progress, Path(place))
        pairs = [(pair.candidate, pair.reference) for pair in session.hand_pairs]
        match = with_hand_pairs(prepared.match, pairs) if pairs else prepared.match
        model = prepared.made if prepared.made is not None else _shown(setup, session, progress)
        sketch = measure(match, model.graph, original_of(setup, model), three=prepared.three, progress=progress)
        findings = findings_on(model.graph, sketch.comparison, sketch.blame)
        found = _case(setup, model.graph, findings, match, progress)
        stages = () if sketch.stages is None else tuple(stages_lines(sketch.stages))
        return replace(found, stages=stages)


def _made_up(is_so: bool) -> tuple[str, ...]:
    return (MADE_UP,) if is_so else ()


def findings_on(graph: Graph, comparison: Comparison, blame: Blame | None = None) -> Findings:
    """By the names of the run whose graph it is."""
    return Findings.of(graph, comparison, blame, side_of(graph, comparison))


def _of_table(setup: Setup, session: Session, table: Path, progress: Progress) -> Case:
    graph = _shown(setup, session, progress).graph
    return _case(setup, graph, findings_on(graph, import_table(table, graph, progress)), None, progress)


def _shown(setup: Setup, session: Session, progress: Progress) -> Model:
    path = session.model if setup.shown is None else setup.shown
    if path is None:
        raise UsageError("The session names no model.", "Open it in the window, choose one, and save it.")
    return read_model(path, progress)


def _case(setup: Setup, graph: Graph, findings: Findings, match: Match | None, progress: Progress) -> Case:
    evidence, problems = evidence_of(findings, match, progress), tuple(problems_of(findings, match))
    title = next((telling_name(path) for path in setup.files.values()), "Comparison")
    return Case(title, graph, findings, evidence=evidence, problems=problems, **said_of_setup(setup))


def said_of_setup(setup: Setup) -> dict[str, Any]:
    """Fields of a case, but for what was measured."""
    row = scenario_of(setup.scenario)
    named = ", ".join(f"{need}: {telling_name(path)}" for need, path in setup.files.items())
    return {
        "compared": (*((row.title,) if row is not None else ()), named, *_made_up(makes_up_inputs(setup))),
        "sides": dict(_sides(setup)),
        "made_up": makes_up_inputs(setup),
        "files": tuple(path for path in setup.files.values() if path.is_file()),
    }


def _sides(setup: Setup) -> Iterator[tuple[str, str]]:
    """What is compared, and each file by what it is to that."""
    row = scenario_of(setup.scenario)
    if row is not None:
        yield "Comparison", row.title
    for key, path in setup.files.items():
        need = None if row is None else row.need(key)
        yield key.capitalize() if need is None else need.label, telling_name(path)
