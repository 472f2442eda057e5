"""What holds for every vendor's room."""

from importlib import import_module
from pkgutil import iter_modules
from typing import get_args

import pytest

from errorflow.base.vendor import Part, rows_of
from errorflow.compare.comparer import COMPARERS, Comparer
from errorflow.compare.metrics.definitions import DEFINITIONS
from errorflow.compare.metrics.definitions.definition import Definition
from errorflow.compare.results import RESULTS
from errorflow.compare.results.table import Importer
from errorflow.explain.blame.advice import VENDORS as ADVICE
from errorflow.explain.blame.advice import VendorAdvice
from errorflow.formats import FORMATS
from errorflow.formats.folders import FOLDERS
from errorflow.formats.folders.scan import Folder
from errorflow.formats.format import Format, WrongFile
from errorflow.guides.model import Check, Flow, GuideAnswer, GuideQuestion
from errorflow.guides.table import FLOWS
from errorflow.quant.presets import PRESETS, Preset
from errorflow.quant.readback import KINDS
from errorflow.quant.readback.kind import ReadbackKind
from errorflow.report.search import SEARCH_TOOLS, SearchTool
from errorflow.report.toolchains import TOOLCHAINS
from errorflow.report.toolchains.model import Toolchain
from errorflow.study.evaluate.own_file import StandIn
from errorflow.vendors import VENDORS

# What each part is for.
PARTS: dict[Part, tuple[type, ...]] = {
    "formats": (Format, WrongFile),
    "folders": (Folder,),
    "results": (Importer,),
    "definitions": (Definition,),
    "comparers": (Comparer,),
    "presets": (Preset,),
    "readback": (ReadbackKind,),
    "toolchains": (Toolchain,),
    "searches": (SearchTool,),
    "stand_ins": (StandIn,),
    "advice": (VendorAdvice,),
    "guide": (Flow, Check, GuideAnswer, GuideQuestion),
}
TABLES = (FORMATS, FOLDERS, RESULTS, DEFINITIONS, COMPARERS, PRESETS, KINDS, TOOLCHAINS, SEARCH_TOOLS, ADVICE, FLOWS)
EACH = pytest.mark.parametrize("vendor", VENDORS)


def test_every_part_is_known() -> None:
    assert set(get_args(Part)) == set(PARTS)


@EACH
@pytest.mark.parametrize("part", PARTS)
def test_a_part_holds_rows_of_its_kind(vendor: str, part: Part) -> None:
    assert [row for row in rows_of(vendor, part) if not isinstance(row, PARTS[part])] == []


@EACH
def test_a_vendor_brings_something(vendor: str) -> None:
    assert any(rows_of(vendor, part) for part in PARTS)


@EACH
def test_rows_lie_in_modules_that_are_asked_for_them(vendor: str) -> None:
    room = import_module(f"errorflow.vendors.{vendor}")
    names = [each.name for each in iter_modules(room.__path__)]
    with_rows = [name for name in names if hasattr(import_module(f"{room.__name__}.{name}"), "ROWS")]
    assert set(with_rows) <= set(PARTS)


def test_every_room_is_asked() -> None:
    assert {each.name for each in iter_modules(import_module("errorflow.vendors").__path__)} == set(VENDORS)


def test_no_two_rows_of_a_table_have_one_key() -> None:
    for table in TABLES:
        assert len(table.by_key) == len(table)


def test_the_surest_are_asked_first() -> None:
    assert [row.key for row in FORMATS] == [
        *("onnx", "onnx-text", "onnx-textproto", "onnx-json", "atc-json", "amct-quant", "om"),
        *("caffe-prototxt", "npy", "npz", "npu"),
    ]
    assert [row.key for row in FOLDERS] == [
        *("rknn-snapshot", "pulsar2-debug", "horizon-calibration"),
        *("npu-folder", "npy-folder", "raw-folder"),
    ]
    assert [row.key for row in KINDS] == ["horizon", "pulsar2", "qoperator", "qdq"]
    assert [row.key for row in RESULTS][:4] == ["msprobe-graph", "errorflow-tensors", "errorflow-nodes", "msaccucmp"]
