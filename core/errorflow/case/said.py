"""Words for what was compared: the fields of a `Case` that need no measuring."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errorflow.base.files import telling_name
from errorflow.base.sample import sample_of
from errorflow.case.scenarios import scenario_of
from errorflow.case.scenarios.call import makes_up_inputs
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.model import Session, Simulation

if TYPE_CHECKING:
    from errorflow.study.simulate.bench import Bench

# Stands among the lines of what was compared, where it is so.
MADE_UP = "The inputs were made up: this says nothing about the model in use."
SIMULATED = "The float model against its simulated quantization"
SAMPLE = "The two runs of the built-in sample"


def setup_of(session: Session) -> Setup | None:
    """Finds what is compared; the two runs of a sample where the session names no others."""
    sample = None if session.model is None else sample_of(session.model)
    if session.setup is not None or sample is None:
        return session.setup
    files = {"candidate": sample.candidate_run, "reference": sample.reference_run, "model": sample.model}
    return Setup("runs", files)


def said_of(session: Session) -> dict[str, Any]:
    """Says, without a bench, what the session compares, or what its simulation was called where it cannot run."""
    if session.simulation is not None:
        return {"compared": (SIMULATED,), "sides": {"Comparison": SIMULATED, **_model(session)}}
    setup = setup_of(session)
    if setup is None:
        return {"sides": _model(session)}
    if session.setup is None:
        return {"compared": (SAMPLE,), "sides": {"Comparison": SAMPLE, **_model(session)}}
    return said_of_setup(setup)


def said_of_setup(setup: Setup) -> dict[str, Any]:
    row = scenario_of(setup.scenario)
    named = ", ".join(f"{need}: {telling_name(path)}" for need, path in setup.files.items())
    made_up = makes_up_inputs(setup)
    return {
        "compared": (*((row.title,) if row is not None else ()), named, *_made_up(made_up)),
        "sides": dict(_sides(setup)),
        "made_up": made_up,
        "files": tuple(path for path in setup.files.values() if path.is_file()),
    }


def said_of_simulation(path: Path, simulation: Simulation, bench: "Bench") -> dict[str, Any]:
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


def _model(session: Session) -> dict[str, str]:
    return {} if session.model is None else {"Model": session.model.name}


def _made_up(is_so: bool) -> tuple[str, ...]:
    return (MADE_UP,) if is_so else ()


def _sides(setup: Setup) -> Iterator[tuple[str, str]]:
    """Yields what is compared, and each file by its part in that."""
    row = scenario_of(setup.scenario)
    if row is not None:
        yield "Comparison", row.title
    for key, path in setup.files.items():
        need = None if row is None else row.need(key)
        yield key.capitalize() if need is None else need.label, telling_name(path)
