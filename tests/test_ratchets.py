"""What keeps the house small: counts that may fall and not rise, and each count on a small house of its own."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from house_counts import (
    PACKAGES,
    breaches,
    contracts,
    double_classes,
    floors,
    importers,
    lies_at,
    lines,
    modules,
    odd_docstrings,
    rooms,
    vendor_words,
    walked,
    with_one_importer,
)

ROOT = Path(__file__).parents[1]
MAX_ROOMS, MAX_FLOORS = 16, 12
MAX_WITH_ONE_IMPORTER = 275
MAX_PRODUCT_LINES = 172_147
MAX_PAGE_LINES = 120
# Names of vendors and their tools outside the vendors' rooms.
MAX_VENDOR_WORDS = 428
# What any command or panel may ask of the window; modules of ours that the window is put together from.
MAX_DESK, MAX_WINDOW_IMPORTS = 17, 22
# Files of ours whose code runs in the window's thread for one press of Space in a simulation.
MAX_SPACE_FILES = 144
ONLY_THE_CASE = "only the case prepares and measures"
WALK = "One case, from file to colour"


class TestHouse:
    @pytest.mark.parametrize("package", PACKAGES)
    def test_rooms_can_be_kept_in_mind(self, package: str) -> None:
        assert 1 < len(rooms(ROOT, package)) <= MAX_ROOMS

    @pytest.mark.parametrize("package", PACKAGES)
    def test_floors_can_be_kept_in_mind(self, package: str) -> None:
        assert 1 < len(floors(ROOT, package)) <= MAX_FLOORS

    def test_a_class_name_stands_once_in_a_package(self) -> None:
        assert double_classes(modules(ROOT)) == {}

    def test_few_modules_are_there_for_one_other_alone(self) -> None:
        assert len(with_one_importer(modules(ROOT))) <= MAX_WITH_ONE_IMPORTER

    def test_a_docstring_begins_with_a_verb_or_the_name_of_the_thing(self) -> None:
        assert odd_docstrings(modules(ROOT)) == []

    def test_what_is_new_is_paid_for_by_what_becomes_simpler(self) -> None:
        assert 100_000 < lines(modules(ROOT)) <= MAX_PRODUCT_LINES

    def test_the_centre_speaks_of_vendors_less_and_less(self) -> None:
        assert 0 < sum(vendor_words(modules(ROOT)).values()) <= MAX_VENDOR_WORDS


class TestWindow:
    def test_few_things_may_be_asked_of_it_by_all(self) -> None:
        body = ast.parse((ROOT / "viewer/errorflow_viewer/commands/api.py").read_bytes()).body
        [desk] = [node for node in body if isinstance(node, ast.ClassDef) and node.name == "Desk"]
        members = [node for node in desk.body if isinstance(node, ast.FunctionDef | ast.AnnAssign)]
        assert 1 < len(members) <= MAX_DESK

    def test_it_is_put_together_from_few_modules(self) -> None:
        path = ROOT / "viewer/errorflow_viewer/window/window.py"
        froms = [node.module or "" for node in ast.parse(path.read_bytes()).body if isinstance(node, ast.ImportFrom)]
        assert 1 < len({module for module in froms if module.startswith("errorflow")}) <= MAX_WINDOW_IMPORTS


class TestOnlyTheCase:
    def test_prepares_and_measures(self) -> None:
        assert breaches(modules(ROOT), contracts(ROOT)[ONLY_THE_CASE]) == []

    def test_all_doors_are_held_to_that(self) -> None:
        assert {"errorflow.cli", "errorflow.report", "errorflow.guides", "errorflow_viewer"} <= {
            *contracts(ROOT)[ONLY_THE_CASE]["source_modules"]
        }

    def test_what_it_guards_is_there_and_used_by_the_case(self) -> None:
        by = importers(modules(ROOT))
        owners = ("errorflow.case.", "errorflow.study.", "errorflow.explain.")
        for module in contracts(ROOT)[ONLY_THE_CASE]["forbidden_modules"]:
            assert [other for other in by[module] if other.startswith(owners)] != []

    def test_no_more_exceptions_come_in(self) -> None:
        assert len(contracts(ROOT)[ONLY_THE_CASE]["ignore_imports"]) <= 2


class TestArchitecturePage:
    def test_it_can_be_read_at_once(self) -> None:
        assert len(page().splitlines()) <= MAX_PAGE_LINES

    def test_it_walks_one_case_by_files_that_are_there(self) -> None:
        names = walked(page(), WALK)
        assert len([name for name in names if name.endswith(".py")]) >= 10
        assert [name for name in names if len(lies_at(ROOT, name)) != 1] == []

    def test_it_walks_from_the_file_to_the_colour(self) -> None:
        folders = list(dict.fromkeys(name.split("/")[0] for name in walked(page(), WALK)))
        assert folders[0] == "formats"
        way = ["formats", "case", "compare", "explain", "document", "canvas"]
        assert [folder for folder in folders if folder in way] == way


def page() -> str:
    return (ROOT / "docs/architecture.md").read_text(encoding="utf-8")


def test_one_press_of_space_runs_few_files_in_the_thread_of_the_window() -> None:
    done = subprocess.run(
        [sys.executable, "benchmarks/stations.py", "--space"],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": "core:viewer:resources:benchmarks"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    [count] = re.findall(r"^Space: (\d+) files in the window's thread", done.stdout, re.MULTILINE)
    assert 10 < int(count) <= MAX_SPACE_FILES


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """Two packages of a few lines, in which each count is more than nothing."""
    files = {
        "core/errorflow/__init__.py": "",
        "core/errorflow/__main__.py": "import errorflow.cli.main\n",
        "core/errorflow/cli/__init__.py": "",
        "core/errorflow/cli/main.py": "from errorflow.base import files\n\n\nclass Plan:\n    class Part: ...\n",
        "core/errorflow/base/__init__.py": "",
        "core/errorflow/base/files.py": "class Plan: ...\n\n\nclass _Plan: ...\n",
        "core/errorflow/base/errors.py": "class Part: ...\n\n\nclass _Plan: ...\n",
        "viewer/errorflow_viewer/__init__.py": "",
        "viewer/errorflow_viewer/kit/__init__.py": "",
        "viewer/errorflow_viewer/kit/look.py": (
            "class Plan: ...\n\n\ndef late() -> None:\n    from errorflow.base.errors import Part\n"
        ),
        "viewer/errorflow_viewer/kit/icons.py": (
            "from errorflow_viewer.kit.look import late\nimport errorflow.cli.main\n"
        ),
        "pyproject.toml": (
            '[[tool.importlinter.contracts]]\nname = "layers"\ncontainers = ["errorflow"]\n'
            'layers = ["__main__", "cli", "base"]\n'
            '[[tool.importlinter.contracts]]\nname = "inside"\ncontainers = ["errorflow.base"]\n'
            'layers = ["files", "errors"]\n'
        ),
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


class TestCounts:
    def test_rooms_are_what_lies_in_a_package(self, house: Path) -> None:
        assert rooms(house, "errorflow") == {"cli", "base"}
        (house / "core/errorflow/run.py").write_text("")
        assert rooms(house, "errorflow") == {"cli", "base", "run"}

    def test_floors_are_those_of_the_whole_package(self, house: Path) -> None:
        assert floors(house, "errorflow") == ["cli", "base"]

    def test_a_class_is_double_in_its_own_package_only(self, house: Path) -> None:
        assert double_classes(modules(house)) == {"errorflow: Plan": ["errorflow.base.files", "errorflow.cli.main"]}

    def test_importers_are_counted_wherever_they_import(self, house: Path) -> None:
        by = importers(modules(house))
        assert by["errorflow.base.files"] == {"errorflow.cli.main"}
        assert by["errorflow.base.errors"] == {"errorflow_viewer.kit.look"}
        assert by["errorflow.cli.main"] == {"errorflow.__main__", "errorflow_viewer.kit.icons"}
        assert sorted(with_one_importer(modules(house))) == [
            "errorflow.base.errors",
            "errorflow.base.files",
            "errorflow_viewer.kit.look",
        ]

    def test_a_breach_is_an_import_of_what_is_forbidden(self, house: Path) -> None:
        contract = {"source_modules": ["errorflow.cli"], "forbidden_modules": ["errorflow.base"]}
        assert breaches(modules(house), contract) == ["errorflow.cli.main -> errorflow.base.files"]
        allowed = {**contract, "ignore_imports": ["errorflow.cli.main -> errorflow.base.files"]}
        assert breaches(modules(house), allowed) == []

    def test_lines_are_those_of_both_packages(self, house: Path) -> None:
        before = lines(modules(house))
        (house / "viewer/errorflow_viewer/kit/more.py").write_text("a = 1\nb = 2\n")
        assert lines(modules(house)) == before + 2

    def test_words_of_vendors_count_outside_their_rooms(self, house: Path) -> None:
        assert vendor_words(modules(house)) == {}
        text = '# As msaccucmp has it, and ATC; a horizontal batch in ascending order.\nASCEND = "amct-simple"\n'
        (house / "core/errorflow/base/files.py").write_text(text)
        room = house / "core/errorflow/vendors/acme"
        room.mkdir(parents=True)
        (room / "amct.py").write_text(text)
        assert vendor_words(modules(house)) == {"errorflow.base.files": 4}

    def test_a_walk_names_its_files_in_order(self, house: Path) -> None:
        way = "First `kit/look.py`, then `base` and `base/gone.py`."
        text = f"# Page\n\n## Other\n\n`a/b.py`\n\n## The way\n\n{way}\n\n## More\n\n`c/d.py`\n"
        assert walked(text, "The way") == ["kit/look.py", "base/gone.py"]
        assert lies_at(house, "kit/look.py") == [house / "viewer/errorflow_viewer/kit/look.py"]
        assert lies_at(house, "base/gone.py") == []


def test_a_docstring_that_begins_otherwise_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text('"""Values."""\n\n\ndef f():\n    """What it is."""\n\n\ndef g():\n    """Asks nobody."""\n')
    assert odd_docstrings({"a": path}) == ["a: What it is.", "a: Asks nobody."]
