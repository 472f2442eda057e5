"""What a session keeps of a simulation: all of it comes back, and rubbish in it loses nothing else."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.case.session.file import MARK, parse_session, read_session, session_text, write_session
from errorflow.case.session.model import MOST_TRIALS, Session, Simulation
from errorflow.quant.plan import Plan
from errorflow.quant.plan_file import plain_plan
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.trial import Trial

HERE = Path("/work/here")
BASIS = Basis(SampleSpec(("/work/here/x.npz",)), calibration=Path("/work/ranges.json"))
SIMULATED = Session(
    model=Path("/work/here/net.onnx"),
    simulation=Simulation(BASIS, Plan().keeping_float("conv"), "Run 1", 3),
    trials=(Trial("Run 1", Plan(), BASIS, {"y": {"sqnr": 12.5}}),),
    node="conv",
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
# Ways to what may be rubbish.
WAYS: tuple[tuple[str | int, ...], ...] = (
    ("simulation",),
    ("simulation", "plan"),
    ("simulation", "plan", "rules", 0, "weights"),
    ("simulation", "plan", "tensors"),
    ("simulation", "basis", "asked", "paths"),
    ("simulation", "basis", "asked", "dims"),
    ("simulation", "basis", "calibration"),
    ("simulation", "basis", "samples"),
    ("simulation", "sample"),
    ("trials",),
    ("trials", 0),
    ("trials", 0, "outputs", "y"),
    ("trials", 0, "basis"),
)


def rows_of(session: Session = SIMULATED) -> dict[str, Any]:
    return dict(json.loads(session_text(session, HERE)))


def put(rows: Any, way: tuple[str | int, ...], value: object) -> None:
    for step in way[:-1]:
        rows = rows[step]
    rows[way[-1]] = value


def parsed(rows: dict[str, Any]) -> Session:
    return parse_session(json.dumps(rows).encode(), HERE).session


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_survives(number: float) -> None:
    trial = Trial("Run 1", Plan(), outputs={"y": {"sqnr": number, "number": 1.0}})
    (read,) = parsed(rows_of(Session(trials=(trial,)))).trials
    assert read.outputs["y"]["sqnr"] == number or (math.isnan(number) and math.isnan(read.outputs["y"]["sqnr"]))
    assert read.outputs["y"]["number"] == 1.0


def test_samples_and_ranges_move_with_the_session(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    before.mkdir()
    basis = Basis(SampleSpec((str(before / "photos"),)), calibration=before / "c.json", reference=before / "float.onnx")
    write_session(Session(simulation=Simulation(basis, Plan())), before / "case.errorflow")
    assert str(tmp_path) not in (before / "case.errorflow").read_text()
    before.rename(after)
    found = read_session(after / "case.errorflow").session.simulation
    assert found is not None
    assert found.basis.asked.paths == (str(after / "photos"),)
    assert (found.basis.calibration, found.basis.reference) == (after / "c.json", after / "float.onnx")


@given(st.sampled_from(WAYS), JSON)
def test_rubbish_in_it_never_stops_the_rest(way: tuple[str | int, ...], value: object) -> None:
    rows = rows_of()
    put(rows, way, value)
    assert parsed(rows).node == "conv"


@pytest.mark.parametrize(
    ("way", "value"),
    [
        (("simulation", "plan"), {}),
        (("simulation", "plan", "weights"), "int9"),
        (("simulation", "plan", "weights"), {"dtype": "int9"}),
        (("simulation", "basis"), 3),
    ],
)
def test_without_its_plan_or_samples_there_is_no_simulation(way: tuple[str | int, ...], value: object) -> None:
    rows = rows_of()
    put(rows, way, value)
    opened = parse_session(json.dumps(rows).encode(), HERE)
    assert opened.session.simulation is None
    assert opened.session.trials == SIMULATED.trials
    assert any("simulation is left out" in problem for problem in opened.problems)


@pytest.mark.parametrize("path", ["//host/share/x.npz", "http://x/y", "sample:../../secret", "a\0b"])
def test_samples_that_lie_elsewhere_are_refused(path: str) -> None:
    rows = rows_of()
    put(rows, ("simulation", "basis", "asked", "paths"), [path])
    opened = parse_session(json.dumps(rows).encode(), HERE)
    assert opened.session.simulation is not None
    assert opened.session.simulation.basis.asked.paths == ()
    assert len(opened.problems) == 1


@pytest.mark.parametrize(
    ("way", "value"),
    [
        (("simulation", "sample"), -2),
        (("simulation", "sample"), 1 << 40),
        (("simulation", "basis", "samples"), 0),
        (("simulation", "basis", "calibrate_on"), True),
        (("simulation", "basis", "method"), "x" * 200_000),
    ],
)
def test_odd_numbers_are_left_out(way: tuple[str | int, ...], value: object) -> None:
    rows = rows_of()
    put(rows, way, value)
    opened = parse_session(json.dumps(rows).encode(), HERE)
    assert opened.session.simulation is not None
    assert len(opened.problems) == 1


def test_a_name_that_two_trials_have_is_that_of_the_first() -> None:
    rows = rows_of()
    rows["trials"] = [rows["trials"][0], {**rows["trials"][0], "verdict": "another"}]
    assert parsed(rows).trials == SIMULATED.trials


def test_too_many_trials_are_left_out() -> None:
    rows = rows_of()
    rows["trials"] = [{"name": str(at), "plan": plain_plan(Plan())} for at in range(MOST_TRIALS + 1)]
    opened = parse_session(json.dumps(rows).encode(), HERE)
    assert opened.session.trials == ()
    assert opened.problems


def test_of_too_much_to_be_read_again_the_oldest_trials_give_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errorflow.case.session.file.MOST_BYTES", 6_000)
    trials = tuple(Trial(f"Run {at}", Plan()) for at in range(40))
    kept = parsed(rows_of(Session(trials=trials))).trials
    assert kept
    assert kept[-1].name == "Run 39"


def test_an_empty_session_has_neither() -> None:
    opened = parse_session(json.dumps({MARK: 1}).encode(), HERE)
    assert (opened.session.simulation, opened.session.trials, opened.problems) == (None, (), ())


@pytest.mark.parametrize(
    ("way", "value"),
    [
        (("basis", "samples"), 0),
        (("basis", "samples"), 10**20),
        (("basis", "asked", "seed"), 10**20),
        (("basis", "asked", "dims"), {"N": 0}),
        (("basis", "asked", "dims"), {"N": 10**20}),
    ],
)
def test_numbers_that_nobody_can_mean_are_left_out(way: tuple[str, ...], value: object) -> None:
    rows = rows_of()
    put(rows, ("simulation", *way), value)
    opened = parse_session(json.dumps(rows).encode(), HERE)
    assert opened.session.simulation == SIMULATED.simulation
    assert ["a number in it should be from" in problem for problem in opened.problems] == [True]
