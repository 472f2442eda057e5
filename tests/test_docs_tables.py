"""Tables in the documentation say what the code says."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from errorflow.compare.results import RESULTS, Importer
from errorflow.formats import FORMATS
from errorflow.formats.format import Format

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def tables() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tables", ROOT / "docs" / "tables.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_readme_lists_the_formats_of_the_code(tables: ModuleType) -> None:
    assert tables.readme() == (ROOT / "README.md").read_text("utf-8")


def test_the_metrics_list_the_definitions_of_the_code(tables: ModuleType) -> None:
    assert tables.metrics() == (ROOT / "docs" / "metrics.md").read_text("utf-8")


def test_the_page_of_comparisons_lists_those_of_the_code(tables: ModuleType) -> None:
    assert tables.start() == (ROOT / "docs" / "how-to" / "start-a-comparison.md").read_text("utf-8")


def test_the_page_of_calibration_lists_methods_and_ways_to_resize_of_the_code(tables: ModuleType) -> None:
    assert tables.calibrate() == (ROOT / "docs" / "how-to" / "calibrate.md").read_text("utf-8")


def test_the_page_of_simulation_lists_the_presets_of_the_code(tables: ModuleType) -> None:
    assert tables.simulate() == (ROOT / "docs" / "how-to" / "simulate.md").read_text("utf-8")


def test_the_page_of_result_tables_lists_those_of_the_code(tables: ModuleType) -> None:
    assert tables.result_tables() == (ROOT / "docs" / "formats" / "result-tables.md").read_text("utf-8")


@pytest.mark.parametrize("row", RESULTS, ids=lambda row: row.key)
def test_each_result_table_says_how_to_get_it(row: Importer) -> None:
    assert row.obtain.endswith(".")


@pytest.mark.parametrize("row", FORMATS, ids=lambda row: row.key)
def test_each_format_says_how_to_get_it(row: Format, tables: ModuleType) -> None:
    assert row.obtain.endswith(".")
    assert f"| {row.label} " in tables.formats_table()


def test_only_the_part_between_the_marks_is_replaced(tables: ModuleType) -> None:
    assert tables.filled("a\n<!-- x -->\nold\n<!-- /x -->\nb", "x", "new") == "a\n<!-- x -->\nnew\n<!-- /x -->\nb"


def test_the_page_of_advice_lists_that_of_the_code(tables: ModuleType) -> None:
    assert tables.advice() == (ROOT / "docs" / "advice.md").read_text("utf-8")


def test_the_page_of_the_guide_lists_those_of_the_code(tables: ModuleType) -> None:
    assert tables.guide() == (ROOT / "docs" / "how-to" / "follow-the-guide.md").read_text("utf-8")


def test_the_page_of_shortcuts_lists_the_commands_of_the_code(tables: ModuleType) -> None:
    assert tables.shortcuts() == (ROOT / "docs" / "shortcuts.md").read_text("utf-8")
