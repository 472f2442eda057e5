"""The outlier table as files."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.compare.results import read_results
from errorflow.explain.outliers.levels import LEVELS
from errorflow.explain.outliers.model import Outliers, OutlierTable
from errorflow.report.outliers import channels_csv, outlier_lines, outliers_csv, outliers_json
from errorflow.report.outliers_boxed import HEAD, TITLE, outliers_boxed

EVEN = Outliers("even", "activation", 1, np.array([1.0, 1.0, 1.0]), "n1", "Relu")
LOUD = Outliers("loud", "activation", 1, np.array([64.0, 1.0, 0.5, 0.0]), "n2", "Conv")
WEIGHT = Outliers(
    "w", "weight", 0, np.array([8.0, 1.0]), "n2", "Conv", "2 values that are NaN or infinite are left out."
)
TABLE = OutlierTable("m.onnx", (EVEN, LOUD, WEIGHT), 3, 2, ("Odd.",), facts={"model": "m.onnx"})
NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30)


def lines(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_boxed_table_is_read_as_pulsar2s_own(tmp_path: Path) -> None:
    path = tmp_path / "outliers.txt"
    path.write_text(outliers_boxed(TABLE), "utf-8")

    [found] = read_results(path)

    assert (found.label, found.problems) == ("Pulsar2 outliers", ())
    assert [row.name for row in found.rows] == ["even", "loud", "w"]
    assert found.rows[1].values == {
        "pulsar2.outliers.sparse": 0.25,
        **{f"pulsar2.outliers.level.{level}": 0.5 for level in LEVELS},
    }


@given(st.lists(st.tuples(NAMES, st.lists(st.floats(0, 1e9), min_size=2, max_size=5)), min_size=1, max_size=4))
def test_whatever_names_hold_the_boxed_table_has_a_row_for_each(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, list[float]]]
) -> None:
    made = tuple(Outliers(name, "activation", 1, np.array(maxima)) for name, maxima in rows)
    path = tmp_path_factory.mktemp("boxed") / "outliers.txt"
    path.write_text(outliers_boxed(OutlierTable("m", made)), "utf-8")

    [found] = read_results(path)

    assert not found.problems
    shares = [row.values["pulsar2.outliers.level.4"] for row in found.rows]
    assert shares == [float(np.float32(each.share(4))) for each in made]


def test_the_boxed_table_is_straight() -> None:
    title, *rest = outliers_boxed(TABLE).splitlines()
    assert title.strip() == TITLE
    assert len({len(line) for line in rest}) == 1
    assert [cell.strip() for cell in rest[1].strip("┃").split("┃")] == list(HEAD)


def test_a_line_of_the_csv_has_every_number() -> None:
    even, loud, weight = lines(outliers_csv(TABLE.rows))
    assert (loud["tensor"], loud["kind"], loud["node"], loud["type"]) == ("loud", "activation", "n2", "Conv")
    assert (loud["channels"], loud["sparse_share"], loud["level_6_share"]) == ("4", "0.25", "0.5")
    assert (loud["median_level"], loud["highest_level"], loud["effective_bits_of_8"]) == ("6", "7", "2")
    assert (loud["loudest_channels"], loud["quietest_channels"], loud["largest"]) == ("0 1 2", "2 1 0", "64")
    assert even["median_level"] == "0"
    assert (weight["kind"], weight["note"]) == ("weight", WEIGHT.note)


def test_a_channel_that_is_sparse_has_no_level() -> None:
    found = lines(channels_csv([LOUD]))
    assert [(row["channel"], row["largest"], row["level"]) for row in found] == [
        ("0", "64", "0"),
        ("1", "1", "6"),
        ("2", "0.5", "7"),
        ("3", "0", ""),
    ]


def test_the_json_has_the_worst_first_and_says_what_is_ours() -> None:
    found = json.loads(outliers_json(TABLE))
    assert [row["tensor"] for row in found["tensors"]] == ["loud", "w", "even"]
    assert found["tensors"][0]["level_shares"] == {"3": 0.5, "4": 0.5, "5": 0.5, "6": 0.5}
    assert "log₂" in found["definitions"]["level"]
    assert "Errorflow's choice" in found["definitions"]["note"]
    assert (found["samples"], found["tensors_without_channels"], found["notes"]) == (3, 2, ["Odd."])


def test_the_worst_tensors_are_printed() -> None:
    text = "\n".join(outlier_lines(TABLE, 2))
    assert "Outliers of m.onnx on 3 samples: 3 tensors with channels." in text
    assert "In 1 tensor the median channel loses 3 bits or more" in text
    assert text.index("loud (Conv), loudest channel 0") < text.index("w (weight of Conv), loudest channel 0")
    assert "even (Relu)" not in text


def test_without_channels_no_table_is_printed() -> None:
    text = "\n".join(outlier_lines(OutlierTable("m.onnx", (), 1)))
    assert "0 tensors with channels" in text
    assert "worst" not in text
