"""Sessions whose files have moved."""

from pathlib import Path

from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.model import Session, Simulation
from errorflow.case.session.moved import files_of, looked_for, missing
from errorflow.quant.plan import Plan
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.trial import Trial


def made(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    return path


def test_what_is_missing_is_named_once(tmp_path: Path) -> None:
    here, gone = made(tmp_path / "a.onnx"), tmp_path / "gone"
    session = Session(model=here, setup=Setup("any", {"candidate": gone, "reference": gone}))
    assert files_of(session) == (here, gone)
    assert missing(session) == (gone,)


def test_missing_files_are_found_in_a_folder(tmp_path: Path) -> None:
    run = tmp_path / "new" / "case" / "run"
    run.mkdir(parents=True)
    model = made(tmp_path / "new" / "net.onnx")
    session = Session(
        model=tmp_path / "old" / "net.onnx", setup=Setup("any", {"candidate": tmp_path / "old" / "case" / "run"})
    )
    found = looked_for(session, tmp_path / "new")
    assert found.model == model
    assert found.setup is not None and found.setup.files == {"candidate": run}


def test_of_several_the_one_in_the_most_similar_place_is_taken(tmp_path: Path) -> None:
    made(tmp_path / "x" / "a" / "net.onnx")
    right = made(tmp_path / "x" / "b" / "net.onnx")
    assert looked_for(Session(model=Path("/gone/b/net.onnx")), tmp_path).model == right


def test_what_is_found_nowhere_stays_what_it_was(tmp_path: Path) -> None:
    session = Session(model=tmp_path / "gone.onnx")
    assert looked_for(session, tmp_path) == session


def test_the_second_model_is_looked_for_as_well(tmp_path: Path) -> None:
    second = made(tmp_path / "new" / "other.onnx")
    session = Session(second=tmp_path / "old" / "other.onnx")
    assert missing(session) == (session.second,)
    assert looked_for(session, tmp_path / "new").second == second


def test_samples_are_needed_and_found_too(tmp_path: Path) -> None:
    photos, ranges = tmp_path / "new" / "photos", made(tmp_path / "new" / "ranges.json")
    photos.mkdir()
    old = tmp_path / "old"
    basis = Basis(SampleSpec((str(old / "photos"),)), calibration=old / "ranges.json")
    session = Session(simulation=Simulation(basis, Plan()), trials=(Trial("Run 1", Plan(), basis),))
    assert missing(session) == (old / "photos", old / "ranges.json")
    found = looked_for(session, tmp_path / "new")
    expected = Basis(SampleSpec((str(photos),)), calibration=ranges)
    assert found.simulation is not None
    assert found.simulation.basis == expected
    assert found.trials[0].basis == expected


def test_the_session_that_is_compared_with_is_looked_for_and_not_needed(tmp_path: Path) -> None:
    model, since = tmp_path / "model.onnx", tmp_path / "old" / "yesterday.errorflow"
    model.write_bytes(b"")
    session = Session(model, since=since)
    assert missing(session) == ()
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / since.name).write_text("{}", encoding="utf-8")
    assert looked_for(session, tmp_path).since == tmp_path / "new" / since.name
