"""Makes an environment for each peer, and says which it could not make.

    python benchmarks/rerun_peers/environments.py FOLDER [PEER …]

Each has a folder of its own, by `python -m venv` and pip, whose settings count: a constraint on torch, named by
PIP_CONSTRAINT, saves gigabytes where no graphics card is. What is there is not installed again.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

# In the order in which they are shown. PPQ's files are of the time of protobuf 3, and numpy's old names.
PEERS: Mapping[str, tuple[str, ...]] = {
    "aimet": ("aimet-onnx>=2.30,<3", "onnxruntime>=1.20,<2"),
    "ppq": ("ppq>=0.6.6,<0.7", "torch>=2.1,<3", "protobuf<3.21", "onnx<1.14", "numpy<1.24", "setuptools<81"),
    "esp-ppq": ("esp-ppq>=1.3,<2", "torch>=2.1,<3"),
    "nncf": ("nncf>=3,<4", "onnx>=1.17,<2", "onnxruntime>=1.20,<2"),
}
_MADE = "made.txt"
_TIMEOUT = 1800


def environment(folder: Path, peer: str) -> Path | str:
    """Its Python; a text says why there is none."""
    place = folder / peer
    python = place / "bin" / "python"
    wanted = "\n".join(PEERS[peer])
    if python.exists() and (place / _MADE).exists() and (place / _MADE).read_text("utf-8") == wanted:
        return python
    for call in ([sys.executable, "-m", "venv", "--clear", str(place)], [str(python), *_install(peer)]):
        failed = _called(call)
        if failed:
            return failed
    (place / _MADE).write_text(wanted, encoding="utf-8")
    return python


def _install(peer: str) -> list[str]:
    return ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PEERS[peer]]


def _called(call: list[str]) -> str:
    try:
        done = subprocess.run(call, capture_output=True, text=True, timeout=_TIMEOUT, env=os.environ, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{type(error).__name__}: {call[0]}"
    if not done.returncode:
        return ""
    lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
    return lines[-1] if lines else f"exit code {done.returncode}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("peers", nargs="*", choices=[*PEERS, []])
    options = parser.parse_args()
    for peer in options.peers if options.peers else PEERS:
        print(f"{peer}: {environment(options.folder, peer)}")


if __name__ == "__main__":
    main()
