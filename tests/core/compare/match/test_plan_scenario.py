"""The combinations of runs and files that msaccucmp takes, and its exit codes for all others."""

from itertools import product
from typing import get_args

import pytest

from errorflow.compare.match.codes import RefusedError, UnfitRunsError
from errorflow.compare.match.plan import FILES, LABELS, SCENARIOS, MatchScenario, call, scenario
from errorflow.compare.match.selection import in_range, selected
from errorflow.formats.folders.scan import SideKind

KINDS: tuple[SideKind, ...] = get_args(SideKind)


@pytest.mark.parametrize("row", SCENARIOS, ids=lambda row: f"{row.candidate} {row.reference}")
def test_each_row_takes_its_own_options(row: MatchScenario) -> None:
    assert all(scenario(row.candidate, row.reference, options) is row for options in row.options)


@pytest.mark.parametrize(("candidate", "reference"), list(product(KINDS, KINDS)))
@pytest.mark.parametrize("options", [("-q", "-cf"), ("-f", "-q", "-cf"), ("-cf",)])
def test_all_else_is_refused_with_a_code_and_a_way_out(
    candidate: SideKind, reference: SideKind, options: tuple[str, ...]
) -> None:
    with pytest.raises(RefusedError) as caught:
        scenario(candidate, reference, options)

    assert caught.value.code in (6, 20)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("candidate", "reference", "options", "code", "says"),
    [
        ("npu", "npy", (), 6, "-f is needed"),
        ("npu", "npy", ("-f", "-q"), 6, "-q is not to be given"),
        ("npu-quantized", "npy", ("-f",), 6, "-q is needed"),
        ("npu-quantized", "npy", ("-q",), 6, "-f is needed"),
        ("npu-quantized", "npy-quantized", ("-f", "-q"), 6, "-q is not to be given"),
        ("npu", "npu", ("-f",), 6, "-f is not to be given"),
        ("npu", "npu-quantized", (), 20, "makes no sense"),
        ("npu", "npy-quantized", ("-f",), 20, "makes no sense"),
        ("npy", "npu", ("-f",), 20, "makes no sense"),
        ("npy-quantized", "npy", ("-f",), 20, "-q is needed and -f is not to be given"),
        ("npy-quantized", "npy-quantized", ("-q",), 20, "makes no sense"),
    ],
)
def test_refusals_end_as_the_tool_does(
    candidate: SideKind, reference: SideKind, options: tuple[str, ...], code: int, says: str
) -> None:
    with pytest.raises(RefusedError, match=says) as caught:
        scenario(candidate, reference, options)

    assert caught.value.code == code


@pytest.mark.parametrize(
    ("candidate", "reference", "swaps"),
    [
        ("npy", "npu", True),
        ("npy-quantized", "npu-quantized", True),
        ("npu", "npu-quantized", False),
        ("npy", "npy", False),
    ],
)
def test_where_nobody_writes_options_none_is_named(candidate: SideKind, reference: SideKind, swaps: bool) -> None:
    with pytest.raises(UnfitRunsError) as caught:
        scenario(candidate, reference, ("-f",))

    error = caught.value
    assert error.swaps == swaps
    assert error.said.startswith(f"The candidate is {LABELS[candidate]}, the reference is {LABELS[reference]}")
    assert ("the other way round" in error.said) == swaps
    assert not any(option in f" {error.said} {error.way}" for option in (" -", "(-"))


def test_a_file_that_lacks_is_named_by_what_it_is() -> None:
    with pytest.raises(UnfitRunsError) as caught:
        scenario("npu-quantized", "npy", ("-f",))

    assert caught.value.said.endswith(". This takes quant.json, written by AMCT.")


def test_the_right_call_names_every_file() -> None:
    assert call(["-q", "-f"]) == (
        "Call: errorflow compare -m MINE -g GOLDEN -f F -q Q (F is fusion.json, printed by `atc --mode=1`; "
        "Q is quant.json, written by AMCT)."
    )
    assert set(FILES) == {"-f", "-q", "-cf"}


@pytest.mark.parametrize("text", ["1,2", "a,2,1", "1,2,3,4", "1,-2,1"])
def test_a_range_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(RefusedError) as caught:
        in_range(text)

    assert caught.value.code == 6


@pytest.mark.parametrize("text", ["a", "1;2", "-1"])
def test_a_selection_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(RefusedError) as caught:
        selected(text)

    assert caught.value.code == 6
