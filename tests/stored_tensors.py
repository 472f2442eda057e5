"""Tensors for comparisons that are made elsewhere: they can be sent to other processes."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errorflow.compare.match.model import Match, Pair
from errorflow.graph.dump import TensorInfo

DEADLY = TensorInfo("deadly", "float32", (4,), 16)
FAULTY = TensorInfo("faulty", "float32", (4,), 16)


@dataclass(frozen=True)
class Made:
    """A tensor that is computed when it is read: `size` random numbers with some noise."""

    seed: int
    size: int = 1000
    noise: float = 0.0
    path: str = "made"

    @property
    def info(self) -> TensorInfo:
        return TensorInfo(f"t{self.seed}", "float32", (self.size,), 4 * self.size)

    def read(self) -> NDArray[np.generic]:
        values = np.random.default_rng(self.seed).standard_normal(self.size, np.float32)
        return values + np.float32(self.noise) * np.random.default_rng(self.seed + 1).standard_normal(
            self.size, np.float32
        )


@dataclass(frozen=True)
class Deadly:
    """Ends the process that reads it, as a system without memory does; where `once` names a file, only the first."""

    once: str = ""
    path: str = "deadly"
    info: TensorInfo = DEADLY

    def read(self) -> NDArray[np.generic]:
        if not self.once:
            os.kill(os.getpid(), signal.SIGKILL)
        elif not Path(self.once).exists():
            Path(self.once).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return np.ones(4, np.float32)


@dataclass(frozen=True)
class Faulty:
    """Fails as only a mistake of ours does."""

    path: str = "faulty"
    info: TensorInfo = FAULTY

    def read(self) -> NDArray[np.generic]:
        return np.ones(4 // len(self.info.name[:0]), np.float32)


def made_pair(seed: int, size: int = 1000) -> Pair:
    return Pair(f"t{seed}", Made(seed, size, noise=0.01), Made(seed, size), rule="tensor-name")


def deadly_pair(once: str = "") -> Pair:
    return Pair("deadly", Deadly(once), Deadly(once), rule="tensor-name")


def faulty_pair() -> Pair:
    return Pair("faulty", Faulty(), Faulty(), rule="tensor-name")


def made_match(count: int) -> Match:
    return Match(tuple(made_pair(seed) for seed in range(count)))
