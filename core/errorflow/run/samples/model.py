"""Samples: what a model is fed with, one run after the other."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Protocol

import numpy as np

from errorflow.run.model import Array


class SampleSource(Protocol):
    """Source of the user's values by the names of the model's inputs. Nothing is read before it is needed."""

    @property
    def count(self) -> int: ...

    def name(self, number: int) -> str:
        """Names the sample as a sentence does, such as `3.npy`."""
        ...

    def shapes(self, number: int) -> Mapping[str, tuple[int, ...]]:
        """Finds shapes as far as the heads of files tell, which are read quickly."""
        ...

    def read(self, number: int) -> Mapping[str, Array]: ...


class Samples(SampleSource, Protocol):
    """The same, brought to the types and shapes that the model wants."""

    @property
    def made_up(self) -> bool:
        """Whether they were made up: what comes of them says nothing about the model in use."""
        ...

    @property
    def notes(self) -> tuple[str, ...]: ...

    def digest(self, number: int) -> str:
        """Computes the digest of what the model is fed with, whatever it was made from."""
        ...


def digest_of(arrays: Mapping[str, Array]) -> str:
    """Equal for equal names, types, shapes and bits."""
    found = sha256()
    for name in sorted(arrays):
        array = arrays[name]
        found.update(repr((name, array.dtype.str, array.shape)).encode(errors="backslashreplace"))
        found.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return found.hexdigest()


def joined_identity(digests: list[str]) -> str:
    return sha256("\n".join(digests).encode()).hexdigest()
