"""Store of the sample and what it is made from; npz files that come out the same on every machine."""

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from make_sample.net import Net, Weights
from make_sample.quantize import Ranges

HERE = Path(__file__).parent
SAMPLE = HERE.parent / "errorflow_resources" / "sample"
INPUTS = SAMPLE / "inputs"
# The oldest date that a zip file can hold: the files do not change with the day that they are made.
DATE = (1980, 1, 1, 0, 0, 0)


def save_npz(path: Path, arrays: Mapping[str, NDArray[np.generic]]) -> None:
    """`numpy.savez_compressed` without the clock: a member is the tensor's name and `.npy`, slashes kept."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as file:
        for name, array in arrays.items():
            raw = io.BytesIO()
            np.lib.format.write_array(raw, np.asanyarray(array), allow_pickle=False)
            member = zipfile.ZipInfo(f"{name}.npy", DATE)
            file.writestr(member, raw.getvalue(), zipfile.ZIP_DEFLATED, 9)


def load_npz(path: Path) -> dict[str, NDArray[np.generic]]:
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def trained(net: Net) -> Weights:
    """The weights of a net as they were stored, in float16."""
    stored = load_npz(HERE / "weights" / f"{net.name}.npz")
    return {name: stored[name].astype(np.float32) for name in net.shapes}


def stored_ranges(key: str) -> Ranges:
    """The calibrated ranges of a member."""
    rows: dict[str, list[float]] = json.loads((HERE / "ranges" / f"{key}.json").read_text())
    return {name: (low, high) for name, (low, high) in rows.items()}


def save_ranges(key: str, ranges: Ranges) -> None:
    rows = [f"{json.dumps(name)}: {json.dumps(pair)}" for name, pair in ranges.items()]
    path = HERE / "ranges" / f"{key}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text("{\n" + ",\n".join(rows) + "\n}\n")
