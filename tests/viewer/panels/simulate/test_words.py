"""What the panel says in words of its own."""

from pathlib import Path

import pytest

from errorflow.base.errors import UsageError
from errorflow.quant.calibrate import METHODS
from errorflow.quant.calibrate.seen import Method
from errorflow.run.model import ModelInput
from errorflow.run.samples.asked import Pictures, SampleSpec
from errorflow.run.samples.pictures import Recipe
from errorflow.study.simulate.recognised import recognise
from errorflow_viewer.panels.simulate.told import (
    PERCENTILE,
    PREPROCESSINGS,
    Preprocessing,
    in_panel,
    method_told,
    numbers_text,
    parsed_numbers,
)

OPEN = ModelInput("x", "float32", ("N", 3, "H", "W"))
FIXED = ModelInput("x", "float32", (1, 3, 224, 224))


@pytest.mark.parametrize("row", METHODS, ids=lambda row: row.key)
def test_every_method_is_told_in_plain_words(row: Method) -> None:
    assert method_told(row.key) != PERCENTILE
    assert method_told(row.key).endswith(".")


def test_a_percentile_of_ones_own_is_told_too() -> None:
    assert method_told("percentile-97.5") == PERCENTILE


@pytest.mark.parametrize("row", PREPROCESSINGS, ids=lambda row: row.label)
def test_a_usual_way_is_one_that_pictures_can_be_made_by(row: Preprocessing) -> None:
    assert Recipe.of(FIXED, row.pictures).resize is not None


def _hints(tmp_path: Path) -> list[str]:
    """Of all that can be wrong with samples."""
    from PIL import Image

    Image.new("RGB", (8, 6)).save(tmp_path / "0.png")
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "0.bin").write_bytes(b"1234")
    (tmp_path / "empty").mkdir()
    asks = [
        (OPEN, SampleSpec((str(tmp_path / "0.png"),))),
        (FIXED, SampleSpec((str(tmp_path / "0.png"),))),
        (FIXED, SampleSpec((str(tmp_path / "0.png"),), pictures=Pictures(mean=(1.0, 2.0)))),
        (ModelInput("x", "float32", (1, 7, 6, 8)), SampleSpec((str(tmp_path / "0.png"),))),
        (OPEN, SampleSpec((str(tmp_path / "raw"),))),
        (FIXED, SampleSpec((str(tmp_path / "empty"),))),
        (OPEN, SampleSpec(seed=1)),
        (FIXED, SampleSpec()),
    ]
    problems = [recognise((want,), asked).problem for want, asked in asks]
    assert all(problems)
    return [f"{problem.message} {problem.hint}" for problem in problems if problem is not None]


def test_no_option_of_the_command_line_is_named(tmp_path: Path) -> None:
    for said in map(in_panel, _hints(tmp_path)):
        assert "--" not in said, said


def test_any_other_sentence_stays_as_it_is() -> None:
    error = UsageError("There is no file x.npy.", "Check the path.")
    assert in_panel(str(error)) == str(error)


@pytest.mark.parametrize(
    ("text", "numbers"), [("1, 2;3  4", (1.0, 2.0, 3.0, 4.0)), ("", ()), ("-1.5e2", (-150.0,)), ("one", None)]
)
def test_numbers_are_read_as_people_write_them(text: str, numbers: tuple[float, ...] | None) -> None:
    assert parsed_numbers(text) == numbers
    if numbers:
        assert parsed_numbers(numbers_text(numbers)) == numbers
