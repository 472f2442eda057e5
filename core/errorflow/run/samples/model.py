"""Samples: what a model is fed with, one run after the other."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Protocol

import numpy as np

from errorflow.run.model import Array

# Samples that are made up where nobody says how many.
MADE_UP = 8


class Source(Protocol):
    """What the user's files hold, by the names of the model's inputs. Nothing is read before it is asked for."""

    @property
    def count(self) -> int: ...

    def name(self, number: int) -> str:
        """As a sentence calls the sample, such as `3.npy`."""
        ...

    def shapes(self, number: int) -> Mapping[str, tuple[int, ...]]:
        """As far as the heads of files tell, which are read quickly."""
        ...

    def read(self, number: int) -> Mapping[str, Array]: ...


class Samples(Source, Protocol):
    """The same, brought to the types and shapes that the model wants."""

    @property
    def made_up(self) -> bool:
        """Nobody gave them: what comes of them says nothing about the model in use."""
        ...

    @property
    def notes(self) -> tuple[str, ...]: ...

    def digest(self, number: int) -> str:
        """Of what the model is fed with, whatever it was made from."""
        ...


@dataclass(frozen=True, slots=True)
class Pictures:
    """How pictures become arrays; see `errorflow.run.samples.pictures` for the exact arithmetic."""

    # Of each channel, in the order in which the model has them; () is 0 and 1.
    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()
    # NCHW or NHWC; "": as the model's shape says.
    layout: str = ""
    colour: str = "rgb"
    # A key of `errorflow.run.samples.resizing`; "": pictures have the right size.
    resize: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user gives to feed a model with, as plain values that other processes can be sent."""

    paths: tuple[str, ...] = ()
    # Sizes that the model leaves open, by their names; `x[2]` is the third dimension of the input x.
    dims: dict[str, int] = field(default_factory=dict)
    pictures: Pictures = Pictures()
    # None: nothing is made up.
    seed: int | None = None
    # How many are made up.
    count: int = MADE_UP


def digest_of(arrays: Mapping[str, Array]) -> str:
    """Equal for equal names, types, shapes and bits."""
    found = sha256()
    for name in sorted(arrays):
        array = arrays[name]
        found.update(repr((name, array.dtype.str, array.shape)).encode(errors="backslashreplace"))
        found.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return found.hexdigest()


def identity_of(samples: Samples) -> str:
    """Of all samples in their order; reads them."""
    return joined_identity([samples.digest(number) for number in range(samples.count)])


def joined_identity(digests: list[str]) -> str:
    return sha256("\n".join(digests).encode()).hexdigest()
