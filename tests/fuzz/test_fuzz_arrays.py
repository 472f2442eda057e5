"""Spoiled arrays and archives: read, or answered with a sentence; never anything else."""

import io
from pathlib import Path
from typing import Any

import numpy as np

from errorflow.base.errors import ErrorflowError
from errorflow.base.files import Source
from errorflow.base.progress import SILENT
from errorflow.formats.arrays.npy import read_npy
from errorflow.formats.arrays.npz import read_npz
from errorflow.graph.dump import Dump
from fuzz.mutate import mutants, time_left

MAX_READ = 10_000_000


def samples() -> tuple[list[bytes], list[bytes]]:
    single, many = [], []
    tensors: dict[str, Any] = {"/a/b": np.arange(12.0).reshape(3, 4), "c": np.ones(2, ">f2"), "d": np.array(True)}
    for tensor in tensors.values():
        raw = io.BytesIO()
        np.save(raw, tensor)
        single.append(raw.getvalue())
    for write in (np.savez, np.savez_compressed):
        raw = io.BytesIO()
        write(raw, **tensors)
        many.append(raw.getvalue())
    return single, many


def read_all(dump: Dump) -> None:
    for name in dump.names():
        if dump.info(name).nbytes < MAX_READ:
            dump.read(name)


def test_spoiled_arrays_are_read_or_answered(tmp_path: Path) -> None:
    left, path = time_left(2), tmp_path / "x.npy"
    for seed, data in mutants(samples()[0]):
        path.write_bytes(data)
        try:
            with Source(path) as source:
                read_all(read_npy(source, SILENT))
        except ErrorflowError as error:
            assert error.hint, f"seed {seed}"
        if not left():
            break


def test_spoiled_archives_are_read_or_answered(tmp_path: Path) -> None:
    left, path = time_left(3), tmp_path / "x.npz"
    for seed, data in mutants(samples()[1]):
        path.write_bytes(data)
        try:
            with Source(path) as source:
                read_all(read_npz(source, SILENT))
        except ErrorflowError as error:
            assert error.hint, f"seed {seed}"
        if not left():
            break
