from collections.abc import Callable
from pathlib import Path

import onnx
import pytest

from errorflow.base.progress import SILENT, Progress
from errorflow.formats import read
from errorflow.graph.model import Model


@pytest.fixture
def reads(tmp_path: Path) -> Callable[..., Model]:
    """Writes a model (a proto, or bytes) into a file and reads that."""

    def write_and_read(model: onnx.ModelProto | bytes, progress: Progress = SILENT, name: str = "model.onnx") -> Model:
        path = tmp_path / name
        path.write_bytes(model if isinstance(model, bytes) else model.SerializeToString())
        content = read(path, progress)
        assert isinstance(content, Model)
        return content

    return write_and_read
