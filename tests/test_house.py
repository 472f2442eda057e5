"""What holds for the repository as a whole: the invariants of docs/architecture.md, and that the docs keep up."""

import ast
import importlib.metadata
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, EntryPoint
from pathlib import Path
from textwrap import dedent

import pytest
from packaging.requirements import Requirement

import errorflow
from errorflow.cli.command import Command
from errorflow.cli.main import COMMANDS
from errorflow.formats import FORMATS
from errorflow.formats.format import Format

ROOT = Path(__file__).parents[1]
SOURCES = sorted(path for name in ("core", "viewer", "resources") for path in (ROOT / name).rglob("*.py"))
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "packaging").rglob("*.md")])
MANUAL = "\n".join(path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])

MAX_FILE_LINES = 600
MAX_FUNCTION_LINES = 60

# Imported late or by their owners only, so that a start does not pay for them.
HEAVY = {"numpy", "onnx", "onnxruntime", "networkx", "google", "msgspec", "yaml", "PySide6", "pyqtgraph"}

# Modules that no code of ours may use, and why.
FORBIDDEN = {
    "pickle": "a file could run code",
    "marshal": "a file could run code",
    "shelve": "a file could run code",
    "mmap": "a truncated file would end the process (decision 2)",
    "urllib.request": "nothing is sent anywhere",
    "http.client": "nothing is sent anywhere",
    "requests": "nothing is sent anywhere",
}
FORBIDDEN_IN_CORE = {
    "socket": "nothing is sent anywhere; the viewer wakes itself and finds its own second start by one",
    "threading": "core knows no threads; a Progress is where a cancel strikes",
}
# What lists could be made of beside the one model of `kit/tables` (decision 18), and who may name it.
OTHER_LISTS = {
    *("QAbstractTableModel", "QAbstractListModel", "QStandardItemModel", "QStringListModel", "QSortFilterProxyModel"),
    *("QTableWidget", "QTreeWidget", "QListWidget"),
}
KNOWS_OTHER_LISTS = {
    "viewer/errorflow_viewer/kit/tables/table.py": "it is the one model",
    "viewer/errorflow_viewer/kit/translation/rows.py": "it lists the classes of Qt that hold texts",
}
# By file, each with its reason.
EXCEPTIONS = {
    ("core/errorflow/base/workers.py", "threading"): "a worker process waits for work and for the end of its parent",
    ("core/errorflow/base/processes.py", "threading"): "jobs of the window begin processes at the same moment",
    ("core/errorflow/run/engine/turns.py", "threading"): "jobs of the window share one process, and take turns",
    ("core/errorflow/run/engine/abreast.py", "threading"): "in a process of its own several samples run at once",
}


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def python(code: str, *arguments: str) -> str:
    """What a new process prints; one that fails fails the test."""
    done = subprocess.run(
        [sys.executable, "-c", dedent(code), *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


class TestShape:
    @pytest.mark.parametrize("folder", ["packaging", "resources", "core", "viewer", "tests", "docs"])
    def test_a_top_folder_is_no_package_that_could_shadow_a_library(self, folder: str) -> None:
        assert (ROOT / folder).is_dir()
        assert not (ROOT / folder / "__init__.py").exists()

    def test_packaging_is_the_library_of_that_name(self) -> None:
        assert "site-packages" in python("import packaging; print(packaging.__file__)")

    # Over all files at once: a test for each would be thousands, and what is wrong names its file all the same.
    def test_a_file_stays_readable(self) -> None:
        assert SOURCES
        lines = {relative(path): len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
        assert {path: count for path, count in lines.items() if count > MAX_FILE_LINES} == {}

    def test_a_function_stays_readable(self) -> None:
        assert [
            f"{relative(path)}: {node.name}: {count} lines"
            for path in SOURCES
            for node in ast.walk(ast.parse(path.read_bytes()))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and (count := code_lines(node)) > MAX_FUNCTION_LINES
        ] == []

    def test_nothing_forbidden_is_imported(self) -> None:
        found = [(relative(path), name) for path in SOURCES for name in imports(path)]
        assert [f"{path}: {name}: {FORBIDDEN[name]}" for path, name in found if name in FORBIDDEN] == []
        assert [
            f"{path}: {name}: {FORBIDDEN_IN_CORE[name]}"
            for path, name in found
            if name in FORBIDDEN_IN_CORE and path.startswith("core/") and (path, name) not in EXCEPTIONS
        ] == []

    def test_every_list_is_shown_by_the_one_model(self) -> None:
        window = [path for path in SOURCES if relative(path) not in KNOWS_OTHER_LISTS]
        named = [(relative(path), name.rpartition(".")[2]) for path in window for name in imports(path)]
        assert [f"{path}: {name}" for path, name in named if name in OTHER_LISTS] == []
        # Of a list in general one may speak; to be one is for the kit.
        assert {path for path in map(relative, SOURCES) if has_subclass(ROOT / path, "QAbstractItemModel")} == {
            "viewer/errorflow_viewer/kit/tables/tree.py"
        }


def has_subclass(path: Path, base: str) -> bool:
    classes = (node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.ClassDef))
    return any(isinstance(each, ast.Name) and each.id == base for node in classes for each in node.bases)


def code_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from `def` to the end; a text over several lines (a docstring, a stylesheet) counts as one."""
    lines = set(range(function.lineno, end(function) + 1))
    for node in ast.walk(function):
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            lines -= set(range(node.lineno + 1, end(node) + 1))
    return len(lines)


def end(node: ast.stmt | ast.expr) -> int:
    return node.lineno if node.end_lineno is None else node.end_lineno


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


class TestStart:
    def test_the_engine_needs_no_qt(self) -> None:
        code = """
            import importlib, pkgutil, sys

            class NoQt:
                def find_spec(self, name, path=None, target=None):
                    if name.split(".")[0] in ("PySide6", "shiboken6", "pyqtgraph", "errorflow_viewer"):
                        raise ImportError(f"{name} is not to be imported here")

            sys.meta_path.insert(0, NoQt())
            import errorflow

            for module in pkgutil.walk_packages(errorflow.__path__, "errorflow."):
                importlib.import_module(module.name)
                print(module.name)
        """
        assert "errorflow.cli.main" in python(code).split()

    def test_the_command_line_starts_without_heavy_libraries(self) -> None:
        code = """
            import sys
            from errorflow.cli.main import main

            try:
                main(sys.argv[1:])
            except SystemExit:
                print(*sys.modules)
        """
        loaded = {name.split(".")[0] for name in python(code, "--version").split()}
        assert "errorflow" in loaded
        assert loaded & HEAVY == set()

    def test_importing_every_module_imports_no_heavy_owner_of_the_formats(self) -> None:
        code = """
            import importlib, pkgutil, sys
            import errorflow

            for module in pkgutil.walk_packages(errorflow.__path__, "errorflow."):
                importlib.import_module(module.name)
            print(*sys.modules)
        """
        assert {name.split(".")[0] for name in python(code).split()} & {"onnx", "onnxruntime", "networkx"} == set()

    def test_the_window_is_there_before_anything_is_loaded_that_reads_or_measures(self) -> None:
        loaded = set(python("import sys, errorflow_viewer.window.window; print(*sys.modules)").split())
        rooms = {name.split(".")[1] for name in loaded if name.startswith("errorflow.")}
        assert rooms & {"formats", "results", "convert", "stages", "evidence", "rerun"} == set()
        values = {"errorflow.run", "errorflow.run.samples", "errorflow.run.samples.asked"}
        assert {name for name in loaded if name.startswith("errorflow.run.")} <= values
        late = (
            "compare.pairs",
            "compare.journal",
            "blame.estimate",
            "match.plan",
            "match.by_fusion",
            "difference.link",
        )
        assert loaded & {f"errorflow.{name}" for name in late} == set()
        assert {name.split(".")[0] for name in loaded} & {"onnx", "onnxruntime", "networkx", "pyqtgraph"} == set()


class TestDistribution:
    def test_the_version_is_the_one_that_is_installed(self) -> None:
        assert importlib.metadata.version("errorflow") == errorflow.__version__

    def test_the_command_line_says_its_version(self) -> None:
        code = "import sys; from errorflow.cli.main import main; main(sys.argv[1:])"
        done = subprocess.run([sys.executable, "-c", code, "--version"], capture_output=True, text=True, check=True)
        assert done.stdout == f"errorflow {errorflow.__version__}\n"

    @pytest.mark.parametrize(
        ("group", "name"), [("console_scripts", "errorflow"), ("gui_scripts", "errorflow-viewer")], ids=str
    )
    def test_a_program_starts_a_function(self, group: str, name: str) -> None:
        [entry] = [row for row in entry_points() if (row.group, row.name) == (group, name)]
        assert callable(entry.load())

    @pytest.mark.parametrize("name", sorted({"LICENSE", "THIRD-PARTY.md", "README.md", "CHANGELOG.md", "run"}))
    def test_it_comes_with(self, name: str) -> None:
        assert (ROOT / name).stat().st_size > 0

    def test_the_licence_is_the_whole_apache_licence(self) -> None:
        text = (ROOT / "LICENSE").read_text(encoding="utf-8")
        assert "Version 2.0, January 2004" in text
        assert "END OF TERMS AND CONDITIONS" in text


def entry_points() -> list[EntryPoint]:
    return list(importlib.metadata.distribution("errorflow").entry_points)


def plain(name: str) -> str:
    """A distribution's name in the spelling in which all spellings are equal."""
    return re.sub(r"[-_.]+", "-", name).lower()


def installed_closure(name: str) -> set[str]:
    """Every distribution that an installation of `name` without extras brings."""
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        current = plain(waiting.pop())
        if current in seen:
            continue
        seen.add(current)
        waiting.extend(needs(importlib.metadata.distribution(current)))
    return seen - {plain(name)}


def needs(distribution: Distribution) -> list[str]:
    rows = [Requirement(row) for row in distribution.requires or []]  # None: it says nothing
    return [row.name for row in rows if row.marker is None or row.marker.evaluate({"extra": ""})]


def listed(text: str) -> set[str]:
    section = text.split("## At run time")[1].split("\n## ")[0]
    return {plain(line.split("|")[1].strip()) for line in section.splitlines() if line.startswith("| ")} - {"package"}


class TestLicences:
    def test_everything_that_is_installed_is_listed_and_nothing_else(self) -> None:
        rows = {name for name in listed((ROOT / "THIRD-PARTY.md").read_text(encoding="utf-8")) if name.strip("-")}
        assert rows == installed_closure("errorflow")

    def test_every_listed_package_names_a_licence(self) -> None:
        section = (ROOT / "THIRD-PARTY.md").read_text(encoding="utf-8").split("## At run time")[1].split("\n## ")[0]
        rows = [line.split("|") for line in section.splitlines() if line.startswith("| ")]
        assert all(row[2].strip() for row in rows)


def rooms() -> set[str]:
    """The modules and packages right below each of our three packages."""
    folders = [ROOT / "core/errorflow", ROOT / "viewer/errorflow_viewer"]
    modules = {path.stem for folder in folders for path in folder.glob("*.py")}
    packages = {path.parent.name for folder in folders for path in folder.glob("*/__init__.py")}
    return (modules | packages) - {"__init__"}


class TestDocs:
    @pytest.mark.parametrize("command", COMMANDS, ids=lambda row: row.name)
    def test_every_command_is_described(self, command: Command) -> None:
        assert re.search(rf"(errorflow|\./run) {re.escape(command.name)}\b", MANUAL)

    @pytest.mark.parametrize("row", FORMATS, ids=lambda row: row.key)
    def test_every_format_is_described(self, row: Format) -> None:
        assert row.label in MANUAL

    @pytest.mark.parametrize("room", sorted(rooms()))
    def test_every_room_is_on_the_map(self, room: str) -> None:
        assert f"`{room}`" in (ROOT / "docs/architecture.md").read_text(encoding="utf-8")

    @pytest.mark.parametrize("page", PAGES, ids=relative)
    def test_every_link_leads_somewhere(self, page: Path) -> None:
        links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
        assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []

    @pytest.mark.parametrize("page", PAGES, ids=relative)
    def test_every_named_file_is_there(self, page: Path) -> None:
        names = re.findall(
            r"`((?:core|viewer|resources|tests|docs|packaging|benchmarks)/[^`\s*…<]+)`", page.read_text("utf-8")
        )
        assert [name for name in names if not (ROOT / name).exists()] == []

    def test_no_two_decisions_have_one_number(self) -> None:
        numbers = [path.name[:4] for path in (ROOT / "docs/decisions").glob("*.md")]
        assert all(number.isdigit() for number in numbers)
        assert len(set(numbers)) == len(numbers)
