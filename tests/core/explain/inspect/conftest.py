"""The samples, each compared once."""

from collections.abc import Callable

import pytest

from evidence_tensors import Opened, opened_sample


@pytest.fixture(scope="session")
def sample() -> Callable[[str], Opened]:
    known: dict[str, Opened] = {}

    def opened(key: str) -> Opened:
        if key not in known:
            known[key] = opened_sample(key)
        return known[key]

    return opened
