"""Files that do not belong together are said to be so at every door, and nobody is blamed by them."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper

from blame_cases import chain
from errorflow.case.examine import examine
from errorflow.case.measuring import misfits
from errorflow.case.model import Case
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.model import Session
from errorflow.case.values import Asking
from errorflow.compare.match.model import Listed, Match, Pair
from errorflow.compare.model import Comparison, Row
from errorflow.compare.placed import side_of
from errorflow.graph.dump import TensorInfo
from errorflow.graph.qparams import QParams
from errorflow.report.contents import problems_of
from onnx_models import graph, model, relu, value
from planted_by_command import compared, printed
from planted_scenarios import ROWS
from run_models import savez
from tried_nets import SHAPE, X, disturbed, runs


def in_a_row(shape: tuple[int, ...] = SHAPE, prefix: str = "") -> onnx.ModelProto:
    """x → b → c → d → y."""
    names = ["x", *(f"{prefix}{letter}" for letter in "bcdy")]
    nodes = [relu(names[0], names[1], f"{prefix}first")]
    nodes += [
        helper.make_node(kind, [names[at]], [names[at + 1]], f"{prefix}{kind}".lower())
        for at, kind in enumerate(("Sqrt", "Exp", "Neg"), 1)
    ]
    inner = [value(name, shape) for name in names[1:-1]]
    main = graph(*nodes, inputs=[value("x", shape)], outputs=[value(names[-1], shape)])
    main.value_info.extend(inner)
    return model(main, ir_version=10)


def asked(place: Path, shown: onnx.ModelProto) -> Session:
    golden, mine = runs({"c": disturbed(1)}, in_a_row())
    onnx.save(shown, place / "m.onnx")
    savez(place / "a.npz", mine)
    savez(place / "b.npz", golden)
    return Session(
        setup=Setup("runs", {"candidate": place / "a.npz", "reference": place / "b.npz", "model": place / "m.onnx"})
    )


def odd(case: Case) -> list[str]:
    assert case.match is not None
    return [problem.text for problem in case.match.problems]


def test_the_right_model_is_no_problem(tmp_path: Path) -> None:
    with examine(asked(tmp_path, in_a_row())) as case:
        assert odd(case) == []
        assert case.blame is not None and case.blame.model.kind == "node error"


def test_another_batch_is_no_problem(tmp_path: Path) -> None:
    with examine(asked(tmp_path, in_a_row((8, X.shape[1])))) as case:
        assert odd(case) == []


def test_a_golden_run_of_the_output_alone_is_no_problem(tmp_path: Path) -> None:
    session = asked(tmp_path, in_a_row())
    golden, _ = runs({"c": disturbed(1)}, in_a_row())
    savez(tmp_path / "b.npz", {"y": golden["y"]})

    with examine(session) as case:
        assert odd(case) == []
        assert case.blame is not None and case.blame.model.kind == "node error"


@dataclass(frozen=True)
class Zeros:
    """A tensor that is stored."""

    info: TensorInfo
    path: str = "run"

    def read(self) -> NDArray[np.generic]:
        return np.zeros(self.info.shape, self.info.dtype)


def told(*pairs: tuple[str, str, float | None], coded: str = "", inserted: int = 0) -> list[str]:
    """What is said of pairs of names (candidate, reference, error) on a chain of ten; tensors `coded` have scales."""
    rows, matched = list[Row](), list[Pair]()
    for mine, golden, error in pairs:
        sides = [TensorInfo(name, "float32", (1, 8), 32) if name else None for name in (mine, golden)]
        values = {} if error is None else {"relative_l2": error}
        rows.append(Row(mine or golden, sides[1], sides[0], values))
        stored = [None if info is None else Zeros(info) for info in sides]
        scales = QParams((0.1,)) if mine and mine in coded.split() else None
        rule = "origin" if mine and golden and mine != golden else ""
        listed = Listed(0, "", "", "", "") if inserted else None
        matched.append(Pair(rows[-1].tensor, stored[0], stored[1], rule=rule, qparams=scales, listed=listed))
    graph, comparison = chain(*range(11))[0], Comparison(tuple(rows))
    match = Match(tuple(matched), only_candidate=tuple(f"trans{at}" for at in range(inserted)))
    return [problem.text for problem in misfits(match, comparison, graph, side_of(graph, comparison))]


@pytest.mark.parametrize("where", ["op{}:output:0", "n{}:output:0"], ids=["fused", "not fused"])
def test_a_compiled_run_on_the_float_graph_is_no_problem(where: str) -> None:
    float_only = [("", f"t{at}", None) for at in range(10) if at not in (2, 5, 7, 9)]
    rows = [*float_only, *((where.format(at), f"t{at}", 0.01) for at in (2, 5, 7, 9))]
    fused = [(f"fused{at}:output:0", "", None) for at in range(8)]

    assert told(*rows, *fused) == []
    assert told(*rows, *fused, inserted=20) == []


@pytest.mark.parametrize(("good", "floats", "said"), [(2, 1, False), (0, 1, False), (2, 3, False), (0, 3, True)])
def test_scales_are_of_another_record_only_where_no_code_makes_sense(good: int, floats: int, said: bool) -> None:
    fine = [(f"t{at}", f"t{at}", 0.001) for at in range(floats + good)]
    rows = [*fine, *((f"t{at}", f"t{at}", 1.2) for at in range(floats + good, 10))]
    coded = " ".join(f"t{at}" for at in range(floats, 10))

    assert any("another record" in text for text in told(*rows, coded=coded)) is said


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (in_a_row((1, 32)), "5 of 5 shapes differ, b is (1, 64) and (1, 32) in the model: it is another model."),
        (in_a_row(prefix="other_"), "1 of 5 tensors are in graph: it may be another model."),
    ],
    ids=["another build", "another net"],
)
def test_by_the_model_of_something_else_nobody_is_blamed(shown: onnx.ModelProto, text: str, tmp_path: Path) -> None:
    with examine(asked(tmp_path, shown), Asking()) as case:
        assert text in odd(case)
        assert case.blame is not None and case.findings is not None
        assert case.blame.model.top == () and text in case.blame.model.text
        assert [advice.key for advice in case.blame.model.advice] == ["nothing"]
        assert any(text in line for line in problems_of(case.findings, case.match))


def changed(place: Path, file: str, pattern: str, new: str) -> None:
    (path,) = (place / "case").glob(file)
    path.write_text(re.sub(pattern, new, path.read_text()))


@pytest.mark.parametrize(
    ("file", "pattern", "new", "text"),
    [
        ("*record*", r"(scale_d: )([\d.]+)", r"\g<1>7\g<2>", "tensors in codes are far off with these scales"),
        ("*.json", "res([23])", r"stage\1", "it may be another model"),
    ],
    ids=["record", "compiled model"],
)
def test_what_the_command_says_of_files_of_another_net(
    file: str, pattern: str, new: str, text: str, tmp_path: Path
) -> None:
    (tmp_path / "case").mkdir()
    row = ROWS["fusion off"]
    row.write(tmp_path / "case", row.cases()["twin"])
    command = printed(tmp_path, "case")[row.key]
    changed(tmp_path, file, pattern, new)
    told = compared(command, tmp_path)

    assert any(text in problem for problem in told.data["problems"])
    assert text in told.text and not told.top
