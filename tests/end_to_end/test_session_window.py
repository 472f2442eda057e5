"""Sessions as a user meets them: saved by a key, opened again, and there after the app was killed."""

import json
from dataclasses import replace
from typing import Any

import pytest

from end_to_end.screens import Screen, wait_until
from errorflow.base.sample import SAMPLES
from errorflow.case.session.file import read_session, write_session
from errorflow.case.session.model import Session, Simulation
from errorflow.quant.presets import preset
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis
from errorflow_viewer.kit.look import LIGHT

pytestmark = pytest.mark.window
MODEL = SAMPLES[0].model
GRAPH = (312, 160, 700, 300)
# Parts of the menu of files, and of what hangs on it where sessions were not saved.
MENU, UNSAVED = (12, 430, 100, 120), (345, 405, 230, 30)


def drafts(screen: Screen, name: str) -> list[dict[str, Any]]:
    """What the drafts of that kind hold; one that is being written is left for the next look."""
    found = sorted(screen.folder.rglob(f"drafts/{name}"))
    return [json.loads(path.read_text()) for path in found]


def swapped(found: list[dict[str, Any]]) -> bool:
    return any(rows["painting"]["swapped"] for rows in found)


def decided(screen: Screen) -> None:
    """The app with the sample and one decision about it."""
    screen.start("--new-instance", str(MODEL))
    screen.wait_for_graph(f"{MODEL.name} – Errorflow")
    wait_until(lambda: screen.count("#7B1E3A", *GRAPH) > 200, "the colours of the sample")
    screen.keys("ctrl+F6", "x")
    wait_until(lambda: swapped(drafts(screen, "open-*.errorflow")), "a draft that holds the decision")


def test_a_key_saves_and_the_file_opens_as_it_was(screen: Screen) -> None:
    decided(screen)
    file = screen.folder / "case.errorflow"
    screen.keys("ctrl+s")
    screen.wait_for_title("Save the session")
    screen.type(str(file))
    screen.keys("Return")
    wait_until(file.exists, "the file")
    screen.wait_for_title("case.errorflow – Errorflow")
    screen.close("case.errorflow")
    wait_until(lambda: not screen.titles(), "the end of the app")
    screen.start("--new-instance", str(file))
    screen.wait_for_title("case.errorflow – Errorflow")
    wait_until(lambda: swapped(drafts(screen, "open-*.errorflow")), "the session on view")
    assert json.loads(file.read_text())["model"].startswith("sample:")


def test_what_was_decided_survives_a_kill(screen: Screen) -> None:
    decided(screen)
    screen.started[-1].kill()
    screen.started[-1].wait()
    screen.start("--new-instance")
    screen.wait_for_title("Errorflow")
    wait_until(lambda: len(drafts(screen, "aside-*.errorflow")) == 1, "the draft, set aside")
    wait_until(lambda: screen.count(LIGHT.info.background, 0, 60, 1280, 80) > 5000, "the offer")
    screen.focus("Errorflow")
    screen.open_menu("alt+f", *MENU)
    screen.open_menu("u", *UNSAVED)
    screen.keys("Return")
    screen.wait_for_title(f"{MODEL.name}")
    wait_until(lambda: swapped(drafts(screen, "open-*.errorflow")), "the session on view")
    wait_until(lambda: not drafts(screen, "aside-*.errorflow"), "nothing left to offer")


def test_undo_takes_a_decision_back(screen: Screen) -> None:
    decided(screen)
    screen.keys("ctrl+z")
    wait_until(lambda: not swapped(drafts(screen, "open-*.errorflow")), "the step taken back")
    screen.keys("ctrl+shift+z")
    wait_until(lambda: swapped(drafts(screen, "open-*.errorflow")), "the step done again")


def test_a_simulation_runs_again_by_itself(screen: Screen) -> None:
    sample = next(sample for sample in SAMPLES if sample.key == "node_fault")
    basis = Basis(SampleSpec((str(sample.calibration),)), samples=12)
    file = screen.folder / "case.errorflow"
    session = Session(model=sample.model, simulation=Simulation(basis, preset("onnxruntime").plan))
    write_session(session, file)
    screen.start("--new-instance", str(file))
    screen.wait_for_title("case.errorflow")
    wait_until(lambda: any(rows["trials"] for rows in drafts(screen, "open-*.errorflow")), "what came of the plan")
    wait_until(lambda: screen.count("#7B1E3A", *GRAPH) > 200, "its colours")
    screen.started[-1].kill()
    screen.started[-1].wait()
    (draft,) = screen.folder.rglob("drafts/open-*.errorflow")
    kept = read_session(draft).session
    assert kept.simulation is not None
    assert replace(kept.simulation, sample=-1) == session.simulation
    assert [trial.name for trial in kept.trials] == ["Run 1"]
