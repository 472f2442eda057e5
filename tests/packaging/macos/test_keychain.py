"""The key that signs: on the disk for no longer than it is read."""

import os
import subprocess
from pathlib import Path

import pytest

from packaging_scripts import PACKAGING

SCRIPT = PACKAGING / "macos/keychain.sh"
# Stands in for Apple's program; fails at the step that is named.
SECURITY = (
    '#!/bin/sh\n[ "$1" != "$FAILS" ] || exit 3\n[ "$1" != find-identity ] || echo \'  1) 0A "Developer ID: us"\'\n'
)


@pytest.mark.parametrize("fails", ["", "import", "create-keychain", "set-key-partition-list"])
def test_the_file_with_the_key_is_gone_whatever_fails(tmp_path: Path, fails: str) -> None:
    program = tmp_path / "bin" / "security"
    program.parent.mkdir()
    program.write_text(SECURITY)
    program.chmod(0o755)
    here = tmp_path / "tmp"
    here.mkdir()
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "TMPDIR": str(here), "FAILS": fails}
    done = subprocess.run(
        ["bash", str(SCRIPT), "open"],
        env={**environment, "PKCS12": "a2V5", "PASSWORD": "x"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == ((3, "") if fails else (0, "Developer ID: us\n"))
    assert list(here.iterdir()) == []
