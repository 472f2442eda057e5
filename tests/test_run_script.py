"""`./run` in a small tree of its own: the real script, pip and virtual environments; only the packages are stand-ins.

The tree builds itself without a network. Its programs print what they were called with.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RUN = ROOT / "run"
STAND_IN = ROOT / "tests/data/run"

# What makes pytest use all cores.
CORES = ["-n", "auto", "--dist", "worksteal"]
DISPLAY = {"DISPLAY": ":99"}
DISPLAYLESS: Mapping[str, str] = {}

pytestmark = [
    pytest.mark.xdist_group("run"),  # they share an environment that takes seconds to make
    pytest.mark.skipif(sys.platform == "win32", reason="./run is a shell script"),
]


@dataclass(frozen=True)
class Outcome:
    """How one start of the script ended."""

    code: int
    printed: str
    said: str

    @property
    def call(self) -> list[str]:
        """The program that was started, and its arguments."""
        call = json.loads(self.printed)
        return [call["program"], *call["args"]]


@dataclass(frozen=True)
class Tree:
    """A folder with the script in it, and beside it the programs that it finds before the system's."""

    folder: Path
    programs: Path

    @property
    def venv(self) -> Path:
        return self.folder / ".venv"

    def environment(self, more: Mapping[str, str]) -> dict[str, str]:
        home = self.programs / "home"
        home.mkdir(exist_ok=True)
        path = f"{self.programs}:/usr/local/bin:/usr/bin:/bin"
        return {"PATH": path, "HOME": str(home), "PIP_CONFIG_FILE": os.devnull, **more}

    def start(
        self, *arguments: str, cwd: Path | None = None, env: Mapping[str, str] = DISPLAYLESS
    ) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [self.folder / "run", *arguments],
            cwd=self.programs if cwd is None else cwd,
            env=self.environment(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str, cwd: Path | None = None, env: Mapping[str, str] = DISPLAYLESS) -> Outcome:
        process = self.start(*arguments, cwd=cwd, env=env)
        printed, said = process.communicate(timeout=200)
        return Outcome(process.returncode, printed, said)

    def program(self, name: str, text: str) -> None:
        path = self.programs / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)


def make_tree(folder: Path) -> Tree:
    tree = Tree(folder / "a tree", folder / "programs")
    commands = tree.folder / "core/errorflow/cli"
    commands.mkdir(parents=True)
    for name in ["inspect", "demo"]:
        (commands / f"{name}.py").write_text(f"{name.upper()} = Command()\n")
    (commands / "main.py").write_text("COMMANDS: tuple[Command, ...] = ()\n")
    shutil.copy(RUN, tree.folder / "run")
    for file in STAND_IN.iterdir():
        if file.is_file():
            shutil.copy(file, tree.folder)
    make_programs(tree)
    return tree


def make_programs(tree: Tree) -> None:
    tree.programs.mkdir()
    (tree.programs / "python3").symlink_to(Path(sys.executable).resolve())
    # Nothing here may touch the machine's own packages.
    tree.program("apt-get", "exit 1")
    tree.program("sudo", "exit 1")


@dataclass(frozen=True)
class Installed:
    """A tree that two starts at the same time made, with all that tests need, and how these ended."""

    tree: Tree
    outcomes: tuple[Outcome, Outcome]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    tree = make_tree(tmp_path_factory.mktemp("ready"))
    processes = [tree.start("--version") for _ in range(2)]
    printed = [process.communicate(timeout=200) for process in processes]
    one, other = (Outcome(process.returncode, *said) for process, said in zip(processes, printed, strict=True))
    outcome = tree.run("setup")
    assert outcome.code == 0, outcome.said
    return Installed(tree, (one, other))


@pytest.fixture(scope="module")
def ready(installed: Installed) -> Tree:
    """A tree in which everything is installed, which takes seconds. Tests leave it as it is."""
    return installed.tree


@pytest.fixture
def changing(ready: Tree) -> Iterator[Tree]:
    """The same tree, of which the list of packages may be changed: it is as it was afterwards."""
    kept = {path: path.read_bytes() for path in (ready.folder / "pyproject.toml", ready.venv / "errorflow.stamp")}
    yield ready
    for path, content in kept.items():
        path.write_bytes(content)


@pytest.fixture
def moved(ready: Tree, tmp_path: Path) -> Iterator[Tree]:
    """The same tree at another place, and none where it was."""
    away, moved = ready.folder.with_name("away"), Tree(tmp_path / "moved", ready.programs)
    shutil.copytree(ready.folder, moved.folder, symlinks=True)
    ready.folder.rename(away)
    yield moved
    away.rename(ready.folder)


@pytest.fixture
def unsure(ready: Tree, tmp_path: Path) -> Tree:
    """The same tree, not known to have Qt's libraries, with programs of its own."""
    (ready.venv / "errorflow.qt").unlink(missing_ok=True)
    tree = Tree(ready.folder, tmp_path / "programs")
    make_programs(tree)
    return tree


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return make_tree(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "environment", "wanted"),
    [
        ([], DISPLAY, ["errorflow-viewer", "--sample"]),
        ([], {"WAYLAND_DISPLAY": "wayland-0"}, ["errorflow-viewer", "--sample"]),
        ([], {"QT_QPA_PLATFORM": "offscreen"}, ["errorflow-viewer", "--sample"]),
        ([], {}, ["errorflow", "demo", "--out", "{tree}/demo"]),
        (["my model.onnx"], DISPLAY, ["errorflow-viewer", "my model.onnx"]),
        (["a.onnx", "b.onnx"], DISPLAY, ["errorflow-viewer", "a.onnx", "b.onnx"]),
        (["my model.onnx"], {}, ["errorflow", "inspect", "my model.onnx"]),
        (["inspect", "--json", "a.onnx"], DISPLAY, ["errorflow", "inspect", "--json", "a.onnx"]),
        (["demo", "--out", "x"], {}, ["errorflow", "demo", "--out", "x"]),
        (["--version"], {}, ["errorflow", "--version"]),
        (["main"], DISPLAY, ["errorflow-viewer", "main"]),
        (["../core/errorflow/cli/inspect"], DISPLAY, ["errorflow-viewer", "../core/errorflow/cli/inspect"]),
        (["test", "-k", "one or two"], {}, ["pytest.py", *CORES, "-k", "one or two"]),
        (["test", "--quick"], {}, ["pytest.py", *CORES, "--quick"]),
        (["test", "-n", "3", "tests"], {}, ["pytest.py", "-n", "3", "tests"]),
        (["test", "--pdb"], {}, ["pytest.py", "--pdb"]),
    ],
)
def test_starts_what_is_asked_for(
    ready: Tree, arguments: Sequence[str], environment: dict[str, str], wanted: Sequence[str]
) -> None:
    outcome = ready.run(*arguments, env=environment)
    assert outcome.call == [word.replace("{tree}", str(ready.folder)) for word in wanted]
    assert outcome.code == 0


def test_without_a_display_every_file_is_inspected(ready: Tree) -> None:
    calls = [json.loads(line)["args"] for line in ready.run("a.onnx", "b.onnx").printed.splitlines()]
    assert calls == [["inspect", "a.onnx"], ["inspect", "b.onnx"]]


@pytest.mark.parametrize("arguments", [["inspect", "x"], ["--version"], ["test"]], ids=str)
def test_says_nothing_of_its_own_when_all_is_installed(ready: Tree, arguments: list[str]) -> None:
    assert ready.run(*arguments).said == ""


def test_needs_no_network_when_all_is_installed(ready: Tree) -> None:
    assert ready.run("inspect", "x", env={"PIP_INDEX_URL": "http://127.0.0.1:9/"}).code == 0


def test_tests_run_in_the_tree_and_without_a_screen(ready: Tree, tmp_path: Path) -> None:
    outcome = ready.run("test", "tests", cwd=tmp_path, env={"DISPLAY": ":99"})
    call = json.loads(outcome.printed)
    assert (call["cwd"], call["env"]["QT_QPA_PLATFORM"]) == (str(ready.folder), "offscreen")


def test_all_tests_are_those_without_a_window_on_all_cores_then_the_others_one_at_a_time(ready: Tree) -> None:
    calls = [json.loads(line)["args"] for line in ready.run("test").printed.splitlines()]
    assert calls == [[*CORES, "-m", "not window and not installed"], ["-m", "window and not installed"]]


def test_other_programs_start_where_the_user_is(ready: Tree, tmp_path: Path) -> None:
    assert json.loads(ready.run("inspect", "x", cwd=tmp_path).printed)["cwd"] == str(tmp_path)


def test_works_through_a_link(ready: Tree, tmp_path: Path) -> None:
    (tmp_path / "errorflow").symlink_to(ready.folder / "run")
    done = subprocess.run(
        [tmp_path / "errorflow", "--version"], env=ready.environment({}), capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)["args"] == ["--version"]


def test_packages_of_other_programs_do_not_come_first(ready: Tree, tmp_path: Path) -> None:
    (tmp_path / "stand_in.py").write_text("raise SystemExit('the wrong one')")
    assert ready.run("--version", env={"PYTHONPATH": str(tmp_path)}).code == 0


def test_leaves_files_in_its_environment_only(ready: Tree) -> None:
    assert sorted(path.name for path in ready.folder.iterdir() if path.name != "__pycache__") == [
        ".venv",
        "core",
        "pyproject.toml",
        "run",
        "stand_in_build.py",
    ]
    assert list((ready.programs / "home").iterdir()) == []


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_installs_nothing(tree: Tree, option: str) -> None:
    outcome = tree.run(option)
    assert outcome.code == 0
    assert "./run test" in outcome.printed
    assert not tree.venv.exists()


def test_a_killed_installation_is_made_anew(tree: Tree) -> None:
    process = tree.start("setup")
    assert process.stderr is not None
    while "Installing" not in process.stderr.readline():
        assert process.poll() is None
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    (tree.venv / "rubbish").touch()
    outcome = tree.run("--version")
    assert "anew" in outcome.said
    assert outcome.call == ["errorflow", "--version"]
    assert not (tree.venv / "rubbish").exists()


def test_an_interrupted_installation_says_so_and_is_made_good(tree: Tree) -> None:
    process = tree.start("setup")
    assert process.stderr is not None
    while "Installing" not in process.stderr.readline():
        assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate()
    assert "Interrupted" in said
    assert process.returncode == 130
    assert tree.run("--version").call == ["errorflow", "--version"]


def test_two_starts_at_once_install_once(installed: Installed) -> None:
    assert [outcome.call for outcome in installed.outcomes] == [["errorflow", "--version"]] * 2
    assert sum("Making" in outcome.said for outcome in installed.outcomes) == 1


def test_a_changed_list_of_packages_is_installed_into_the_same_environment(changing: Tree) -> None:
    changing.run("test")
    (changing.venv / "still the same").touch()
    with (changing.folder / "pyproject.toml").open("a") as file:
        file.write("\n# changed\n")
    outcome = changing.run("--version")
    assert "Installing" in outcome.said
    assert "Making" not in outcome.said
    assert (changing.venv / "still the same").exists()
    assert changing.run("test").said == ""  # the development tools were kept


def test_a_moved_tree_gets_a_new_environment(moved: Tree) -> None:
    outcome = moved.run("--version")
    assert "anew" in outcome.said
    assert outcome.call == ["errorflow", "--version"]


def test_an_unreachable_index_is_a_sentence_and_breaks_nothing(changing: Tree) -> None:
    pyproject = changing.folder / "pyproject.toml"
    before = pyproject.read_text()
    pyproject.write_text(before.replace("requires = []", 'requires = ["hatchling"]'))
    outcome = changing.run("--version", env={"PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_RETRIES": "1"})
    assert outcome.code == 1
    assert "index cannot be reached" in outcome.said
    pyproject.write_text(before)
    assert changing.run("--version").said == ""


def test_another_place_can_be_named(tree: Tree, tmp_path: Path) -> None:
    outcome = tree.run("--version", cwd=tmp_path, env={"ERRORFLOW_VENV": "else where/venv"})
    assert outcome.code == 0
    assert (tmp_path / "else where/venv/bin/errorflow").exists()
    assert not tree.venv.exists()


def test_a_folder_with_other_things_in_it_is_not_touched(tree: Tree, tmp_path: Path) -> None:
    precious = tmp_path / "home"
    precious.mkdir()
    (precious / "thesis.tex").touch()
    outcome = tree.run("--version", env={"ERRORFLOW_VENV": str(precious)})
    assert outcome.code == 1
    assert "holds something else" in outcome.said
    assert [path.name for path in precious.iterdir()] == ["thesis.tex"]


def test_a_tree_that_takes_no_environment_has_it_in_the_cache(tree: Tree, tmp_path: Path) -> None:
    tree.venv.touch()  # root may write everywhere, but not into a file
    outcome = tree.run("--version", env={"XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert outcome.call == ["errorflow", "--version"]
    assert len(list((tmp_path / "cache/errorflow").glob("venv-*"))) == 1


@pytest.mark.parametrize("version", ["2.7", "3.9", "3.10"])
def test_an_old_python_is_a_sentence(tree: Tree, version: str) -> None:
    (tree.programs / "python3").unlink()
    for name in ["python3", "python3.11", "python3.12", "python3.13"]:
        tree.program(name, f"echo {version}")
    outcome = tree.run("--version")
    assert outcome.code == 1
    assert f"Errorflow needs Python 3.11 or newer; python3 here is {version}." in outcome.said


def test_missing_libraries_are_installed_where_that_is_allowed(unsure: Tree, tmp_path: Path) -> None:
    lacking, calls = tmp_path / "lacking", tmp_path / "calls"
    lacking.touch()
    unsure.program("id", "echo 0")
    unsure.program("apt-get", f"echo $* >>'{calls}'; rm -f '{lacking}'")
    outcome = unsure.run(env={"DISPLAY": ":99", "QT_LACKS": str(lacking)})
    assert outcome.call == ["errorflow-viewer", "--sample"]
    assert "install -y --no-install-recommends libgl1" in calls.read_text()


def test_missing_libraries_are_named_where_it_is_not_and_the_demo_runs(unsure: Tree, tmp_path: Path) -> None:
    lacking = tmp_path / "lacking"
    lacking.touch()
    unsure.program("id", "echo 1000")
    outcome = unsure.run(env={"DISPLAY": ":99", "QT_LACKS": str(lacking)})
    assert "lacks the system library libGL.so.1. To install it: sudo apt-get install libgl1" in outcome.said
    assert outcome.call[:2] == ["errorflow", "demo"]


def test_tests_without_qt_are_a_sentence(unsure: Tree, tmp_path: Path) -> None:
    lacking = tmp_path / "lacking"
    lacking.touch()
    unsure.program("id", "echo 1000")
    outcome = unsure.run("test", env={"QT_LACKS": str(lacking)})
    assert (outcome.code, outcome.printed) == (1, "")
    assert "cannot start without it" in outcome.said


def test_every_command_is_one_for_run_too_and_nothing_else_is() -> None:
    from errorflow.cli.main import COMMANDS

    files = (ROOT / "core/errorflow/cli").glob("*.py")
    known = {path.stem for path in files if re.search(r"^[A-Z_]* = Command\(", path.read_text("utf-8"), re.MULTILINE)}
    assert known == {row.name.replace("-", "_") for row in COMMANDS}


def test_the_script_keeps_to_the_standard_shell() -> None:
    subprocess.run(["sh", "-n", RUN], check=True)
    assert RUN.read_text().startswith("#!/bin/sh\n")
    assert os.access(RUN, os.X_OK)
