"""Offline models as files: the container, what is broken in it, and what is larger than any."""

import random
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from ascend_writer import chain, desc, graph, message, model, om_bytes, op, write_om
from core.vendors.ascend.formats.test_om import constant, opened
from errorflow.base.errors import FormatError, WrongFileError
from errorflow.base.files import Source
from errorflow.base.progress import Cancelled
from errorflow.formats import identify, read
from errorflow.vendors.ascend.formats.messages import MAX_ITEMS, MESSAGE_ITEMS
from errorflow.vendors.ascend.formats.om import OM
from errorflow.vendors.ascend.formats.window import MAX_NUMBERS


def definition(*graphs: dict[str, Any]) -> bytes:
    return message("ModelDef", model(*graphs))


def test_further_models_give_the_subgraphs_that_the_first_asks_for(tmp_path: Path) -> None:
    main = graph(op("call", "PartitionedCall") | {"subgraph_name": ["part"]}, name="main")
    part = graph(op("w", "Const", value={"t": {"desc": desc("DT_INT8", (2,)) | {"weight_size": 2}}}), name="part")
    path = tmp_path / "model.om"
    path.write_bytes(
        om_bytes([(0, definition(main)), (1, b"ab")], models=2, more=[[(0, definition(part)), (1, b"\7\x08")]])
    )

    made = opened(path)
    body = made.graph.subgraphs[0]
    assert (body.role, body.graph.node_names) == ("f", ("w",))
    assert body.graph.weights.read("w:0").tolist() == [7, 8]
    assert ("Models in the file", "2") in made.facts


def test_a_graph_that_the_first_model_holds_is_not_taken_again(tmp_path: Path) -> None:
    path = tmp_path / "model.om"
    path.write_bytes(om_bytes([(0, definition(chain()))], models=2, more=[[(0, definition(chain()))]]))

    made = opened(path)
    assert made.functions == ()
    assert made.problems == ()


def test_parts_of_unknown_kinds_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "model.om"
    path.write_bytes(om_bytes([(22, b"x" * 100), (0, definition(chain())), (9, b"")]))

    assert len(opened(path).graph) == 5


def test_fields_that_nobody_knows_are_skipped(tmp_path: Path) -> None:
    unknown = b"\xfa\x07\x02hi" + b"\xf8\x07\x05" + b"\xfd\x07\0\0\0\0" + b"\xf9\x07" + bytes(8)
    path = tmp_path / "model.om"
    path.write_bytes(om_bytes([(0, unknown + definition(chain()) + unknown)]))

    assert len(opened(path).graph) == 5


GOOD = om_bytes([(0, definition(chain())), (1, bytes(64))])


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"IMOD", "is cut off"),
        (GOOD[:200], "is cut off"),
        (GOOD[:256], "is cut off"),
        (GOOD[:300], "is cut off"),
        (GOOD[:-1], "is cut off"),
        (om_bytes([(0, b"")], encrypted=1), "is encrypted"),
        (om_bytes([(1, b"abc")]), "holds no description of a model"),
        (om_bytes([(6, b"abc")]), "holds a flow of several models"),
        (om_bytes([(0, b"")]), "describes no graph"),
        (om_bytes([]), "does not fit its size"),
        (om_bytes([(0, b"")], head_size=8), "header of 8 bytes"),
        (om_bytes([(0, b"\xff" * 40)]), "is broken near its byte"),
        (om_bytes([(0, b"\x3a\x7f")]), "is broken near its byte"),
        (om_bytes([(0, b"\x3a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01")]), "is broken near its byte"),
        (GOOD[:256] + b"\xff\xff\xff\xff" + GOOD[260:], "does not fit its size"),
        (GOOD[:264] + b"\xff\xff\xff\x7f" + GOOD[268:], "does not fit its size"),
        (GOOD[:268] + b"\xff\xff\xff\xff" + GOOD[272:], "does not fit its size"),
    ],
)
def test_broken_files_end_in_a_sentence(data: bytes, said: str, tmp_path: Path) -> None:
    if len(data) > 8 and said == "header of 8 bytes":
        data = data[:4] + struct.pack("<I", 8) + bytes(300)
    path = tmp_path / "model.om"
    path.write_bytes(data)

    with pytest.raises(FormatError, match=said) as caught:
        read(path)
    assert caught.value.hint


@pytest.mark.parametrize("size", range(4, len(GOOD), 29))
def test_a_file_cut_off_anywhere_ends_in_a_sentence(size: int, tmp_path: Path) -> None:
    path = tmp_path / "model.om"
    path.write_bytes(GOOD[:size])

    with pytest.raises(FormatError):
        read(path)


def test_a_definition_that_names_itself_too_deep_is_a_sentence(tmp_path: Path) -> None:
    value = b""
    for _ in range(5000):  # a value, in an entry, in the map of a tensor description, in a value
        for tag in (b"\x12", b"\x2a", b"\x5a"):
            value = tag + _size(len(value)) + value
    entry = b"\x0a\x01k\x12" + _size(len(value)) + value
    path = tmp_path / "model.om"
    path.write_bytes(om_bytes([(0, definition(chain()) + b"\x5a" + _size(len(entry)) + entry)]))

    with pytest.raises(FormatError, match="is broken near"):
        read(path)


def _size(number: int) -> bytes:
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def test_a_large_constant_is_not_held(tmp_path: Path) -> None:
    size = 30_000_000
    data = random.Random(1).randbytes(size)
    path = write_om(tmp_path / "model.om", model(graph(constant("DT_INT8", (size,), data), op("b", "Relu"))))

    tracemalloc.start()
    made = opened(path)
    attributes = dict(made.graph.node(0).attributes)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert most < size / 4
    assert made.graph.node_names == ("w", "b")
    assert attributes["value"] == {"dtype": "int8", "shape": (size,), "layout": "NCHW"}
    assert made.graph.weights.read("w:0").tobytes() == data


def test_a_name_of_absurd_length_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "model.om"
    size = 70_000_000
    path.write_bytes(om_bytes([(0, b"\x0a" + _size(size) + b"n" * size)]))

    with pytest.raises(FormatError, match="is broken near"):
        read(path)


def _operator(fields: bytes) -> bytes:
    """A model definition with one operator that has these fields."""
    node = b"\x32" + _size(len(fields)) + fields
    return b"\x3a" + _size(len(node)) + node


def _shape(numbers: int) -> bytes:
    dims = b"\x0a" + _size(numbers) + b"\x01" * numbers
    shape = b"\x1a" + _size(len(dims)) + dims
    return b"\x92\x02" + _size(len(shape)) + shape


ENDLESS = {"outputs": b"\x92\x02\x00" * (MAX_ITEMS // MESSAGE_ITEMS + 2), "sizes": _shape(MAX_NUMBERS + 1)}


@pytest.mark.parametrize("name", ENDLESS)
def test_an_operator_of_millions_of_things_is_a_sentence(name: str, tmp_path: Path) -> None:
    path = tmp_path / "model.om"
    path.write_bytes(om_bytes([(0, _operator(ENDLESS[name]))]))

    with pytest.raises(FormatError, match="is broken near"):
        read(path)


def test_an_attribute_of_millions_of_messages_is_a_sentence(tmp_path: Path) -> None:
    tensors = b"\x42\x00" * (MAX_ITEMS // MESSAGE_ITEMS + 2)  # a list's empty descriptions of tensors
    value = b"\x0a" + _size(len(tensors)) + tensors
    entry = b"\x0a\x01k\x12" + _size(len(value)) + value
    path = tmp_path / "model.om"
    path.write_bytes(om_bytes([(0, _operator(b"\x52" + _size(len(entry)) + entry))]))

    with pytest.raises(FormatError, match="is broken near"):
        dict(opened(path).graph.node(0).attributes)


def test_a_constant_of_a_shape_that_no_array_can_have_is_a_sentence(tmp_path: Path) -> None:
    path = write_om(tmp_path / "model.om", model(graph(constant("DT_FLOAT", (1,) * 65, b"1234"))))

    with pytest.raises(FormatError, match="do not lie where the file says"):
        opened(path).graph.weights.read("w:0")


def test_only_the_mark_of_an_offline_model_is_claimed(tmp_path: Path) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(GOOD)

    with Source(path) as source:
        assert identify(source) is OM


def test_an_svp_model_is_answered_by_name(tmp_path: Path) -> None:
    path = tmp_path / "model.om"
    path.write_bytes(b"PICO" + bytes(300))

    with pytest.raises(WrongFileError, match="SVP/PICO"):
        read(path)


def test_a_cancel_strikes_while_reading(tmp_path: Path) -> None:
    class Impatient:
        def step(self, *_: object, **__: object) -> None:
            raise Cancelled

    with pytest.raises(Cancelled):
        read(write_om(tmp_path / "model.om", model(chain())), Impatient())
