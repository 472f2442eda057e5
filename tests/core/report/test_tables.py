import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from errorflow.compare import Comparison, Row
from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.distinct import DistinctValues
from errorflow.compare.metrics.sums import sums
from errorflow.compare.samples import SampleSpread
from errorflow.graph.build import GraphBuilder
from errorflow.graph.dump import TensorInfo
from errorflow.report.tables import nodes_csv, samples_csv, tensors_csv

INFO = TensorInfo("t", "float32", (2, 3), 24)


def _lines(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_a_tensor_has_a_line_with_every_metric() -> None:
    values = {metric.key: float(number) for number, metric in enumerate(METRICS)}

    (line,) = _lines(tensors_csv(Comparison((Row("t", INFO, INFO, values),))))

    assert line["shape"] == "2×3"
    assert {key: float(line[key]) for key in values} == values


def test_what_was_not_measured_has_a_note_and_no_number() -> None:
    (line,) = _lines(tensors_csv(Comparison((Row("t", INFO, None, note="only in the reference"),))))

    assert line["note"] == "only in the reference"
    assert all(line[metric.key] == "" for metric in METRICS)


def test_both_sides_and_how_they_were_brought_together_are_told() -> None:
    candidate = TensorInfo("t", "float16", (1, 1, 3, 16), 96, layout="NC1HWC0")
    row = Row(
        "t", INFO, candidate, {}, rule="last-original", node="conv", op_type="Conv2D", done=("cut", "dequantized")
    )

    (line,) = _lines(tensors_csv(Comparison((row,))))

    assert (line["operator"], line["type"]) == ("conv", "Conv2D")
    assert (line["candidate dtype"], line["candidate shape"], line["candidate layout"]) == (
        *("float16", "1×1×3×16", "NC1HWC0"),
    )
    assert line["reference shape"] == "2×3"
    assert (line["rule"], line["certain"], line["done"]) == ("last original operator", "no", "cut; dequantized")


def test_each_run_calls_the_tensor_by_its_own_name() -> None:
    row = Row("t_DequantizeLinear_Output", INFO, replace(INFO, name="t_DequantizeLinear_Output"), {"cosine": 1.0})

    (line, alone) = _lines(tensors_csv(Comparison((row, Row("u", replace(INFO, name="u"), None)))))

    assert (line["reference tensor"], line["candidate tensor"]) == ("t", "t_DequantizeLinear_Output")
    assert (alone["reference tensor"], alone["candidate tensor"]) == ("u", "")


def test_a_count_of_different_values_that_was_left_off_says_so() -> None:
    row = Row("t", INFO, INFO, unique=DistinctValues(4096, more=True))

    (line,) = _lines(tensors_csv(Comparison((row,))))

    assert line["unique values"] == "> 4,096"


def test_several_samples_have_a_line_per_tensor() -> None:
    (line,) = _lines(samples_csv([SampleSpread("t", 3, {"cosine": (0.5, "img2")}, {"cosine": 0.75})]))

    assert (line["tensor"], line["samples"]) == ("t", "3")
    assert (line["cosine worst"], line["cosine worst sample"], line["cosine median"]) == ("0.5", "img2", "0.75")
    assert line["sqnr worst"] == ""


def test_states_stand_beside_the_numbers() -> None:
    found = sums(np.array([1.0, np.nan]), np.array([0.0, 0.0]))
    row = Row("t", INFO, INFO, reference_side=found.reference, candidate_side=found.candidate)

    (line,) = _lines(tensors_csv(Comparison((row,))))

    assert line["states"] == "1 NaN in the reference; the candidate is all zero"


@pytest.mark.parametrize("name", ["=cmd()", "+1+1", "-x", "@sum"])
def test_a_name_is_never_a_formula(name: str) -> None:
    builder = GraphBuilder("g")
    builder.node("Relu", [], ["y"], name=name)

    (line,) = _lines(nodes_csv(builder.build()))

    assert line["name"] == f"'{name}"


def test_a_negative_number_stays_a_number() -> None:
    (line,) = _lines(tensors_csv(Comparison((Row("t", INFO, INFO, {METRICS[0].key: -0.5}),))))

    assert line[METRICS[0].key] == "-0.5"


def test_a_node_has_a_line_with_what_it_makes() -> None:
    builder = GraphBuilder("g")
    builder.input("x")
    builder.tensor("y", dtype="float32", shape=(1, 4))
    builder.node("Relu", ["x"], ["y"], name="act")

    (line,) = _lines(nodes_csv(builder.build()))

    assert line == {"index": "0", "type": "Relu", "name": "act", "inputs": "x", "outputs": "y", "made": "float32 1×4"}
