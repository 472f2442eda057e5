"""Spoiled Caffe networks: each is read, or answered by a sentence; nothing crashes."""

from pathlib import Path

from errorflow.base.errors import ErrorflowError
from errorflow.base.files import Source
from errorflow.base.progress import SILENT
from errorflow.formats.caffe.prototxt import CAFFE_PROTOTXT
from errorflow.graph.describe import facts
from errorflow.graph.model import Model
from fuzz.mutate import mutants, time_left

SECONDS = 3.0
DATA = Path(__file__).parents[1] / "data"


def test_a_spoiled_network_is_read_or_refused_in_a_sentence(tmp_path: Path) -> None:
    going_on = time_left(SECONDS)
    folders = (DATA / "formats" / "caffe-prototxt", DATA / "caffe")
    samples = [path.read_bytes() for folder in folders for path in sorted(folder.glob("*.prototxt"))]
    path = tmp_path / "spoiled.prototxt"
    for seed, data in mutants(samples):
        path.write_bytes(data)
        try:
            look_at_everything(path)
        except ErrorflowError as error:
            assert error.message.endswith("."), (seed, error.message)
            assert error.hint, seed
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error
        if not going_on():
            return


def look_at_everything(path: Path) -> None:
    """All that the program could ever ask of a network."""
    with Source(path) as source:
        CAFFE_PROTOTXT.claims(source)
        made = CAFFE_PROTOTXT.read(source, SILENT)
    assert isinstance(made, Model)
    for node in made.graph.nodes():
        dict(node.attributes)
    for index in range(len(made.graph.tensor_names)):
        made.graph.tensor(index)
    made.graph.networkx()
    facts(made)
