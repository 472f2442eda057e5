"""What tests that run models share."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.dump import Dump
from errorflow.run.model import Ran

# Saves a model, runs it on arrays and opens what it left behind.
RunIt = Callable[..., tuple[Ran, Dump]]


def floats(*shape: int, seed: int = 0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


def savez(path: Path, arrays: Mapping[str, NDArray[Any]]) -> Path:
    """numpy.savez for names that a type checker takes for its options."""
    store: Any = np.savez
    store(path, **arrays)
    return path
