"""In a real window: verdict, ranking and smallest set of a planted fault are those of the command line."""

import csv
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from end_to_end.screens import Screen, wait_until
from end_to_end.simulated import draft, session, wait_for_runs, wait_for_verdict
from errorflow.case.session.file import read_session, write_session
from errorflow.case.session.model import Session, Simulation
from errorflow.cli.main import main
from errorflow.quant.presets import preset
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.rank.model import Ranking
from errorflow.study.rank.reading import order, value
from errorflow.study.search.asked import Sought
from errorflow.study.search.model import Search
from errorflow.study.simulate.basis import Basis
from errorflow_viewer.kit.look import LIGHT
from planted_faults import FAMILIES, planted
from planted_judging import SAMPLES, saved

pytestmark = pytest.mark.window
# On a screen of 1280 × 720 with the window maximised: the verdict above the graph, and the first row of the ranking.
BAR, FIRST = (600, 104), (430, 589)
VERDICT = (325, 92, 500, 24)
PRESET, LIMIT = "onnxruntime", 0.05
BY_KEY = {family.key: family for family in FAMILIES}


@dataclass(frozen=True)
class Told:
    """What the command line says of a model."""

    model: Path

    def run(self, command: str, *more: str) -> Path:
        out = self.model.parent / command
        given = [command, str(self.model), "--data", str(self.model.parent / SAMPLES), "--preset", PRESET]
        assert main([*given, "--out", str(out), *more]) == 0
        return out

    @cached_property
    def verdict(self) -> str:
        found: str = json.loads((self.run("simulate") / "summary.json").read_text(encoding="utf-8"))["text"]
        return found

    @cached_property
    def ranking(self) -> list[dict[str, str]]:
        with (self.run("sensitivity") / "ranking.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    @cached_property
    def best(self) -> dict[str, Any]:
        """The smallest set that is enough."""
        history = json.loads((self.run("search", "--target", f"relative_l2<={LIMIT}") / "history.json").read_text())
        found: dict[str, Any] = history["tried"][history["best"]]
        return found


def begin(screen: Screen, model: Path) -> None:
    """The app with a session in which the model is simulated, and with what is good enough."""
    basis = Basis(SampleSpec((str(model.parent / SAMPLES),)))
    path = model.parent / "case.errorflow"
    simulation = Simulation(basis, preset(PRESET).plan)
    write_session(Session(model, simulation=simulation, sought=Sought(limit=LIMIT)), path)
    screen.start("--new-instance", str(path))
    screen.wait_for_graph(f"{path.name} – Errorflow")
    wait_for_runs(screen, 1)


def bar(screen: Screen) -> str:
    """What stands above the graph, copied by its menu: asked again where a key was faster than the menu."""
    wait_until(lambda: screen.count(LIGHT.link, *VERDICT) > 20, "the verdict above the graph")

    def is_copied() -> bool:
        screen.do("xdotool", "mousemove", str(BAR[0]), str(BAR[1]), "click", "3")
        screen.keys("Down", "Return")
        return bool(screen.copied())

    wait_until(is_copied, "the verdict, copied")
    return screen.copied()


def ranked(screen: Screen) -> Ranking:
    """Asked with the key; all that the window found out, as its draft has it."""

    def known() -> Ranking | None:
        found = read_session(draft(screen)).session.rankings
        return found[-1].ranking if found and found[-1].ranking.complete else None

    screen.keys("F8")
    wait_until(lambda: known() is not None, "a ranking")
    found = known()
    assert found is not None
    return found


def searched(screen: Screen) -> Search:
    def known() -> Search | None:
        found = read_session(draft(screen)).session.searches
        return found[-1].search if found and found[-1].search.complete else None

    screen.keys("F7", "ctrl+Return")
    wait_until(lambda: known() is not None, "the smallest set")
    found = known()
    assert found is not None
    return found


@pytest.mark.parametrize(("family", "net", "seed"), [("loud channel", "mobile", 2), ("mixed", "mobile", 0)])
def test_the_window_says_of_a_planted_fault_what_the_command_line_says(
    family: str, net: str, seed: int, screen: Screen, tmp_path: Path
) -> None:
    case = planted(BY_KEY[family], net, seed, per_channel=False)
    (tmp_path / "case").mkdir()
    told = Told(saved(case.model, case, tmp_path / "case", "model"))
    begin(screen, told.model)

    wait_for_verdict(screen, 0, told.verdict)
    assert bar(screen) == told.verdict

    ranking = ranked(screen)
    first = int(order(ranking)[0])
    assert ranking.parts[first].name == told.ranking[0]["part"]
    assert value(ranking)[first] == pytest.approx(float(told.ranking[0]["impact_relative_l2"]), rel=1e-6)
    screen.click(*FIRST)
    nodes = told.ranking[0]["nodes"].split(";")
    wait_until(lambda: session(screen)["node"] in nodes, "the node of the first row, selected by it")

    search = searched(screen)
    best = search.best
    assert best is not None and best.good and told.best["good"]
    assert [part.name for part, _ in search.chosen(best)] == list(told.best["raised"])
    assert best.value == pytest.approx(told.best["value"], rel=1e-6)
