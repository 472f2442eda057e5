"""In a real window: who is wrong on purpose is the only origin that a search finds, and the vendor's files open."""

import json
from pathlib import Path
from typing import Any

import pytest

from end_to_end.screens import Screen, wait_until
from errorflow.base.sample import SAMPLES
from errorflow.report.scale import LIGHT as ERROR
from make_sample.members import BROKEN
from planted_cases import source_for
from tools.npu_case.case import Case, Wish, write_case
from tools.npu_case.faults import Fault

pytestmark = pytest.mark.window
# Where the list of nodes and the graph are on a screen of 1280 × 720 with the window maximised.
LIST, GRAPH = (0, 190, 270, 480), (312, 160, 700, 330)
ASCEND = Path(__file__).parents[3] / "shared" / "data" / "ascend"


def planted(folder: Path, keep_model: bool) -> tuple[Case, Fault]:
    source = source_for("transformer", 201)
    fault = Fault("/encoder/mlp/fc1/MatMul", "weights", 2.0)
    return write_case(source, folder, Wish(faults=(fault,), keep_model=keep_model)), fault


def sessions(screen: Screen) -> list[dict[str, Any]]:
    """What the window shows, as its draft has it; one that is being written is left for the next look."""
    return [json.loads(path.read_text()) for path in screen.folder.rglob("drafts/open-*.errorflow")]


def wait_for_errors(screen: Screen, title: str) -> None:
    screen.wait_for_graph(title)
    wait_until(lambda: screen.count(ERROR.hex(1.0), *GRAPH) > 20, "the colour of a large error in the graph")
    wait_until(lambda: screen.count(ERROR.hex(1.0), *LIST) > 20, "the colour of a large error in the list")


def search(screen: Screen, text: str) -> None:
    screen.keys("ctrl+f")
    screen.type(text)
    wait_until(lambda: any(found["search"] == text for found in sessions(screen)), "the search")


def wait_for_node(screen: Screen, name: str) -> None:
    """Until the first hit, which a key selects, is that node; the verdict may still be on its way."""

    def is_found() -> bool:
        screen.keys("ctrl+f", "Down")
        return any(found["node"] == name for found in sessions(screen))

    wait_until(is_found, f"{name}, there is {[found['node'] for found in sessions(screen)]}")


@pytest.mark.parametrize("keep_model", [False, True], ids=["estimated", "exact"])
def test_the_only_origin_in_a_dropped_folder_is_the_operator_with_the_fault(
    keep_model: bool, screen: Screen, tmp_path: Path
) -> None:
    case, fault = planted(tmp_path / "case", keep_model)
    screen.start("--new-instance", str(case.folder))
    wait_for_errors(screen, "model.json")
    search(screen, "verdict:origin")
    wait_for_node(screen, case.holder[fault.node])
    search(screen, f"verdict:origin -name:{case.holder[fault.node]}")
    wait_until(lambda: screen.count(ERROR.hex(1.0), *LIST) == 0, "a list without any other bad origin")
    assert [found["node"] for found in sessions(screen)] == [case.holder[fault.node]]


def test_the_files_on_the_command_line_lead_to_the_same_operator(screen: Screen, tmp_path: Path) -> None:
    case, fault = planted(tmp_path / "case", False)
    files = ["-m", str(case.npu), "-g", str(case.golden), "-f", str(case.fusion)]
    screen.start("--new-instance", "--compare", *files)
    wait_for_errors(screen, "model.json")
    search(screen, "verdict:origin")
    wait_for_node(screen, case.holder[fault.node])


def test_the_origin_in_the_sample_is_its_planted_fault(screen: Screen) -> None:
    screen.start("--new-instance", str(SAMPLES[0].model))
    wait_for_errors(screen, SAMPLES[0].model.name)
    search(screen, "verdict:origin")
    wait_for_node(screen, BROKEN)


@pytest.mark.skipif(not ASCEND.is_dir(), reason="the vendor files next to the repository are absent")
@pytest.mark.parametrize(
    ("title", "files"),
    [
        ("s1_fusion.json", ["-m", "s1_npu", "-g", "s1_golden", "-f", "s1_fusion.json"]),
        (
            "s2_fusion.json",
            ["-m", "s2_npu_quant", "-g", "s2_original_npy", "-f", "s2_fusion.json", "-q", "s2_quant.json"],
        ),
        ("s3_npu_a", ["-m", "s3_npu_a", "-g", "s3_npu_b"]),
        ("s8_real_atc.json", ["-m", "s8_npu", "-g", "s8_golden", "-f", "s8_real_atc.json"]),
    ],
    ids=["s1", "s2", "s3", "s8"],
)
def test_the_vendors_comparisons_open_and_are_painted(title: str, files: list[str], screen: Screen) -> None:
    arguments = [text if text.startswith("-") else str(ASCEND / text) for text in files]
    screen.start("--new-instance", "--compare", *arguments)
    screen.wait_for_graph(title)
    painted = [ERROR.hex(at) for at in (0.0, 1.0)]
    wait_until(lambda: sum(screen.count(color, *LIST) for color in painted) > 20, "errors in the list")
    wait_until(lambda: sum(screen.count(color, *GRAPH) for color in painted) > 20, "errors in the graph")
    assert screen.started[-1].poll() is None
