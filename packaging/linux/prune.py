"""Takes out of a bundle what nothing in it needs: libraries, such as those of a plugin that was left out, and what only
debuggers read.

python prune.py BUNDLE
"""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from elf import Binary, binaries, with_debugging

# Loaded by name, as no binary says.
_BY_NAME = ("libpython",)


def unneeded(found: Iterable[Binary], is_library: frozenset[Path]) -> list[Path]:
    """Of those that are libraries, the ones that neither the others nor libraries in use ask for."""
    by_name = {each.path.name: each for each in found if each.path in is_library}
    queue = [each for each in found if each.path not in is_library or each.path.name.startswith(_BY_NAME)]
    used = {each.path for each in queue}
    while queue:
        for name in queue.pop().needed:
            needed = by_name.get(name)
            if needed is not None and needed.path not in used:
                used.add(needed.path)
                queue.append(needed)
    return sorted(is_library - used)


def libraries(bundle: Path) -> frozenset[Path]:
    """Where libraries lie that others ask for by their names: not those that belong to one package."""
    inside = bundle / "_internal"
    folders = (inside, inside / "PySide6" / "Qt" / "lib")
    return frozenset(path for folder in folders for path in folder.glob("lib*.so*") if not path.is_symlink())


def prune(bundle: Path) -> list[Path]:
    gone = unneeded(binaries(bundle), libraries(bundle))
    for path in gone:
        path.unlink()
    for link in [path for path in bundle.rglob("*") if path.is_symlink() and not path.exists()]:
        link.unlink()
    for folder in sorted((path for path in bundle.rglob("*") if path.is_dir() and not path.is_symlink()), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()
    return gone


def strip(bundle: Path) -> int:
    """Bytes that were for debuggers. All else stays as it was built: strip breaks some libraries that were patched."""
    saved = 0
    for path in with_debugging(bundle):
        before = path.stat().st_size
        subprocess.run(["strip", "--strip-debug", str(path)], check=True)
        saved += before - path.stat().st_size
    return saved


if __name__ == "__main__":
    for path in prune(Path(sys.argv[1])):
        print(f"nobody needs {path.name}")
    print(f"for debuggers: {strip(Path(sys.argv[1]))} bytes")
