"""What is wrong on purpose is named, all the way from a folder of dumps to the verdict on the compiled graph."""

from dataclasses import replace
from pathlib import Path

import pytest

from planted_cases import LIMIT, fault_in, judged, right, source_for
from tools.npu_case.case import Wish, write_case
from tools.npu_case.chip import Drift

NETS = ("residual", "plain", "branches", "transformer")
FAULTS = ("weights", "activation", "transposed", "channel", "overflow", "nan", "epsilon")
SEEDS = range(200, 203)
# Where no model can be run, verdicts are estimates: so many of ten may be wrong.
MISSED = 1
# Each net has a seed of its own; all seeds with all nets are among the longer tests.
WHOLE = pytest.mark.parametrize(
    "whole", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["a seed each", "all seeds"]
)


def outcomes(
    folder: Path, kind: str, wish: Wish, amount: float = 0.0, nets: tuple[str, ...] = NETS, *, whole: bool = True
) -> list[bool]:
    """For each case that does harm at all, whether it is named."""
    found = []
    for net in nets:
        for seed in SEEDS if whole else [SEEDS[NETS.index(net) % len(SEEDS)]]:
            source = source_for(net, seed)
            if kind == "epsilon" and net not in ("residual", "transformer"):
                continue  # they have no norms
            fault = fault_in(source, kind, seed, amount)
            found.append(right(folder / f"{net}{seed}", source, replace(wish, faults=(fault,), seed=seed)))
    return [each for each in found if each is not None]


@WHOLE
@pytest.mark.parametrize("kind", FAULTS)
def test_the_operator_with_the_fault_is_named_by_an_estimate(kind: str, whole: bool, tmp_path: Path) -> None:
    found = outcomes(tmp_path, kind, Wish(keep_model=False), whole=whole)

    assert len(found) >= (4 if whole else 2)
    assert found.count(False) <= (MISSED if whole else 0)


@WHOLE
@pytest.mark.parametrize("kind", FAULTS)
def test_the_operator_with_the_fault_is_named_exactly(kind: str, whole: bool, tmp_path: Path) -> None:
    found = outcomes(tmp_path, kind, Wish(), nets=NETS[::3], whole=whole)

    assert len(found) >= (2 if whole else 1)
    assert all(found)


@pytest.mark.parametrize(
    ("keep", "amount", "saturates"), [(False, 0.9, False), (False, 4, True), (True, 0.9, True), (True, 4, False)]
)
def test_who_makes_values_too_large_is_named_and_not_who_overflows_of_them(
    keep: bool, amount: float, saturates: bool, tmp_path: Path
) -> None:
    """Each two of the three once."""
    wish = Wish(keep_model=keep, saturates=saturates)
    found = outcomes(tmp_path, "overflow", wish, amount, nets=("residual",))

    assert len(found) >= 2
    assert all(found)


@pytest.mark.parametrize("keep", [False, True], ids=["estimated", "exact"])
@pytest.mark.parametrize("net", NETS)
def test_what_is_a_little_wrong_everywhere_is_no_error_of_nodes(net: str, keep: bool, tmp_path: Path) -> None:
    wish = Wish(drift=Drift(weights=0.1), keep_model=keep, seed=202)
    case = write_case(source_for(net, 202), tmp_path / "case", wish)

    assert judged(case).kind == ("accumulated error" if case.error > LIMIT else "good")


@pytest.mark.parametrize("rounding", ["nearest", "toward-zero", "bfloat16"])
@pytest.mark.parametrize("net", NETS)
def test_rounding_alone_is_good(net: str, rounding: str, tmp_path: Path) -> None:
    case = write_case(source_for(net, 201), tmp_path / "case", Wish(rounding=rounding, keep_model=False))

    assert judged(case).kind == "good"


@pytest.mark.parametrize(
    "wish",
    [
        Wish(fused=False),
        Wish(dump_inputs=False),
        Wish(renamed=("/layer0/one/conv/Conv",)),
        Wish(missing=("/layer1/one/conv/Conv",)),
        Wish(drift=Drift(outputs=0.005)),
    ],
    ids=["unfused", "only outputs", "renamed", "missing", "noise"],
)
def test_it_is_named_whatever_else_differs(wish: Wish, tmp_path: Path) -> None:
    source = source_for("residual", 201)
    fault = replace(fault_in(source, "weights", 201), node="/layer0/one/conv/Conv")

    assert right(tmp_path / "case", source, replace(wish, faults=(fault,), keep_model=False))
