"""The text forms of ONNX: the same model as the binary form gives, and no text that can bring the reader down."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import onnx.printer
import pytest
from google.protobuf import json_format, text_format
from hypothesis import given
from hypothesis import strategies as st

from errorflow.base.errors import FormatError
from errorflow.base.files import Source
from errorflow.base.progress import SILENT, Cancelled
from errorflow.formats import FORMATS
from errorflow.formats.format import Format
from errorflow.formats.onnx import text
from errorflow.formats.onnx import text as nesting
from errorflow.formats.onnx.text import (
    JSON_SYNTAX,
    ONNX_JSON,
    ONNX_PROTOBUF_TEXT,
    ONNX_SYNTAX,
    ONNX_TEXT,
    PROTOBUF_SYNTAX,
    Syntax,
)
from errorflow.graph.model import Model
from onnx_models import DATA, branching, graph, model, relu, small, value, weight, with_weight

Reads = Callable[..., Model]
Write = Callable[[onnx.ModelProto], str]


def json_of_fields(proto: onnx.ModelProto) -> str:
    written: str = json_format.MessageToJson(proto, preserving_proto_field_name=True)
    return written


FORMS: list[tuple[Format, Write]] = [
    (ONNX_TEXT, onnx.printer.to_text),
    (ONNX_PROTOBUF_TEXT, text_format.MessageToString),
    (ONNX_JSON, json_format.MessageToJson),
    (ONNX_JSON, json_of_fields),
]
each_form = pytest.mark.parametrize(("row", "write"), FORMS, ids=["text", "textproto", "json", "json of fields"])


def long_chain(count: int) -> onnx.ModelProto:
    nodes = [relu(f"t{i}", f"t{i + 1}", f"node{i}") for i in range(count)]
    return model(graph(*nodes, inputs=[value("t0")], outputs=[value(f"t{count}")]))


class TestReading:
    @each_form
    def test_the_same_graph_as_from_the_binary_form(self, row: Format, write: Write, reads: Reads) -> None:
        binary, found = reads(branching()), reads(write(branching()).encode(), name="m.txt")

        assert found.format == row.label
        assert list(found.graph.nodes()) == list(binary.graph.nodes())
        assert found.graph.tensor_names == binary.graph.tensor_names
        assert found.graph.shapes.values == binary.graph.shapes.values
        assert [path for path, _ in found.graph.walk()] == [path for path, _ in binary.graph.walk()]

    @each_form
    def test_weights_are_in_the_text(self, row: Format, write: Write, reads: Reads) -> None:
        proto = with_weight(weight("w", np.arange(5000, dtype=np.float32)))
        found = reads(write(proto).encode(), name="m.txt").graph.weights

        assert found.read("w").tolist() == list(range(5000))

    @each_form
    def test_a_large_text_is_parsed_apart(self, row: Format, write: Write, reads: Reads) -> None:
        written = write(long_chain(2000)).encode()

        assert len(written) > text.AT_ONCE_BYTES
        assert len(reads(written, name="m.txt").graph) == 2000

    @each_form
    def test_a_cancel_stops_the_parser(self, row: Format, write: Write, reads: Reads) -> None:
        class CancelsLate:
            left = 3

            def step(self, done: int, total: int, text: str) -> None:
                self.left -= 1
                if not self.left:
                    raise Cancelled

        with pytest.raises(Cancelled):
            reads(write(long_chain(2000)).encode(), CancelsLate(), name="m.txt")

    @each_form
    def test_shapes_can_be_worked_out(self, row: Format, write: Write, reads: Reads) -> None:
        found = reads(write(long_chain(2)).encode(), name="m.txt")

        assert found.infer_shapes is not None
        assert None not in found.infer_shapes(SILENT).graph.shapes.values

    @each_form
    def test_a_byte_order_mark_does_no_harm(self, row: Format, write: Write, reads: Reads) -> None:
        assert len(reads(b"\xef\xbb\xbf" + write(small()).encode(), name="m.txt").graph) == 1

    def test_comments_may_come_first(self, reads: Reads) -> None:
        comment = b'# made by hand: { [ " \n\n'

        for row, write in FORMS[:2]:
            assert reads(comment + write(small()).encode(), name="m.txt").format == row.label

    def test_functions_of_a_text(self, reads: Reads) -> None:
        written = """
            <ir_version: 8, opset_import: ["" : 17, "mine" : 1]>
            main (float[2] x) => (float[2] y) { y = mine.Twice (x) }
            <domain: "mine", opset_import: ["" : 17]>
            Twice (a) => (b) { b = Add (a, a) }
        """
        [function] = reads(written.encode(), name="m.txt").functions

        assert (function.domain, function.name, len(function.graph)) == ("mine", "Twice", 1)


OTHERS = {
    "a web page": b"<!doctype html><html><body>ir_version: 8</body></html>",
    "XML": b"<net name='x' version='10'><ir_version: 3></net>",
    "a Caffe network": b'name: "net"\nlayer {\n  name: "conv"\n  type: "Convolution"\n}\n',
    "a Caffe solver": b'net: "train.prototxt"\nbase_lr: 0.01\n',
    "a TensorFlow graph": b'node {\n  name: "x"\n  op: "Placeholder"\n}\n',
    "a Graphviz graph": b"graph { a -- b }",
    "ATC JSON": b'{"graph": [{"name": "g", "op": []}], "name": "x", "version": 1}',
    "settings": b'{"producer_name": "x", "domain": "y"}',
    "a list": b'[{"irVersion": "8"}]',
    "JSON with the word inside": b'{"a": {"irVersion": "8", "graph": {}}}',
    "a text that names it": b"ir_version and opset_import are fields of ModelProto.",
    "bytes": b"\x00ir_version: 8",
    "nothing": b"",
    "one endless word": b"a" * 70_000,
    "one endless string": b'{"' + b'\\"' * 35_000,
}


class TestClaims:
    @pytest.mark.parametrize("folder", sorted(DATA.iterdir()), ids=lambda folder: folder.name)
    def test_only_its_own_samples(self, folder: Path) -> None:
        for path in folder.iterdir():
            with Source(path) as source:
                keys = [row.key for row in (ONNX_TEXT, ONNX_PROTOBUF_TEXT, ONNX_JSON) if row.claims(source)]
            assert keys == ([folder.name] if folder.name.startswith("onnx-") else [])

    @pytest.mark.parametrize("name", OTHERS)
    def test_other_texts_are_not_claimed(self, name: str, tmp_path: Path) -> None:
        path = tmp_path / "file"
        path.write_bytes(OTHERS[name])

        with Source(path) as source:
            assert [row.key for row in (ONNX_TEXT, ONNX_PROTOBUF_TEXT, ONNX_JSON) if row.claims(source)] == []


class TestBroken:
    @each_form
    def test_a_text_that_is_cut_off_is_a_sentence(self, row: Format, write: Write, tmp_path: Path) -> None:
        written = write(branching()).rstrip().encode()
        path = tmp_path / "cut"
        for end in range(len(written) // 3, len(written), 97):
            path.write_bytes(written[:end])
            with Source(path) as source, pytest.raises(FormatError, match=r"broken|holds") as caught:
                row.read(source, SILENT)
            assert caught.value.message.endswith(".")
            assert caught.value.hint

    @pytest.mark.parametrize("row", [ONNX_TEXT, ONNX_PROTOBUF_TEXT, ONNX_JSON], ids=lambda row: row.key)
    @pytest.mark.parametrize("opening", [b"{", b"[", b"<", b'{"a":', b"a {", b"seq("])
    def test_endless_nesting_is_refused_before_any_parser_sees_it(
        self, row: Format, opening: bytes, tmp_path: Path
    ) -> None:
        path = tmp_path / "deep"
        path.write_bytes(b"{" * 101 + opening * 200_000)

        with Source(path) as source, pytest.raises(FormatError, match="nested more than 100 levels"):
            row.read(source, SILENT)

    @pytest.mark.parametrize("row", [ONNX_TEXT, ONNX_PROTOBUF_TEXT, ONNX_JSON], ids=lambda row: row.key)
    def test_a_sparse_file_of_ten_gigabytes_is_refused_at_once(self, row: Format, tmp_path: Path) -> None:
        path = tmp_path / "sparse"
        path.write_bytes(b"<ir_version: 8")
        os.truncate(path, 10 * 1024**3)

        with Source(path) as source, pytest.raises(FormatError, match="too much for a text"):
            row.read(source, SILENT)

    @pytest.mark.parametrize("row", [ONNX_TEXT, ONNX_PROTOBUF_TEXT, ONNX_JSON], ids=lambda row: row.key)
    def test_what_is_not_utf8_is_a_sentence(self, row: Format, tmp_path: Path) -> None:
        path = tmp_path / "latin"
        path.write_bytes(b'<ir_version: 8, producer_name: "caf\xe9">')

        with Source(path) as source, pytest.raises(FormatError, match="byte 35 is 0xe9"):
            row.read(source, SILENT)

    def test_the_place_of_the_mistake_is_told(self, reads: Reads) -> None:
        with pytest.raises(FormatError, match=r"line: 3 column: \d+"):
            reads(b"<ir_version: 8>\ng (float[2] x) => (float[2] y) {\n y = = Relu (x) }", name="m.txt")

    def test_numbers_beyond_all_limits_are_a_sentence(self, reads: Reads) -> None:
        with pytest.raises(FormatError):
            reads(b"<ir_version: 99999999999999999999999>\ng () => () {}", name="m.txt")

    def test_a_model_without_a_graph_is_a_sentence(self, reads: Reads) -> None:
        with pytest.raises(FormatError, match="before its graph begins"):
            reads(b'{"irVersion": "8", "producerName": "x"}', name="m.txt")

    def test_a_crash_of_the_parser_is_a_sentence(self, reads: Reads, monkeypatch: pytest.MonkeyPatch) -> None:
        import apart
        from errorflow.base.workers import WorkerError

        broken = text.TextForm("ONNX text", ONNX_SYNTAX, apart.crash_on)
        monkeypatch.setattr(text, "AT_ONCE_BYTES", 0)
        assert ONNX_TEXT in FORMATS
        path = DATA / "onnx-text"
        with Source(next(path.iterdir())) as source, pytest.raises(WorkerError, match="SIGSEGV"):
            broken.read(source, SILENT)


class TestDepth:
    @pytest.mark.parametrize(
        ("syntax", "written", "depth"),
        [
            (JSON_SYNTAX, b"", 0),
            (JSON_SYNTAX, b'{"a": [1, {"b": 2}]}', 3),
            (JSON_SYNTAX, b'{"a": "[[[[[["}', 1),
            (JSON_SYNTAX, b'{"a": "\\"[[["}', 1),
            (JSON_SYNTAX, b'{"a": "\\\\", "b": [[]]}', 3),
            (JSON_SYNTAX, b"]]]]{", 0),
            (JSON_SYNTAX, b'{[] "{{{{', 2),
            (PROTOBUF_SYNTAX, b"a { s: 'it {\n b { c {} }", 3),
            (PROTOBUF_SYNTAX, b"a { b < c: [1] > }", 3),
            (PROTOBUF_SYNTAX, b"a { s: '{{{' } # {{{{\nb { c {} }", 2),
            (PROTOBUF_SYNTAX, b"a: \"it's\" b { c: '\"' }", 1),
            (ONNX_SYNTAX, b"<ir_version: 8> g (float[2] x) => (float[2] y) { y = Relu (x) }", 2),
            (ONNX_SYNTAX, b"=> => => {{{", 3),
            (ONNX_SYNTAX, b'< s: "((((" > # ((((\n', 1),
        ],
    )
    def test_is_counted_outside_of_strings_and_comments(self, syntax: Syntax, written: bytes, depth: int) -> None:
        assert syntax.depth(written) == depth

    @given(st.recursive(st.text(max_size=5), lambda inner: st.lists(inner, max_size=3), max_leaves=20))
    def test_is_that_of_the_value_that_was_written(self, made: object) -> None:
        import json

        def depth(item: object) -> int:
            return 1 + max(map(depth, item), default=0) if isinstance(item, list) else 0

        assert JSON_SYNTAX.depth(json.dumps(made).encode()) == depth(made)

    @pytest.mark.parametrize("syntax", [JSON_SYNTAX, PROTOBUF_SYNTAX, ONNX_SYNTAX])
    @pytest.mark.parametrize("quote", [b'"', b"'"])
    def test_quotes_in_a_string_that_never_ends_are_part_of_it(self, syntax: Syntax, quote: bytes) -> None:
        if syntax.overlooked.match(quote * 2):
            assert syntax.structure(b"{ " + quote + (b"\\" + quote) * 200_000).split() == [b"{"]
            assert syntax.structure(b"{ " + quote + b"\\").split() == [b"{"]

    def test_is_the_same_when_counted_in_pieces(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(nesting, "PIECE_BYTES", 3)

        assert JSON_SYNTAX.depth(b"[[],[[[]],[[[[]]]]],[]]") == 7 - 1

    def test_a_string_that_never_ends_takes_no_time(self) -> None:
        assert JSON_SYNTAX.depth(b'"' + b"\\a" * 500_000) == 0
