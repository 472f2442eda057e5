"""Whoever follows docs/adding.md to the letter gets there: each recipe is followed in a copy of the tree.

All of them in one copy, each with a small complete example that lies beside this file; then what the recipes promise
is tried in new processes.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from errorflow.base.sample import SAMPLES
from recipes.following import EXAMPLES, ROOT, Recipe

pytestmark = [pytest.mark.timeout(600), pytest.mark.xdist_group("recipes")]
_KEPT = ("core", "viewer", "resources", "docs", "tests", "benchmarks")
_FILES = ("pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "THIRD-PARTY.md", "run")
_PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
_RUBBISH = shutil.ignore_patterns("__pycache__", ".*", "node_modules", "real_models", "planted", "pictures")


def _copied(folder: Path) -> Path:
    for name in _KEPT:
        shutil.copytree(ROOT / name, folder / name, ignore=_RUBBISH)
    (folder / "docs/pictures").symlink_to(ROOT / "docs/pictures")
    for name in _FILES:
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The copy in which all recipes have been followed."""
    tree = _copied(tmp_path_factory.mktemp("tree"))
    for follow in (_format, _vendor, _metric, _calibration, _panel, _window_command, _command):
        follow(tree)
    _python(tree, "docs/tables.py")
    return tree


def _format(tree: Path) -> None:
    recipe = Recipe("A format", tree)
    recipe.add_file("format/edge_list.py", recipe.folder)
    recipe.add_import("OWN", "from errorflow.formats.edge_list import EDGE_LIST")
    recipe.add_row("OWN", "EDGE_LIST")
    assert "`tests/data/formats/<key>/`" in recipe.text
    recipe.add_file("format/tiny.edges", "tests/data/formats/edge-list")
    recipe.add_line("docs/architecture.md", "| `npu` | NPU dump", "| `edge-list` | List of edges |\n")


def _vendor(tree: Path) -> None:
    recipe = Recipe("A vendor", tree)
    room = f"{recipe.folder}/acme"
    recipe.add_file("vendor/row.txt", room, "__init__.py")
    for part in ("definitions", "results", "presets", "toolchains"):
        assert f"`{part}`" in recipe.text
        recipe.add_file(f"vendor/{part}.py", room)
    recipe.add_row("VENDORS", '"acme"')
    assert "`tests/data/results/<key>.…`" in recipe.text
    recipe.add_file("vendor/acme-report.txt", "tests/data/results")


def _metric(tree: Path) -> None:
    recipe = Recipe("A metric", tree)
    recipe.add_file("metric/power.py", recipe.folder)
    recipe.add_import("METRICS", "from errorflow.compare.metrics.power import root_mean_square")
    recipe.add_row("METRICS", _example("metric/row.txt"))
    page = tree / "docs/metrics.md"
    assert "`docs/metrics.md`" in recipe.text
    text = page.read_text(encoding="utf-8").replace("\n## Largest", f"{_example('metric/page.md')}\n## Largest", 1)
    page.write_text(text, encoding="utf-8")
    recipe.add_line("tests/core/compare/metrics/test_metrics.py", '"cosine": lambda', _example("metric/formula.txt"))


def _calibration(tree: Path) -> None:
    recipe = Recipe("A calibration method", tree)
    recipe.add_file("calibration/halfway.py", recipe.folder)
    recipe.add_import("METHODS", "from errorflow.quant.calibrate.halfway import HALFWAY")
    recipe.add_row("METHODS", "HALFWAY")
    recipe.add_to_contract("errorflow.quant.calibrate.halfway")


def _panel(tree: Path) -> None:
    recipe = Recipe("A panel", tree)
    recipe.add_file("panel/counts.py", recipe.folder)
    recipe.add_import("PANELS", "from errorflow_viewer.panels.counts import COUNTS")
    recipe.add_row("PANELS", "COUNTS")
    recipe.add_to_contract("errorflow_viewer.panels.counts")
    recipe.add_import("ACTIONS", "from errorflow_viewer.panels.counts import COUNTS")
    recipe.add_row("ACTIONS", "COUNTS.command")
    assert "`tests/viewer`" in recipe.text
    recipe.add_file("panel/counts_tested.py", "tests/viewer/panels", "test_counts.py")


def _window_command(tree: Path) -> None:
    Recipe("A command in the window", tree).add_row("ACTIONS", _example("command/action.txt"))


def _command(tree: Path) -> None:
    recipe = Recipe("A command of the command line", tree)
    recipe.add_file("command/count.py", recipe.folder)
    recipe.add_import("COMMANDS", "from errorflow.cli.count import COUNT")
    recipe.add_row("COMMANDS", "COUNT")
    recipe.add_line("docs/architecture.md", "# Architecture", "\n`errorflow count` counts nodes by their types.\n")
    assert "`tests/core/cli`" in recipe.text
    recipe.add_file("command/count_tested.py", "tests/core/cli", "test_count.py")


def _example(name: str) -> str:
    return (EXAMPLES / name).read_text(encoding="utf-8")


def _python(tree: Path, *arguments: str) -> str:
    paths = os.pathsep.join(str(tree / part) for part in ("core", "viewer", "resources"))
    environment = os.environ | {"PYTHONPATH": paths, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=tree, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{' '.join(arguments)}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def _errorflow(tree: Path, *arguments: object) -> str:
    return _python(tree, "-m", "errorflow.cli.main", *map(str, arguments))


def test_the_tests_over_the_tables_take_the_new_rows(tree: Path) -> None:
    rows = " or ".join(
        ("edge-list", "rms_error", "halfway", "counts", "test_count", "count_nodes", "lists", "current", "acme")
    )
    tests = (
        "tests/core/formats/test_bad_input.py",
        "tests/core/compare/metrics/test_definitions.py",
        "tests/core/compare/metrics/test_metrics.py",
        "tests/core/compare/results/test_importers.py",
        "tests/core/quant/test_presets.py",
        "tests/core/report/toolchains/test_round_trip.py",
        "tests/core/quant/calibrate/test_methods.py",
        "tests/core/cli/test_count.py",
        "tests/viewer/panels/test_counts.py",
        "tests/viewer/panels/test_panels.py",
        "tests/viewer/help/test_manual.py",
        "tests/viewer/window/test_actions.py",
        "tests/test_docs_tables.py",
    )
    told = _python(tree, *_PYTEST, "-k", rows, *tests)
    assert " passed" in told and "failed" not in told


def test_the_house_has_room_for_what_was_added(tree: Path) -> None:
    assert " passed" in _python(tree, *_PYTEST, "-k", "edge-list or (described and count)", "tests/test_house.py")


def test_the_contracts_take_the_new_modules(tree: Path) -> None:
    lint = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    assert "0 broken" in _python(tree, "-c", lint)


def test_the_program_reads_the_new_format_and_has_the_new_command(tree: Path) -> None:
    model = tree / "tests/data/formats/edge-list/tiny.edges"

    assert "List of edges" in _errorflow(tree, "inspect", model)
    assert _errorflow(tree, "count", model).splitlines()[0] == "Conv: 1"


def test_the_program_knows_the_new_vendor(tree: Path, tmp_path: Path) -> None:
    model, report = SAMPLES[0].model, tree / "tests/data/results/acme-report.txt"
    plan = ("--preset", "acme", "--to", "acme", "-out", tmp_path / "settings")

    assert "prob" in _errorflow(tree, "results", report)
    assert "Acme: " in _errorflow(tree, "export", model, *plan)
    assert (tmp_path / "settings/acme.list").exists()


def test_a_comparison_has_a_column_of_the_new_metric(tree: Path, tmp_path: Path) -> None:
    write = (
        "import sys, numpy as np; r = np.ones((1, 4), np.float32);"
        "np.savez(sys.argv[1], y=r); np.savez(sys.argv[2], y=r + 0.5)"
    )
    _python(tree, "-c", write, str(tmp_path / "r.npz"), str(tmp_path / "c.npz"))
    _errorflow(tree, "compare", "-m", tmp_path / "c.npz", "-g", tmp_path / "r.npz", "-out", tmp_path / "out")

    head, row = (tmp_path / "out/tensors.csv").read_text(encoding="utf-8").splitlines()
    assert dict(zip(head.split(","), row.split(","), strict=True))["rms_error"] == "0.5"


def test_ranges_are_found_by_the_new_method(tree: Path, tmp_path: Path) -> None:
    sample, out = SAMPLES[0], tmp_path / "ranges.json"
    data = ("--data", sample.calibration, "--samples", 4)
    _errorflow(tree, "calibrate", sample.model, *data, "--method", "halfway", "-out", out)

    assert '"halfway"' in out.read_text(encoding="utf-8")
