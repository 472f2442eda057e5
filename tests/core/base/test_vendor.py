"""Tables of the engine ask vendors for rows: in their order, late, and without an import of a vendor."""

import subprocess
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest

from errorflow.base.errors import UsageError
from errorflow.base.vendor import Rows, rows_of
from errorflow.quant.presets import PRESETS, Preset
from errorflow.vendors import VENDORS


@dataclass(frozen=True)
class Own:
    key: str
    rank: int


def test_rows_stand_by_rank_and_the_engines_own_behind_those_of_vendors() -> None:
    own = (replaced("late", 0), replaced("first", -99))
    found = [row.key for row in Rows(Preset, "presets", own)]

    assert found == ["first", *(row.key for row in PRESETS), "late"]


def replaced(key: str, rank: int) -> Preset:
    first = PRESETS[0]
    return Preset(key, first.label, first.plan, first.method, first.mimics, first.leaves_out, rank)


def test_a_part_with_rows_of_several_kinds_gives_each_table_its_own() -> None:
    rows = Rows(Own, "presets", (Own("a", 0), Own("b", 0)))

    assert [row.key for row in rows] == ["a", "b"]
    assert (len(rows), rows[-1].key, [row.key for row in rows[:1]]) == (2, "b", ["a"])


def test_a_folder_that_an_earlier_version_left_is_no_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "axera" / "searches").mkdir(parents=True)
    room = import_module("errorflow.vendors.axera")
    monkeypatch.setattr(room, "__path__", [*room.__path__, str(tmp_path / "axera")])

    assert rows_of("axera", "searches") == ()


def test_an_unknown_key_is_answered_with_those_that_there_are() -> None:
    rows = Rows(Own, "presets", (Own("a", 0), Own("b", 0)))

    assert rows.named("b", "") is rows.by_key["b"]
    with pytest.raises(UsageError, match=r"There is no c\.") as caught:
        rows.named("c", "There is no c.")
    assert caught.value.hint == "Choose one of a, b."


def test_a_table_loads_its_part_only_and_that_at_the_first_look() -> None:
    code = """
        import sys
        from errorflow.quant.presets import PRESETS
        print(*(name for name in sys.modules if name.startswith("errorflow.vendors")), sep=",")
        PRESETS[0]
        print(*(name for name in sys.modules if name.startswith("errorflow.vendors.")), sep=",")
    """
    lines = "\n".join(line.strip() for line in code.splitlines())
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=True)
    before, after = done.stdout.splitlines()

    assert before == ""
    rooms = {f"errorflow.vendors.{vendor}" for vendor in VENDORS}
    assert {name for name in after.split(",") if not name.endswith(".presets")} == rooms
