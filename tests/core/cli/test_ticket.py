"""Ticket bundles on the command line."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from bundles import changed, lines_of
from errorflow.base.sample import SAMPLES
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.file import write_session
from errorflow.case.session.model import Session, Simulation
from errorflow.cli.main import main
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis

CULPRIT = "/block2/project/conv/Conv"


@pytest.fixture
def session(tmp_path: Path) -> Path:
    sample = SAMPLES[0]
    given = {"model": sample.model, "reference": sample.reference_run, "candidate": sample.candidate_run}
    files = {need: Path(shutil.copy(path, tmp_path)) for need, path in given.items()}
    write_session(Session(files["model"], Setup("runs", files)), tmp_path / "case.errorflow")
    return tmp_path / "case.errorflow"


@pytest.fixture
def bundle(session: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    path = session.with_name("case.zip")
    assert main(["report", str(session), "-o", str(path), "--tensors", CULPRIT, "--answer", "chip=AX650N"]) == 0
    capsys.readouterr()
    return path


def test_a_session_becomes_a_bundle(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["session", str(bundle)]) == 0
    said = capsys.readouterr().out
    assert "Ticket bundle of node_fault.onnx, made on" in said
    assert f"tensors of {CULPRIT}" in said and "The tensors of 30 of 31 nodes" in said
    assert "checksums are right" in said
    assert "- **Chip and board**: AX650N" in lines_of(bundle, "ticket.md")


def test_the_form_and_the_notes_are_told(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = session.with_name("told.zip")
    assert main(["session", str(session), "--note", "since Tuesday", "--note-on", CULPRIT, "look here"]) == 0
    answers = ["--answer", "chip=AX650N", "--answer", "commands=one\ntwo"]
    assert main(["report", str(session), "-o", str(path), *answers]) == 0
    capsys.readouterr()
    assert main(["session", str(path)]) == 0
    said = capsys.readouterr().out
    assert f"Verdict: Node error: {CULPRIT}" in said
    assert "  Chip and board: AX650N\n" in said and "  Commands used there: one\n    two\n" in said
    assert "Note\n  since Tuesday\n" in said and f"  {CULPRIT}: look here\n" in said
    assert "please fill in" not in said
    assert main(["session", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["form"]["Chip and board"] == "AX650N"
    assert main(["report", str(path), "-o", str(session.with_name("told.html"))]) == 0
    assert "AX650N" in session.with_name("told.html").read_text("utf-8")


def test_the_call_names_files_and_numbers_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same whether the session was given by a whole path or not; a run that is only a number too."""
    home = tmp_path / "customer" / "digits" / "1"
    home.mkdir(parents=True)
    sample = SAMPLES[0]
    files = {"candidate": home / "0", "reference": home.parent / "golden.npz", "model": home.parent / "net.onnx"}
    np.savez(files["reference"], **np.load(sample.reference_run))
    shutil.copy(sample.model, files["model"])
    files["candidate"].mkdir()
    for name, values in np.load(sample.candidate_run).items():
        np.save(files["candidate"] / f"{name.replace('/', '_')}.npy", values)
    np.savez(files["model"].with_name("inputs.npz"), x=np.zeros(1))
    write_session(Session(files["model"], Setup("runs", files)), tmp_path / "case.errorflow")
    monkeypatch.chdir(tmp_path)
    assert main(["report", "case.errorflow", "-o", "relative.zip"]) == 0
    assert main(["report", str(tmp_path / "case.errorflow"), "-o", "whole.zip", "--with-inputs"]) == 0
    said = [lines_of(Path(name), "config/command.txt") for name in ("relative.zip", "whole.zip")]
    assert said[0] == said[1]
    words = "-m '[folder 2]/0' -g '[folder 1]/golden.npz' --model '[folder 1]/net.onnx'"
    assert words in "\n".join(said[0])
    ticket = "\n".join(lines_of(Path("whole.zip"), "ticket.md"))
    assert "candidate: [folder 2]/0" in ticket and "customer" not in ticket
    assert "**Float model**: net.onnx, not in the bundle" in ticket
    assert "**Test with a single input**: inputs.npz, in inputs/" in ticket
    assert main(["report", "case.errorflow", "-o", "open.zip", "--no-redact"]) == 0
    assert "customer/digits/1/0" in "\n".join(lines_of(Path("open.zip"), "config/command.txt"))


def test_a_preview_writes_nothing(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    note = session.read_text().replace('"notes": {}', json.dumps({"notes": {"x": "/home/jane/x"}})[1:-1])
    session.write_text(note)
    assert main(["report", str(session), "-o", str(session.with_name("case.zip")), "--preview"]) == 0
    said = capsys.readouterr().out
    assert "Models with their weights: 20,799 bytes, 1 file (not chosen)" in said
    assert "/home/jane/x  →  x" in said
    assert not session.with_name("case.zip").exists()


def test_a_bundle_reports_like_the_session(bundle: Path, session: Path, tmp_path: Path) -> None:
    session.unlink()
    for path in (*tmp_path.glob("*.npz"), *tmp_path.glob("*.onnx")):
        path.unlink()
    assert main(["report", str(bundle), "-o", str(tmp_path / "case.html")]) == 0
    text = (tmp_path / "case.html").read_text(encoding="utf-8")
    assert "<h1 class='wrap'>node_fault.onnx</h1>" in text and f"{CULPRIT} brings 100" in text


def test_a_bundle_becomes_another_one(bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(bundle), "-o", str(tmp_path / "b.zip"), "--tensors", CULPRIT]) == 0
    assert "!" not in capsys.readouterr().out
    assert main(["session", str(tmp_path / "b.zip")]) == 0
    assert f"tensors of {CULPRIT}" in capsys.readouterr().out


def test_a_bundle_is_unpacked_into_a_new_folder(bundle: Path, tmp_path: Path) -> None:
    assert main(["session", str(bundle), "--unpack", str(tmp_path / "there")]) == 0
    assert (tmp_path / "there" / "case.errorflow").exists()


def test_what_was_changed_is_said_and_the_exit_code_tells(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = changed(bundle, tmp_path / "other.zip", {"ticket.md": b"x"})
    assert main(["session", str(path)]) == 1
    assert "! ticket.md is not as it was written" in capsys.readouterr().out
    assert main(["session", str(path), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["problems"]


def test_a_bundle_is_named_where_a_model_is_wanted(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["render", str(bundle), "-o", str(tmp_path / "graph.svg")]) == 2
    assert "case.zip is a ticket bundle of Errorflow." in capsys.readouterr().err
    assert main(["inspect", str(bundle)]) == 0
    assert "Ticket bundle of" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--tensors", "nope"], "The model has no node nope."),
        (["--answer", "colour=red"], "colour is no field of the form."),
        (["--redact", "paths,weather"], "'weather' is nothing that can be taken out."),
    ],
)
def test_what_makes_no_sense_is_a_sentence(
    session: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(session), "-o", str(session.with_name("case.zip")), *words]) == 2
    assert said in capsys.readouterr().err


def test_a_bundle_cannot_be_changed_as_a_session_can(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["session", str(bundle), "--note", "x"]) == 2
    assert "stays as it was sent" in capsys.readouterr().err


def test_a_simulation_becomes_a_bundle_with_its_settings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from errorflow.quant.presets import preset

    sample = SAMPLES[2]
    model, samples = (Path(shutil.copy(path, tmp_path)) for path in (sample.model, sample.calibration))
    basis = Basis(SampleSpec((str(samples),)), samples=6)
    session = Session(model, simulation=Simulation(basis, preset("onnxruntime").plan))
    write_session(session, tmp_path / "case.errorflow")
    path = tmp_path / "case.zip"
    words = ["report", str(tmp_path / "case.errorflow"), "-o", str(path), "--with-inputs"]
    assert main([*words, "--tensors", "/block1/depthwise/conv/Conv"]) == 0
    capsys.readouterr()
    assert main(["session", str(path)]) == 0
    said = capsys.readouterr().out
    assert "inputs/: 1 file" in said and f"samples: {samples.name} (as inputs/{samples.name})" in said
    assert lines_of(path, "config/plan.json") and lines_of(path, "config/pulsar2/pulsar2_config.json")
    call = f"errorflow simulate '[folder 1]/{model.name}' --data '[folder 1]/{samples.name}'"
    assert lines_of(path, "config/command.txt")[0].startswith(call)


def test_a_session_that_was_saved_of_a_bundle_reports_from_it(
    bundle: Path, session: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in (*tmp_path.glob("*.npz"), *tmp_path.glob("*.onnx")):
        path.unlink()
    own = tmp_path / "mine.errorflow"
    write_session(Session(tmp_path / "gone.onnx", notes={CULPRIT: "mine alone"}, bundle=bundle), own)
    assert main(["report", str(own), "-o", str(tmp_path / "mine.html")]) == 0
    assert "mine alone" in (tmp_path / "mine.html").read_text(encoding="utf-8")
    assert main(["report", str(own), "-o", str(tmp_path / "mine.zip")]) == 0
    assert main(["session", str(own)]) == 0
    assert f"ticket bundle: {bundle}" in capsys.readouterr().out
