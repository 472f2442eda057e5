"""`errorflow session`: what is in a session, and the same comparison without a window."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from errorflow.base.sample import SAMPLES
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.file import read_session, write_session
from errorflow.case.session.model import HandPair, Painting, Session, Simulation
from errorflow.cli.main import main
from errorflow.quant.presets import preset
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.trial import Trial
from run_models import savez


@pytest.fixture
def case(tmp_path: Path) -> Path:
    for run, names in (("golden", "ab"), ("mine", "ac")):
        (tmp_path / run).mkdir()
        for name in names:
            np.save(tmp_path / run / f"{name}.npy", np.arange(8.0, dtype=np.float32))
    setup = Setup("runs", {"candidate": tmp_path / "mine", "reference": tmp_path / "golden"})
    session = Session(
        setup=setup,
        hand_pairs=(HandPair("c", "b"),),
        notes={"a": "ask the vendor"},
        painting=Painting(limits={"cosine": (0.99, 0.5)}),
    )
    write_session(session, tmp_path / "case.errorflow")
    return tmp_path / "case.errorflow"


def test_it_says_what_a_session_holds(case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["session", str(case)]) == 0
    said = capsys.readouterr().out
    assert str(case.parent / "mine") in said and "ask the vendor" in said and "cosine 0.99 to 0.5" in said
    assert "errorflow compare -m" in said and "not there" not in said


def test_it_says_the_same_to_programs(case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["session", str(case), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["pairs"] == [["c", "b"]] and found["missing"] == [] and found["scenario"] == "runs"


def test_it_compares_what_the_session_compares(case: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    assert main(["session", str(case), "--compare", str(out)]) == 0
    rows = (out / "tensors.csv").read_text().splitlines()
    assert any(row.startswith("c,") or '"c"' in row for row in rows)
    assert len(rows) == 3


def test_moved_files_are_looked_for_and_saved(case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    moved = case.parent / "elsewhere"
    moved.mkdir()
    (case.parent / "mine").rename(moved / "mine")
    main(["session", str(case)])
    assert "not there" in capsys.readouterr().out
    assert main(["session", str(case), "--look-in", str(moved)]) == 0
    setup = read_session(case).session.setup
    assert setup is not None and setup.file("candidate") == moved / "mine"


def test_a_session_without_runs_compares_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_session(Session(), tmp_path / "empty.errorflow")
    assert main(["session", str(tmp_path / "empty.errorflow"), "--compare", str(tmp_path)]) == 2
    assert "compares nothing" in capsys.readouterr().err


def test_pairs_whose_names_cannot_be_typed_are_compared_all_the_same(tmp_path: Path) -> None:
    sides = {"candidate": ("a=b", "-m"), "reference": ("c", "d=e")}
    for side, names in sides.items():
        savez(tmp_path / f"{side}.npz", {name: np.arange(8, dtype=np.float32) for name in names})
    files = {side: tmp_path / f"{side}.npz" for side in sides}
    pairs = (HandPair("a=b", "c"), HandPair("-m", "d=e"))
    write_session(Session(setup=Setup("runs", files), hand_pairs=pairs), tmp_path / "case.errorflow")
    assert main(["session", str(tmp_path / "case.errorflow"), "--compare", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out" / "tensors.csv").read_text().count("by hand") == 2


def test_a_run_that_is_called_like_an_option_is_a_run(case: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(case.parent)
    (case.parent / "mine").rename(case.parent / "-c")
    setup = Setup("runs", {"candidate": Path("-c"), "reference": Path("golden")})
    write_session(Session(setup=setup), Path("odd.errorflow"))
    assert main(["session", "odd.errorflow", "--compare", "out"]) == 0


def test_a_session_that_lacks_a_run_says_which(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    setup = Setup("runs", {"candidate": tmp_path / "mine"})
    write_session(Session(setup=setup), tmp_path / "half.errorflow")
    assert main(["session", str(tmp_path / "half.errorflow"), "--compare", str(tmp_path)]) == 2
    assert "Missing: Run to trust." in capsys.readouterr().err


@pytest.fixture
def simulated(tmp_path: Path) -> Path:
    basis = Basis(SampleSpec((str(tmp_path / "photos"),)), method="mse", others=(str(tmp_path / "others"),))
    plan = preset("onnxruntime").plan.keeping_float("conv")
    trial = Trial("Run 1", plan, basis, {"y": {"sqnr": math.nan}}, "node error")
    session = Session(simulation=Simulation(basis, plan, "Run 1"), trials=(trial,))
    write_session(session, tmp_path / "case.errorflow")
    return tmp_path / "case.errorflow"


def test_it_says_what_is_simulated(simulated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["session", str(simulated)]) == 0
    said = capsys.readouterr().out
    assert f"samples: {simulated.parent / 'photos'}  (not there)" in said
    assert f"  samples to measure errors on: {simulated.parent / 'others'}  (not there)" in said
    assert "  onnxruntime, changed by hand (float: conv)\n" in said and "calibrated by mse" in said
    assert "Run 1: onnxruntime, changed by hand (float: conv). node error." in said


def test_it_says_to_programs_what_is_simulated(simulated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["session", str(simulated), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["simulation"]["evaluated"] == [str(simulated.parent / "others")]
    assert found["simulation"]["method"] == "mse" and found["simulation"]["plan"]["rules"][0]["names"] == ["conv"]
    assert found["trials"] == [{"name": "Run 1", "outputs": {"y": {"sqnr": None}}, "verdict": "node error"}]


def test_notes_are_written_and_taken_away(case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["session", str(case), "--note", "Build 412:\nworse than 411", "--note-on", "c", "look here"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Note\n  Build 412:\n  worse than 411\n") and "note on c: look here" in said
    kept = read_session(case).session
    assert (kept.note, kept.notes) == ("Build 412:\nworse than 411", {"a": "ask the vendor", "c": "look here"})
    assert main(["session", str(case), "--note", "", "--note-on", "c", "", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["note"], found["notes"]) == ("", {"a": "ask the vendor"})


def test_a_note_on_a_node_that_is_not_there_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "case.errorflow"
    write_session(Session(SAMPLES[0].model), path)
    before = path.read_bytes()
    assert main(["session", str(path), "--note-on", "/head/fc/Gem", "bad"]) == 2
    assert "has no node /head/fc/Gem" in (said := capsys.readouterr().err) and "Did you mean" in said
    assert path.read_bytes() == before
