"""A fault is found from the folder of every comparison by the printed command, and nothing else is accused."""

import shlex
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from amct_case import truth
from amct_case.folders import PROTOTXT, RECORD, Planted
from planted_by_command import MOST, NOTICED, Told, compared, complaints, printed, said
from planted_scenarios import BOARD, CASES, HARM, HARMLESS, LATE, OTHERS, QUANTIZATION, ROWS, of_fault

FOLDER = "case"
# What a comparison has no use for: runs of real values hold no codes that a record could bring back, and of three runs
# the graph of what ran on the board is shown.
NOT_TAKEN = {"fake-quantized": (RECORD,), "three, Ascend": (PROTOTXT,)}
WHOLE = [name for name, row in ROWS.items() if not row.late]


EACH = pytest.mark.parametrize(
    ("row", "plant"), [pytest.param(*case, marks=pytest.mark.slow if case in OTHERS else ()) for case in CASES]
)
Write = Callable[[str, str], tuple[Planted, Path]]


def written(place: Path, row: str, plant: str) -> Planted:
    (place / FOLDER).mkdir()
    return ROWS[row].write(place / FOLDER, ROWS[row].cases()[plant])


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Write:
    """Writes a scenario once for all that is asked of it, and says where."""

    @cache
    def write(row: str, plant: str) -> tuple[Planted, Path]:
        place = tmp_path_factory.mktemp("scenario")
        return written(place, row, plant), place

    return write


def command_of(place: Path, row: str) -> str:
    commands, key = printed(place, FOLDER), ROWS[row].key
    assert key in commands, f"no command is printed for [{key}], only {commands}"
    return commands[key]


def stage_complaints(told: Told, case: Planted) -> list[str]:
    stage = str(told.data.get("stages", {}).get("fault", ""))
    return [] if stage == case.stage else [f"says that the stage at fault is “{stage}”, not “{case.stage}”"]


@EACH
def test_what_is_planted_is_what_is_told(row: str, plant: str, scenario: Write) -> None:
    case, place = scenario(row, plant)
    command = command_of(place, row)
    told = compared(command, place)

    wrong = complaints(told, case.expected, case.guilty) + stage_complaints(told, case)
    assert not wrong, f"{command}: {'; '.join(wrong)}. It says: {told.headline} {told.top}"


@EACH
def test_what_is_planted_does_the_harm_that_it_is_to_do(row: str, plant: str, scenario: Write) -> None:
    case, _ = scenario(row, plant)

    assert case.harm <= HARMLESS if case.expected == "twin" else case.harm >= HARM
    assert bool(case.guilty) == (case.expected == "fault")


ALONE = {f"{plant} in {plant.stage}": of_fault(plant) for plant in (*QUANTIZATION, *BOARD)}
FAULTS = ALONE | {f"{plant}, late": of_fault(plant, late=True) for plant in LATE}


@pytest.mark.parametrize("fault", FAULTS)
def test_of_a_fault_nobody_else_is_to_blame(fault: str) -> None:
    gains = truth.others(FAULTS[fault])

    assert len(gains) > 8
    assert max(gains.values()) < NOTICED


@pytest.mark.parametrize("row", WHOLE)
def test_of_a_drift_nobody_brings_most(row: str) -> None:
    gains = ROWS[row].parts(ROWS[row].cases()["drift"])

    assert len(gains) > 8
    assert max(gains.values()) < MOST


@pytest.mark.parametrize("row", WHOLE)
def test_the_command_takes_all_that_lies_there(row: str, scenario: Write) -> None:
    case, place = scenario(row, "twin")
    words = shlex.split(command_of(place, row))

    assert [file for file in case.files if f"{FOLDER}/{file}" not in words] == list(NOT_TAKEN.get(row, ()))


@pytest.mark.parametrize("row", [name for name, row in ROWS.items() if row.guide])
def test_the_guide_prints_the_same_command(row: str, scenario: Write) -> None:
    _, place = scenario(row, "twin")
    command = command_of(place, row)
    _, text = said(["guide", ROWS[row].guide, FOLDER, "--step", str(ROWS[row].step)], place)

    assert command in [line.strip() for line in text.splitlines()]
