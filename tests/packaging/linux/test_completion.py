"""What real shells make of `errorflow comp` and the Tab key."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from errorflow.cli.completion import SHELLS
from errorflow.cli.completion.grammar import program_of
from errorflow.cli.main import COMMANDS, main, make_parser
from needed import need
from packaging_scripts import script
from shells import STARTS, Terminal

CASES = (
    ("errorflow comp\t", ["compare"]),
    ("errorflow file\t", ["file_compare"]),
    ("errorflow --vers\t", ["--version"]),
    ("errorflow render --them\t", ["render", "--theme"]),
    ("errorflow render --theme li\t", ["render", "--theme", "light"]),
    ("errorflow render --palette=bl\t", ["render", "--palette=blue-orange"]),
    ("errorflow run net\t", ["run", "net.onnx"]),  # beside net.txt, which is no model
    ("errorflow run more\tb\t", ["run", "more nets/b.onnx"]),
    ("errorflow report cas\t", ["report", "case.errorflow"]),
)


@pytest.fixture(params=STARTS)
def terminal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Terminal]:
    need(request.param)
    for name in ("net.onnx", "net.txt", "case.errorflow", "case.txt", "more nets/b.onnx"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    script = tmp_path / "script"
    script.write_text(SHELLS[request.param](program_of(make_parser())), encoding="utf-8")
    shell = Terminal(request.param, "errorflow", script, tmp_path)
    yield shell
    shell.close()


def test_tab_completes(terminal: Terminal) -> None:
    for keys, words in CASES:
        # zsh may put in the = itself.
        typed = [word for part in terminal.typed(keys) for word in part.split("=")]
        assert typed == [word for part in words for word in part.split("=")], keys


def in_fish(line: str, folder: Path) -> list[str]:
    (folder / "script").write_text(SHELLS["fish"](program_of(make_parser())), encoding="utf-8")
    done = subprocess.run(
        ["fish", "--no-config", "-c", f"source script; complete -C '{line}'"],
        cwd=folder,
        env={"HOME": str(folder), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return [row.partition("\t")[0] for row in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("errorflow comp", ["compare"]),
        ("errorflow render --palette ", ["blue-orange", "ember", "single"]),
        ("errorflow render --the", ["--theme"]),
        ("errorflow run ne", ["net.onnx"]),
        ("errorflow run -ou", ["-out"]),
    ],
)
def test_fish_offers(line: str, offered: list[str], tmp_path: Path) -> None:
    need("fish")
    (tmp_path / "net.onnx").touch()
    assert sorted(in_fish(line, tmp_path)) == offered


@pytest.mark.parametrize("shell", SHELLS)
def test_the_program_prints_it(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--completion", shell])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    assert all(command.name in text for command in COMMANDS)


def test_a_shell_that_nobody_has_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--completion", "tcsh"])
    assert ended.value.code == 2
    assert "bash" in capsys.readouterr().err


def test_a_package_has_it_for_both_programs(tmp_path: Path) -> None:
    made = script("linux/make_completion.py").write(tmp_path)
    paths = {path.relative_to(tmp_path).as_posix() for path in made}
    assert "bash-completion/completions/errorflow-viewer" in paths
    assert len(paths) == 2 * len(SHELLS)
    assert "--new-instance" in (tmp_path / "zsh/vendor-completions/_errorflow-viewer").read_text("utf-8")
