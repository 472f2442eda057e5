"""The workflows name what is there, run only actions that cannot change, and may do no more than they must."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".github/workflows"
NAMES = sorted(path.name for path in FOLDER.glob("*.yml"))
# Programs of the repository that a step calls.
OURS = re.compile(r"(?<![\w./-])(?:\.ci|core|docs|packaging|resources|tests|viewer)/[\w./-]*[\w]")
each_workflow = pytest.mark.parametrize("name", NAMES)


def workflow(name: str) -> dict[Any, Any]:
    loaded = yaml.safe_load((FOLDER / name).read_text("utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def steps(name: str) -> list[dict[str, Any]]:
    return [step for job in workflow(name)["jobs"].values() for step in job.get("steps", [])]


def commands(name: str) -> list[str]:
    given = [step["run"] for step in steps(name) if "run" in step]
    matrices = [job.get("strategy", {}).get("matrix", {}).get("include", []) for job in workflow(name)["jobs"].values()]
    return given + [row[key] for rows in matrices for row in rows for key in ("install", "remove") if key in row]


def test_there_are_workflows_for_changes_packages_and_releases() -> None:
    assert NAMES == ["ci.yml", "packages.yml", "release.yml"]


@each_workflow
def test_actions_are_pinned(name: str) -> None:
    text = (FOLDER / name).read_text("utf-8")
    used = re.findall(r"uses: (\S+)(.*)", text)
    pinned = re.compile(r"[\w-]+/[\w./-]+@[0-9a-f]{40}")
    for action, comment in used:
        if action.startswith("./"):
            assert (ROOT / action).is_file(), action
        else:
            assert pinned.fullmatch(action), action
            assert re.fullmatch(r" # v[\d.]+", comment), f"{action} does not say which version it is"


@each_workflow
def test_one_version_of_each_action(name: str) -> None:
    used: dict[str, str] = {}
    for other in NAMES:
        for action, commit in re.findall(r"uses: (\S+)@(\S+)", (FOLDER / other).read_text("utf-8")):
            assert used.setdefault(action, commit) == commit, action


@each_workflow
def test_nothing_is_written_but_by_the_job_that_publishes(name: str) -> None:
    assert workflow(name)["permissions"] == {"contents": "read"}
    writing = {job for job, row in workflow(name)["jobs"].items() if "permissions" in row}
    assert writing == ({"publish"} if name == "release.yml" else set())


def test_the_job_that_publishes_runs_nothing_of_the_repository() -> None:
    job = workflow("release.yml")["jobs"]["publish"]
    assert job["permissions"] == {"contents": "write"}
    assert not [step for step in job["steps"] if "checkout" in step.get("uses", "") or OURS.search(step.get("run", ""))]


@each_workflow
def test_checkouts_leave_no_token_behind(name: str) -> None:
    checkouts = [step for step in steps(name) if step.get("uses", "").startswith("actions/checkout")]
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


@each_workflow
def test_every_file_that_is_named_is_there(name: str) -> None:
    named = {path for command in commands(name) for path in OURS.findall(command)}
    assert [path for path in named if not (ROOT / path).exists()] == []


@each_workflow
def test_scripts_can_be_run(name: str) -> None:
    called = {
        path for command in commands(name) for path in re.findall(r"(?m)(?:^|&& )((?:packaging|\.ci)/\S+)", command)
    }
    assert [path for path in called if not (ROOT / path).stat().st_mode & 0o100] == []


@each_workflow
def test_commands_are_sound_for_the_shell(name: str) -> None:
    for command in commands(name):
        text = re.sub(r"\$\{\{.*?\}\}", "true", command)
        done = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}\n{done.stderr}"


@each_workflow
def test_what_comes_from_outside_is_no_part_of_a_command(name: str) -> None:
    # A branch may have the name `$(…)`; and a secret in a command is seen by who lists processes.
    for command in commands(name):
        assert set(re.findall(r"\$\{\{\s*(\w+)", command)) <= {"matrix"}, command


@each_workflow
def test_every_job_ends_at_some_time(name: str) -> None:
    endless = [key for key, job in workflow(name)["jobs"].items() if "uses" not in job and "timeout-minutes" not in job]
    assert endless == []


def test_what_was_on_the_screen_can_be_looked_at_whatever_failed() -> None:
    (kept,) = re.findall(r"ERRORFLOW_PICTURES:-\$root/([\w/]+)", (ROOT / ".ci/run").read_text("utf-8"))
    uploads = [step for step in steps("ci.yml") if "upload-artifact" in step.get("uses", "")]
    assert [(step["if"], step["with"]["path"]) for step in uploads] == [("always()", kept)]


def test_a_release_passes_every_key_that_packages_take() -> None:
    taken = workflow("packages.yml")[True]["workflow_call"]["secrets"]  # YAML reads `on` as true
    given = workflow("release.yml")["jobs"]["packages"]["secrets"]
    assert given == {key: f"${{{{ secrets.{key} }}}}" for key in taken}
    assert not any(row["required"] for row in taken.values())


def test_a_change_gets_no_keys() -> None:
    assert "secrets" not in (FOLDER / "ci.yml").read_text("utf-8")


def test_what_is_signed_has_a_way_without_keys() -> None:
    conditions = [step.get("if", "") for step in steps("packages.yml")]
    assert conditions.count("env.HAS_KEY == 'true'") == conditions.count("env.HAS_KEY != 'true'") == 2


@each_workflow
def test_keys_are_seen_by_the_step_that_signs_alone(name: str) -> None:
    """What other steps run comes from others as well: packages, actions."""
    tops = [workflow(name).get("env", {}), *(job.get("env", {}) for job in workflow(name)["jobs"].values())]
    told = [str(value) for top in tops for value in top.values() if "secrets." in str(value)]
    assert [value for value in told if not re.fullmatch(r"\$\{\{ secrets\.\w+ != '' \}\}", value)] == []


def test_all_that_is_released_is_uploaded_under_a_name_that_publish_asks_for() -> None:
    uploads = [step["with"]["name"] for step in steps("packages.yml") if "upload-artifact" in step.get("uses", "")]
    assert sorted(name.partition("-${{")[0] for name in uploads if name.startswith("release-")) == [
        "release-linux",
        "release-macos",
        "release-windows",
    ]
