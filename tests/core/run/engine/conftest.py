"""Engines that several tests ask."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from errorflow.run.engine.engine import Budget, Engine
from rerun_nets import Case, Opened, case


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """A net with an engine that stays open for the tests of a module."""
    folder: Path = tmp_path_factory.mktemp("nets")
    found: dict[str, tuple[Case, Engine]] = {}

    def get(name: str) -> tuple[Case, Engine]:
        if name not in found:
            net = case(name, folder)
            found[name] = net, Engine(net.path, net.samples, net.calibration, Budget(segments=5))
        return found[name]

    yield get
    for _, engine in found.values():
        engine.close()
