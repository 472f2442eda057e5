"""Makes the bundle where it shall run, Windows or macOS, and tries it: `python packaging/windows/bundle.py WORK OUT`.

WORK: a folder for what is only needed meanwhile. OUT gets `errorflow/` on Windows and `Errorflow.app` on macOS. On
Linux, packaging/linux/build.sh does this and much more.
"""

import argparse
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
VERSIONS = ROOT / "packaging/versions.txt"
SPEC = ROOT / "packaging/errorflow.spec"
# Not made for Intel any more in the version that the others get.
OLDER_ON_INTEL_MACS = {"onnxruntime": "onnxruntime>=1.20,<1.24"}
# Below `_internal`, on macOS below Contents: each must be there at least once.
MUST_HAVE = {
    "win32": ("**/platforms/qwindows.dll", "**/platforms/qoffscreen.dll", "**/styles/*.dll", "**/python3*.dll"),
    "darwin": ("**/platforms/libqcocoa.dylib", "**/platforms/libqoffscreen.dylib", "**/libpython3*.dylib"),
}
MUST_HAVE_EVERYWHERE = (
    "**/qtbase_zh_CN.qm",
    "**/iconengines/*qsvgicon*",
    "**/imageformats/*qsvg*",
    "**/errorflow_resources/language/*.ts",
    "**/errorflow_resources/language/errorflow_zh_CN.json",
    "**/errorflow_resources/language/qt_zh_CN.qm",
    "**/errorflow_resources/help/words.md",
    "**/errorflow_resources/fonts/*.otf",
    "**/errorflow_resources/sample/node_fault/node_fault.onnx",
    "**/onnxruntime_pybind11_state*",
)
# What PyInstaller says, and goes on, when something that is needed was not found.
BAD_LINES = re.compile(r"Library not found|Hidden import .?(errorflow|numpy|PIL|onnx)|ERROR:")
PATIENCE = 600


def run(*command: str | Path, **environment: str) -> str:
    """What it prints, which is shown as well; one that fails ends all."""
    print("+", *command, flush=True)
    done = subprocess.run(
        [str(each) for each in command],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        timeout=PATIENCE * 3,
        check=False,
    )
    print(done.stdout, flush=True)
    if done.returncode:
        raise SystemExit(f"{Path(command[0]).name} ended with {done.returncode}")
    return done.stdout


def requirements(lines: Sequence[str], system: str, machine: str) -> list[str]:
    """The pinned versions, but for what is not made for this machine."""
    older = OLDER_ON_INTEL_MACS if (system, machine) == ("darwin", "x86_64") else {}
    names = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    return [older.get(line.split("==")[0], line) for line in names]


def environment(work: Path) -> Path:
    """The Python of an environment with all that a bundle is made of."""
    run(sys.executable, "-m", "venv", work / "venv")
    python = work / "venv" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    wanted = work / "requirements.txt"
    lines = requirements(VERSIONS.read_text(encoding="utf-8").splitlines(), sys.platform, platform.machine())
    wanted.write_text("\n".join(lines), encoding="utf-8")
    run(python, "-m", "pip", "install", "-q", "-r", wanted)
    run(python, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", ROOT)
    return python


def missing(folder: Path, log: str, system: str) -> Iterator[str]:
    """What a bundle lacks, in words."""
    for pattern in (*MUST_HAVE[system], *MUST_HAVE_EVERYWHERE):
        if not any(folder.glob(pattern)):
            yield f"{pattern} is missing"
    yield from (line.strip() for line in log.splitlines() if BAD_LINES.search(line))


def programs(out: Path, system: str) -> tuple[Path, Path, Path]:
    """The window, the command line, and the folder of the bundle."""
    if system == "darwin":
        folder = out / "Errorflow.app"
        return folder / "Contents/MacOS/errorflow-viewer", folder / "Contents/MacOS/errorflow", folder
    folder = out / "errorflow"
    return folder / "errorflow-viewer.exe", folder / "errorflow.exe", folder


def add_terms(python: Path, folder: Path, system: str) -> None:
    """The terms of all that is inside; nothing is passed on without them."""
    place = folder / "Contents/Resources" if system == "darwin" else folder
    run(python, ROOT / "packaging/windows/licences.py", "-o", place / "LICENCES.txt")


def try_out(viewer: Path, cli: Path, folder: Path) -> None:
    """The command line on the sample; then the window, on the screen that there is and on none."""
    sample = next(folder.glob("**/errorflow_resources/sample/node_fault/node_fault.onnx"))
    run(cli, "--version")
    run(cli, "inspect", sample)
    run(viewer, "--self-test", QT_QPA_PLATFORM="offscreen")
    run(viewer, "--self-test")


def main() -> int:
    """Builds, checks, tries."""
    if sys.platform not in MUST_HAVE:
        raise SystemExit("A bundle is made on the system it is for: on Linux by packaging/linux/build.sh.")
    parser = argparse.ArgumentParser(description="Makes the bundle where it shall run, and tries it.")
    parser.add_argument("work", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    python = environment(options.work)
    build = options.work / "build"
    log = run(python, "-m", "PyInstaller", "--noconfirm", "--distpath", options.out, "--workpath", build, SPEC)
    viewer, cli, folder = programs(options.out, sys.platform)
    if lacks := list(missing(folder, log, sys.platform)):
        raise SystemExit("The bundle is not whole:\n" + "\n".join(lacks))
    add_terms(python, folder, sys.platform)
    try_out(viewer, cli, folder)
    print(f"{folder} is ready.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
