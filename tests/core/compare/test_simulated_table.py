"""Reads the tensors of a simulation back."""

import math
from pathlib import Path

import pytest

from errorflow.base.errors import FormatError
from errorflow.base.files import Source
from errorflow.compare.model import Comparison
from errorflow.compare.simulated_table import is_simulated_table, read_simulated_table

HEAD = "tensor,node,type,shape,precision,sqnr,min_channel_sqnr_db,note"


def read(path: Path, *lines: str) -> Comparison:
    path.write_text("\n".join((HEAD, *lines)) + "\n", encoding="utf-8")
    with Source(path) as source:
        assert is_simulated_table(source)
        return read_simulated_table(source)


def test_rows_come_back_with_what_was_measured(tmp_path: Path) -> None:
    [row] = read(tmp_path / "t.csv", "y,conv,Conv,1×4,int8,12.5,3,its note").rows
    assert (row.tensor, row.node, row.op_type, row.note) == ("y", "conv", "Conv", "its note")
    assert row.values == {"sqnr": 12.5, "min_channel_sqnr": 3.0}


def test_what_is_no_number_is_not_what_was_not_measured(tmp_path: Path) -> None:
    broken, empty = read(tmp_path / "t.csv", "y,conv,Conv,,int8,nan,,", "z,conv,Conv,,int8,,,").rows
    assert math.isnan(broken.values["sqnr"])
    assert "sqnr" not in empty.values


def test_names_that_were_tamed_for_spreadsheets_are_as_in_the_model(tmp_path: Path) -> None:
    [row] = read(tmp_path / "t.csv", "'=y,'-conv,Conv,,int8,1,,").rows
    assert (row.tensor, row.node) == ("=y", "-conv")


@pytest.mark.parametrize("line", ["y,conv", "y,conv,Conv,,int8,1,,,,", '"y,conv'])
def test_broken_rows_are_a_sentence(line: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError):
        read(tmp_path / "t.csv", line)
