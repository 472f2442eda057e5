"""Nothing is reported to anybody: not what is run, and not by what machine."""

import os
import subprocess
import sys
from pathlib import Path

from errorflow.base.sample import SAMPLES

# A library that reports what it runs keeps a number of the machine in the home.
CODE = "import sys; from errorflow.cli.main import main; sys.exit(main())"


def test_running_a_model_leaves_no_number_of_the_machine(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_") and "ORT" not in name}
    done = subprocess.run(
        [sys.executable, "-c", CODE, "run", str(SAMPLES[0].model), "--random", "1", "-out", str(tmp_path / "run")],
        env={**kept, "HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert [path for path in home.rglob("*") if path.is_file() and "errorflow" not in str(path)] == []
