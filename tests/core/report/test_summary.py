"""The summary as a file and as lines."""

import json
import math

from errorflow.compare.model import Comparison, Row
from errorflow.compare.summary import parse_limit, summarize
from errorflow.report.summary import summary_json, summary_lines

ROWS = (
    Row("conv:output:0", None, None, {"cosine": 0.5, "relative_l2": math.inf}, rule="origin", op_type="Conv2D"),
    Row("fc:output:0", None, None, {"cosine": 0.999, "relative_l2": 0.01}, rule="own-name"),
    Row("relu:output:0", None, None, note="no dump"),
)
SUMMARY = summarize(Comparison(ROWS), limits=[parse_limit("cosine=0.99"), parse_limit("relative_l2=inf")])


def test_the_file_can_be_read_by_any_program() -> None:
    data = json.loads(summary_json(SUMMARY), parse_constant=lambda text: 1 / 0)

    assert data["verdict"]["key"] == "good-output"
    assert data["tensors"] == {
        "measured": 2,
        "not measured": 1,
        "notes": {"no dump": 1},
        "matched by": {"recorded origin": 1, "same operator": 1},
        "states": {},
    }
    assert data["worst"][0]["values"]["relative_l2"] == "inf"
    assert [limit["kept"] for limit in data["limits"]] == [False, True]


def test_the_lines_say_how_bad_it_is_and_where() -> None:
    text = "\n".join(summary_lines(SUMMARY))

    assert "The output is good" in text
    assert "2 tensors measured; 1 × no dump" in text
    assert "conv:output:0  Cosine similarity 0.500000" in text
    assert "Limit cosine ≥ 0.99 is broken by 1 tensor, worst by conv:output:0" in text
