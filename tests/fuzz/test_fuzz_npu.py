"""Spoiled dumps of NPUs, alone and in folders: read, or answered with a sentence; never anything else."""

import json
from pathlib import Path

import numpy as np

from errorflow.base.errors import ErrorflowError
from errorflow.base.files import Source
from errorflow.formats.npu.file import NpuFile
from errorflow.formats.npu.names import read_mapping
from errorflow.formats.npu.opdebug import parse_op_debug
from errorflow.formats.runs import read_run
from errorflow.graph.dump import Dump
from errorflow.vendors.axera.axmodel import read_axmodel
from fuzz.mutate import mutants, time_left
from npu_writer import CODE_BITS, NpuArray, nano_bytes, npu_bytes

MAX_READ = 10_000_000
TIME = 1_700_000_000_000_000


def samples() -> list[bytes]:
    plain = [NpuArray(np.arange(12).reshape(3, 4).astype(kind), "NCHW") for kind in ("f2", "f4", "i1", "?")]
    small = [NpuArray(np.arange(7), dtype=kind, padding=3) for kind in (*CODE_BITS, "uint1")]
    whole = npu_bytes(plain, small, op_name="a/b", buffers=[b"x"], spaces=[b"y"], attributes={"k": "{}"})
    return [whole, npu_bytes(outputs=plain[:1]), nano_bytes(plain[:2], [NpuArray(np.ones(3), origin="conv")])]


def read_all(dump: Dump) -> None:
    for name in dump.names():
        if dump.info(name).nbytes < MAX_READ:
            try:
                dump.read(name)
            except ErrorflowError as error:
                assert error.hint
    assert all(problem.text for problem in dump.problems)


def test_spoiled_dumps_are_read_or_answered(tmp_path: Path) -> None:
    left, path = time_left(3), tmp_path / "x"
    for seed, data in mutants(samples()):
        path.write_bytes(data)
        try:
            with Source(path) as source:
                read_all(NpuFile.of(source))
        except ErrorflowError as error:
            assert error.hint, f"seed {seed}"
        if not left():
            break


def test_spoiled_pieces_are_joined_or_answered(tmp_path: Path) -> None:
    ranges = [[[{"lower": 0, "higher": 3}, {"lower": 0, "higher": 4}]]] * 2
    fields = {"threadMode": 1, "slice_instance_num": 2, "outputCutList": [[2, 1]], "output_tensor_slice": ranges}
    tensor = NpuArray(np.ones((3, 4), np.float32))
    good = [
        npu_bytes(outputs=[tensor], attributes={"ffts": json.dumps(fields | {"threadMode": mode})}) for mode in (0, 1)
    ]
    left = time_left(2)
    (tmp_path / f"Conv2D.conv.3.7.{TIME}.4.20.0.0").write_bytes(good[1])
    for _, data in mutants(good):
        (tmp_path / f"Conv2D.conv.3.7.{TIME}.4.20.0.0").write_bytes(data)
        (tmp_path / f"Conv2D.conv.3.7.{TIME}.4.20.1.0").write_bytes(good[1])
        read_all(read_run(tmp_path))
        if not left():
            break


def test_spoiled_side_files_are_read_or_answered(tmp_path: Path) -> None:
    config = {"bit_width": 8, "quant_min": 0, "hash": 1, "dominator": 1}
    model = {"tensor_configs": {"op": {"t": config}}, "values": {"1": {"scale": [0.5], "zero_point": 3}}}
    left = time_left(1)
    for seed, data in mutants([json.dumps(model).encode(), f"123,Conv2D.a.1.2.{TIME}\n".encode()]):
        (tmp_path / "mapping.csv").write_bytes(data)
        read_mapping(tmp_path)
        try:
            read_axmodel(tmp_path / "mapping.csv")
        except ErrorflowError as error:
            assert error.hint, f"seed {seed}"
        if not left():
            break


def test_spoiled_overflow_information_is_read_or_answered() -> None:
    new = b"\x5a\x5a\x5a\x5a" + bytes(4) + (1).to_bytes(4, "little") + bytes(12 + 88)
    left = time_left(1)
    for seed, data in mutants([new, bytes(2048)]):
        try:
            assert parse_op_debug(data, "x")
        except ErrorflowError as error:
            assert error.hint, f"seed {seed}"
        if not left():
            break
