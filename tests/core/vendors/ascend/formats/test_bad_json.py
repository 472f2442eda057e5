"""JSON that is broken, lying, huge or something else: a sentence each, in little memory."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ascend_writer import attr, chain, graph, model, op, write_json
from errorflow.base.errors import ErrorflowError, FileError, FormatError
from errorflow.base.files import Source
from errorflow.base.progress import SILENT, Progress
from errorflow.formats import read
from errorflow.graph.model import Model
from errorflow.vendors.ascend.formats import cut
from errorflow.vendors.ascend.formats.atc_json import AMCT_QUANT, ATC_JSON

GOOD = json.dumps(model(chain(), soc_version="x"), indent=1).encode()
NODE = b'{"graph": [{"op": [{"name": "a", "attr": '


def save(folder: Path, data: bytes) -> Path:
    path = folder / "model.json"
    path.write_bytes(data)
    return path


def opened(path: Path, progress: Progress = SILENT) -> Model:
    content = read(path, progress)
    assert isinstance(content, Model)
    return content


def reading(path: Path) -> None:
    """As ATC JSON, claimed or not."""
    with Source(path) as source:
        ATC_JSON.read(source, _Silent())


class _Silent:
    def step(self, done: int, total: int, text: str) -> None:
        assert 0 <= done <= total
        assert text


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (NODE + b"[" * 100_000, "nested deeper than"),
        (NODE + b'{"a":' * 100_000, "nested deeper than"),
        (b"[" * 100_000, "nested deeper than"),
        (b'{"graph": [{"op": [{"name": "a"}, {"name": ]}]}', "broken in the operator at byte 34"),
        (b'{"graph": [{"op": [{"name": tru}]}]}', "broken in the operator at byte 19"),
        (b'{"graph": [{"op": [{"name": "a"} {"name": "b"}]}]}', "broken outside of its operators"),
        (b'{"graph": [{"op": [{"name": "a"}]}], nonsense}', "broken outside of its operators"),
        (b'{"graph": [{"op": [{"name": "a"}]}]} and more', "broken outside of its operators"),
        (b'{"graph": [{"op": [{"name": "a"]}]}', "broken in the operator|closes more brackets"),
        (b'{"graph": [{"op": [1, 2]}]}', "something else than operators"),
        (b'{"graph": [{"op": [{"name": "a"}, 1]}]}', "something else than operators"),
        (b'{"graph": [{"op": [1, {"name": "a"}]}]}', "something else than operators"),
        (b'{"graph": [{"op": ["a"]}]}', "not laid out as ATC prints"),
        (b'{"graph": {"op": []}}', "not laid out as ATC prints"),
        (b'{"name": [1]}', "not laid out as ATC prints"),
        (b'{"graph": []}', "without any graph"),
        (b"{}", "without any graph"),
        (b"", "broken outside of its operators"),
        (GOOD.replace(b"conv", b"co\xffv"), "not UTF-8"),
        (GOOD[:-1] + b'"\xe5\x8d', "not UTF-8|ends in the middle"),
        (GOOD + b"\0", "zero bytes"),
        (GOOD.replace(b"conv", b"co\0v"), "zero bytes"),
        (GOOD.replace(b'"conv"', b'"co\nv"'), "broken in the operator"),
        (b"\xff\xfe" + "{}".encode("utf-16-le"), "zero bytes"),
    ],
)
def test_broken_text_is_a_sentence(data: bytes, said: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=said) as caught:
        reading(save(tmp_path, data))
    assert caught.value.hint
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("size", range(1, len(GOOD) - 1, 37))
def test_a_file_that_is_cut_off_anywhere_is_a_sentence(size: int, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="ends in the middle"):
        reading(save(tmp_path, GOOD[:size]))


@pytest.mark.parametrize("size", [1, 7, 64, 100])
def test_pieces_of_any_size_give_the_same(size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = save(tmp_path, GOOD)
    expected = list(opened(path).graph.nodes())
    monkeypatch.setattr(cut, "PIECE_BYTES", size)

    assert list(opened(path).graph.nodes()) == expected


def test_text_that_spans_pieces_is_checked_for_utf8(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cut, "PIECE_BYTES", 1)

    reading(save(tmp_path, json.dumps(model(graph(op("卷积", "Relu"))), ensure_ascii=False).encode()))
    with pytest.raises(FormatError, match="not UTF-8"):
        reading(save(tmp_path, b'{"graph": [{"op": [{"name": "\xe5\x8d"}]}]}'))


@pytest.mark.parametrize(
    ("limit", "value", "data"),
    [
        ("MAX_NODE_BYTES", 1000, NODE + b'"' + b"x" * 2000 + b'"}]}]}'),
        ("MAX_BRACKETS", 100, NODE + b"[" + b"{}," * 100 + b"{}]}]}]}"),
        ("MAX_BRACKETS", 100, b'{"attr": [' + b"{}," * 100 + b"{}]}"),
        ("MAX_REST_BYTES", 1000, b'{"name": "' + b"x" * 2000 + b'"}'),
        ("MAX_FILE_BYTES", 1000, b'{"name": "' + b"x" * 2000 + b'"}'),
    ],
)
@pytest.mark.parametrize("piece", [64, 1_000_000])
def test_limits_end_in_a_sentence(
    limit: str, value: int, data: bytes, piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cut, "PIECE_BYTES", piece)
    monkeypatch.setattr(cut, limit, value)

    with pytest.raises(FormatError, match=r"larger than|more beside"):
        reading(save(tmp_path, data))


def test_operators_outside_of_any_graph_are_left_out_and_noted(tmp_path: Path) -> None:
    content = model(chain()) | {"extra": [{"op": [{"name": "stray"}]}]}
    made = opened(write_json(tmp_path / "model.json", content))

    assert len(made.graph) == 5
    assert "1 operator stands outside of any graph" in made.problems[0].text


PROBE = """
import resource, sys
from errorflow.base.errors import ErrorflowError
from errorflow.formats import read
try:
    read(sys.argv[1])
    print("read")
except ErrorflowError as error:
    print(type(error).__name__, error.message)
"""


def in_little_memory(path: Path) -> str:
    """What reading says in a process that may take 600 MB of address space in all."""
    limit = 600 << 20
    done = subprocess.run(
        [sys.executable, "-c", PROBE, str(path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    return str(done.stdout)


def test_a_sparse_file_of_10_gb_is_refused_at_once(tmp_path: Path) -> None:
    path = save(tmp_path, GOOD)
    os.truncate(path, 10 << 30)

    assert "FormatError" in in_little_memory(path) or "WrongFileError" in in_little_memory(path)


def test_a_large_file_is_read_in_little_memory(tmp_path: Path) -> None:
    nodes = [op(f"n{number}", "Relu", label="x" * 10_000) for number in range(50)]
    path = tmp_path / "model.json"
    text = json.dumps(graph(*nodes))[1:-1]
    with path.open("w") as file:
        file.write("{" + f'"graph": [{{{text}}}')
        for _ in range(400):
            file.write(f",{{{text}}}")
        file.write("]}")

    assert path.stat().st_size > 190 << 20
    assert in_little_memory(path) == "read\n"


def test_a_file_without_permission_is_a_sentence(as_nobody: Path) -> None:
    path = save(as_nobody, GOOD)
    path.chmod(0)

    with pytest.raises(FileError, match="may not be read"):
        read(path)


def test_attributes_of_a_file_that_may_no_longer_be_read_are_a_sentence(as_nobody: Path) -> None:
    path = save(as_nobody, GOOD)
    made = opened(path)
    path.chmod(0)

    with pytest.raises(FileError, match="may not be read"):
        len(made.graph.node(0).attributes)


def test_a_folder_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="is a folder"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("text", "claimed"),
    [
        (GOOD, True),
        (b"\xef\xbb\xbf" + GOOD, True),
        (b'{"graph": [{"op": [{"name": "a"}]}]}', True),
        (b'{"graph":[{"op":[{}]}]}', True),
        (b'{"name": "n", "graph": [{"name": "g", "input": ["x:0"], "op": [{"type": "Data", "input": [""]}', True),
        (b'{"attr": [{"key": "a", "value": {"s": "b"}}, ', True),
        (b'{"attr": [{"key": "a\\"b", "value": null}, ', True),
        (b'{"attr": [{"value": {"i": 1}, "key": "a"}], ', True),
        (b'{"graph": [{"attr": [{"key": "a", "value": {"b": true}}', True),
        (b"", False),
        (b"{}", False),
        (b"[]", False),
        (b'{"graph": []}', False),
        (b'{"graph": {"node": [{"opType": "Relu"}]}, "irVersion": "8"}', False),
        (b'{"irVersion": "8", "opsetImport": [{"version": "13"}], "graph": {"node": []}}', False),
        (b'{"graph": [{"op": [[]]}]}', False),
        (b'{"graph": [{"op": [{"what": 1}]}]}', False),
        (b'{"graph": [{"nodes": [{"name": 1}]}]}', False),
        (b'{"attr": [{"key": "a", "value": "b"}]}', False),
        (b'{"attr": [{"name": "a"}]}', False),
        (b'{"attr": {"key": "a"}}', False),
        (b'{"nodes": [], "graph": [{"op": [{"name": "a"}]}]}', False),
        (b'{"Switch": {"GraphFusion": {"ALL": "off"}}}', False),
        (b'{"version": 1, "batch_num": 1, "conv1": {"quant_enable": true}}', False),
        (b'{"a": "graph", "b": "[{op:[{name"}', False),
        (b"not json", False),
        (b"{" * 300, False),
        (b"}}}}", False),
        (b"\0" + GOOD, False),
        (GOOD[:100] + b"\0" * 100, False),
    ],
)
def test_only_printed_models_are_claimed(text: bytes, claimed: bool, tmp_path: Path) -> None:
    with Source(save(tmp_path, text)) as source:
        assert ATC_JSON.claims(source) is claimed
        assert not AMCT_QUANT.claims(source)


def test_a_model_whose_attributes_fill_the_beginning_is_claimed(tmp_path: Path) -> None:
    long = model(chain(), task_index_op_name=tuple(f"op_{number}" for number in range(50_000)))

    with Source(write_json(tmp_path / "model.json", long)) as source:
        assert b'"graph"' not in source.head
        assert ATC_JSON.claims(source)


@pytest.mark.parametrize(
    ("node", "quant"),
    [
        ({"name": "a", "attr": [attr("_datadump_original_op_names", ("a",))]}, True),
        ({"name": "input", "attr": [attr("_datadump_original_op_names", ("a",))]}, True),
        ({"name": "a", "input": ["b:0"], "attr": [attr("_datadump_original_op_names", ("a",))]}, False),
        ({"name": "a", "attr": [attr("_datadump_original_op_names", ("a",))], "input_desc": []}, False),
        ({"name": "a", "attr": []}, False),
    ],
    ids=["origins only", "a name like a field", "connected", "described", "no origins"],
)
@pytest.mark.parametrize("before", [0, 3000])
def test_quantization_information_has_origins_and_no_edges(
    node: dict[str, Any], quant: bool, before: int, tmp_path: Path
) -> None:
    filler = [{"name": "x" * 1000, "type": "Relu"} for _ in range(before)]
    path = write_json(tmp_path / "q.json", {"name": "q", "graph": [{"op": [*filler, node]}]})

    with Source(path) as source:
        assert AMCT_QUANT.claims(source) is quant
        assert ATC_JSON.claims(source) is not quant


def test_a_file_cut_while_it_is_read_is_a_sentence(tmp_path: Path) -> None:
    path = save(tmp_path, GOOD + b" " * (3 << 20))

    class Spoiler:
        def step(self, *_: object, **__: object) -> None:
            os.truncate(path, 100)

    with pytest.raises(FileError, match="ends before its byte"):
        read(path, Spoiler())


def test_a_file_removed_while_it_is_read_is_read_to_its_end(tmp_path: Path) -> None:
    path = save(tmp_path, GOOD + b" " * (3 << 20))

    class Remover:
        def step(self, *_: object, **__: object) -> None:
            path.unlink(missing_ok=True)

    made = opened(path, Remover())
    with pytest.raises(ErrorflowError, match="There is no file"):
        len(made.graph.node(0).attributes)
