"""A session in the place of a model, and a simulation as a session."""

import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from errorflow.base.sample import SAMPLES
from errorflow.case.session.file import read_session, write_session
from errorflow.case.session.model import Session, Simulation
from errorflow.cli.main import main, make_parser
from errorflow.cli.of_session import begun_plan, with_session_of
from errorflow.cli.planned import basis_by
from errorflow.cli.simulate import SIMULATE
from errorflow.quant.plan import Plan
from errorflow.quant.presets import preset
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis

MODEL = SAMPLES[0].model
PLAN = preset("pulsar2-u8").plan
BASIS = Basis(SampleSpec((), seed=3, count=4), samples=4, own=False)


@pytest.fixture
def case(tmp_path: Path) -> Path:
    return written(tmp_path, PLAN)


def written(folder: Path, plan: Plan) -> Path:
    path = folder / "case.errorflow"
    write_session(Session(MODEL, simulation=Simulation(BASIS, plan)), path)
    return path


def test_a_session_says_model_samples_and_plan(case: Path) -> None:
    options = with_session_of(make_parser().parse_args(["simulate", str(case)]), SIMULATE.arguments)
    assert Path(options.model) == MODEL and options.preset == "pulsar2-u8"
    assert basis_by(options) == BASIS and begun_plan(options) is None


def test_an_option_replaces_what_the_session_says(case: Path) -> None:
    words = ["simulate", str(case), "--random", "5", "--preset", "onnxruntime"]
    options = with_session_of(make_parser().parse_args(words), SIMULATE.arguments)
    assert options.preset == "onnxruntime" and basis_by(options).asked.seed == 5 and options.samples is None


def test_what_is_switched_comes_on_top_of_the_plan(tmp_path: Path) -> None:
    words = ["simulate", str(written(tmp_path, PLAN.keeping_float("a"))), "--keep-float", "b"]
    options = with_session_of(make_parser().parse_args(words), SIMULATE.arguments)
    assert options.keep_float == ["a", "b"]


def test_a_plan_that_no_option_says_is_taken_as_it_is(tmp_path: Path) -> None:
    own = replace(PLAN, preset="")
    options = with_session_of(make_parser().parse_args(["simulate", str(written(tmp_path, own))]), SIMULATE.arguments)
    assert begun_plan(options) == own and not options.plan and not basis_by(options).own


@pytest.mark.parametrize("command", ["simulate", "sensitivity", "search", "curve", "distribution"])
def test_a_session_that_simulates_nothing_is_a_sentence(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_session(Session(MODEL), tmp_path / "case.errorflow")
    assert main([command, str(tmp_path / "case.errorflow")]) == 2
    assert "Nothing is simulated in case.errorflow." in capsys.readouterr().err


def test_a_bundle_is_refused_with_the_way_to_run_it(
    case: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with zipfile.ZipFile(tmp_path / "case.zip", "w") as archive:
        archive.writestr("errorflow-bundle.txt", "1\n")
    assert main(["simulate", str(tmp_path / "case.zip")]) == 2
    assert "--unpack FOLDER" in capsys.readouterr().err


def test_a_simulation_is_saved_as_a_session_that_simulates_the_same(tmp_path: Path) -> None:
    case, out = tmp_path / "case.errorflow", tmp_path / "out"
    words = ["--random", "3", "--samples", "4", "--preset", "pulsar2-u8", "--quick"]
    assert main(["simulate", str(MODEL), *words, "--session", str(case), "-out", str(out)]) == 0
    session = read_session(case).session
    assert session.simulation is not None and session.simulation.plan == PLAN and session.model == MODEL
    assert session.simulation.basis.asked.seed == 3 and [each.name for each in session.trials] == ["Run 1"]
    assert session.trials[0].basis == session.simulation.basis


def test_what_a_session_holds_already_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in").mkdir()
    case = written(tmp_path / "in", PLAN)
    write_session(replace(read_session(case).session, note="Ask the vendor", notes={"a": "odd"}), case)
    np.savez(tmp_path / "x.npz", image=np.ones((1, 1, 8, 8), np.float32))
    monkeypatch.chdir(tmp_path)
    name = "in/case.errorflow"
    for words in ([str(MODEL), "--random", "3"], [name], [name, "--data", "x.npz"], [name]):
        assert main(["simulate", *words, "--quick", "--session", name, "-out", "out"]) == 0
    session = read_session(case).session
    assert (session.note, session.notes) == ("Ask the vendor", {"a": "odd"})
    runs = [(each.name, *each.basis.asked.paths) for each in session.trials]
    assert runs == [("Run 1",), ("Run 2", str(tmp_path / "x.npz"))]


@pytest.mark.parametrize("model", [SAMPLES[0].candidate_model, None], ids=["another model", "no model"])
def test_a_session_of_something_else_is_not_lost(
    model: Path | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = tmp_path / "case.errorflow"
    write_session(Session(model, note="Ask the vendor"), case)
    before = case.read_bytes()
    assert main(["simulate", str(MODEL), "--random", "3", "--session", str(case)]) == 2
    assert "case.errorflow is a session of another model." in capsys.readouterr().err
    assert case.read_bytes() == before


def test_no_session_is_begun_where_it_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", str(MODEL), "--random", "3", "--session", str(tmp_path / "case.json")]) == 2
    assert "Let it end with .errorflow." in capsys.readouterr().err


def test_inspect_tells_of_a_session(case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(case)]) == 0
    assert "pulsar2-u8" in capsys.readouterr().out
    assert main(["inspect", "--nodes", str(case)]) == 2
    assert "holds a case and no nodes" in capsys.readouterr().err


def test_inspect_says_what_a_name_leads_to_that_no_file_can_have(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "a" * 300]) == 2
    assert "Errno" not in capsys.readouterr().err
