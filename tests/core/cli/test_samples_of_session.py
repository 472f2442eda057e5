"""A session in the place of a model, for commands that take its samples and its plan as they are."""

from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import pytest

from errorflow.base.sample import SAMPLES
from errorflow.case.session.file import write_session
from errorflow.case.session.model import Session, Simulation
from errorflow.cli.main import main, make_parser
from errorflow.cli.of_session import with_samples_of
from errorflow.quant.presets import preset
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.evaluate.asked import LabelledSet
from errorflow.study.simulate.basis import Basis

SAMPLE = SAMPLES[0]
PLAN = replace(preset("pulsar2-u8").plan, preset="").keeping_float("a")
BASIS = Basis(SampleSpec((str(SAMPLE.calibration),)), samples=6, calibrate_on=2, own=False, method="mse")


@pytest.fixture
def case(tmp_path: Path) -> Path:
    return written(tmp_path, Session(SAMPLE.model, simulation=Simulation(BASIS, PLAN)))


def written(folder: Path, session: Session) -> Path:
    write_session(session, folder / "case.errorflow")
    return folder / "case.errorflow"


def said(*words: object) -> Namespace:
    return with_samples_of(make_parser().parse_args([str(word) for word in words]))


def test_what_cannot_divide_samples_takes_those_that_calibrate(case: Path) -> None:
    for command in ("calibrate", "outliers"):
        options = said(command, case)
        assert options.data == [str(SAMPLE.calibration)] and options.samples == 2
    assert said("calibrate", case).model == str(SAMPLE.model) and said("outliers", case).paths == [str(SAMPLE.model)]
    assert said("calibrate", case, "--samples", 3).samples == 3


def test_other_samples_take_the_place_of_the_sessions(case: Path) -> None:
    options = said("export", case, "--to", "plan", "--random", 5)
    assert (options.data, options.random, options.samples, options.basis) == ([], 5, None, None)
    assert options.begun == PLAN


def test_a_decision_is_handed_over_as_the_session_simulates_it(case: Path) -> None:
    options = said("export", case, "--to", "plan")
    assert options.begun == PLAN and options.basis == BASIS and options.reference is None


def test_the_plan_is_evaluated_on_what_calibration_leaves(case: Path) -> None:
    options = said("evaluate", case)
    assert (options.calibrate_on, options.samples, options.calibrate_data) == (2, 6, [])
    assert options.begun == PLAN and options.case == "case.errorflow"


def test_a_labelled_set_is_what_is_evaluated_but_no_file_of_python_is_run(tmp_path: Path) -> None:
    labelled = LabelledSet((str(tmp_path),), tmp_path / "y.npy", evaluator=tmp_path / "own.py", output="scores")
    options = said(
        "evaluate", written(tmp_path, Session(SAMPLE.model, simulation=Simulation(BASIS, PLAN), labelled=labelled))
    )
    assert options.data == [str(tmp_path)] and options.calibrate_data == [str(SAMPLE.calibration)]
    assert options.labels == tmp_path / "y.npy" and options.outputs == ["scores"] and options.evaluator is None


@pytest.mark.parametrize("command", ["evaluate", "export --to plan", "calibrate", "outliers"])
def test_a_session_that_simulates_nothing_is_a_sentence(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, *more = command.split()
    assert main([name, str(written(tmp_path, Session(SAMPLE.model))), *more]) == 2
    assert "Nothing is simulated in case.errorflow." in capsys.readouterr().err


def test_a_plan_of_a_session_is_written_for_a_toolchain(case: Path, tmp_path: Path) -> None:
    assert main(["export", str(case), "--to", "plan", "-out", str(tmp_path / "out")]) == 0
    assert list((tmp_path / "out").rglob("*.json"))


def test_all_else_is_left_as_it_is() -> None:
    assert said("outliers", "run.npz", "--axis", 1).paths == ["run.npz"]
    assert said("export", "--read", "a.json", "--for", "b.onnx").model is None
