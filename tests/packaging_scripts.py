"""The scripts of packaging/ as modules: they lie in no package, and import what lies beside them."""

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

PACKAGING = Path(__file__).parents[1] / "packaging"


@cache
def script(name: str) -> ModuleType:
    """`name`: `windows/bundle_files.py`."""
    path = PACKAGING / name
    spec = importlib.util.spec_from_file_location(f"packaging_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for it
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
    return module
