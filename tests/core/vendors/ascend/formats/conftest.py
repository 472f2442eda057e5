"""What tests of the printed form share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ascend_writer import model, write_json
from errorflow.formats import read
from errorflow.graph.model import Model


@pytest.fixture
def reads(tmp_path: Path) -> Callable[..., Model]:
    """Reads a model that is given as the printer prints it."""

    def reading(*graphs: dict[str, Any], **attrs: object) -> Model:
        content = read(write_json(tmp_path / "model.json", model(*graphs, **attrs)))
        assert isinstance(content, Model)
        return content

    return reading
