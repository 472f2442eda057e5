"""What a comparison is measured against: `read` all bytes of a run, or compare in a straightforward `numpy` loop."""

import sys
from pathlib import Path

import numpy as np
from compare_data import CHANNELS, Data

from errorflow.formats import read_tensors


def main() -> None:
    data = Data(Path(sys.argv[2]), 0)
    if sys.argv[1] == "read":
        for path in data.files():
            with path.open("rb") as file:
                while file.read(1 << 20):
                    pass
        return
    golden = {path.name.split(".")[0]: path for path in data.reference.iterdir()}
    dumps = sorted(data.candidate.iterdir(), key=lambda path: int(path.name.rsplit(".", 1)[1]))
    before = "data"
    for path in dumps:
        dump, name = read_tensors(path), path.name.split(".")[1]
        for tensor, of in (("input:0", before), ("output:0", name)):
            stored = dump.read(tensor)
            n, c1, h, w, c0 = stored.shape
            mine = stored.transpose(0, 1, 4, 2, 3).reshape(n, c1 * c0, h, w)[:, :CHANNELS]
            _compare(mine, np.load(golden[of]))
        before = name


def _compare(mine: np.ndarray, golden: np.ndarray) -> tuple[float, ...]:
    """The ten columns in float32, then the same and the per-channel ratio in float64, as one would write them down."""
    x, y = mine.ravel().astype(np.float32), golden.ravel().astype(np.float32)
    columns = (_cosine(x, y), *_errors(x, y), *_divergence(x, y), x.mean(), x.std(), y.mean(), y.std())
    r, c = golden.ravel().astype(np.float64), mine.ravel().astype(np.float64)
    d = c - r
    shape = (golden.shape[0], golden.shape[1], -1)
    signal = (r.reshape(shape) ** 2).sum(axis=(0, 2))
    noise = (d.reshape(shape) ** 2).sum(axis=(0, 2))
    with np.errstate(divide="ignore"):
        ratios = 10 * np.log10(signal / noise)
    flips = np.count_nonzero(np.sign(r) * np.sign(c) < 0) / r.size
    values = (_cosine(c, r), *_errors(c, r), ratios.min(), np.median(ratios), flips, len(np.unique(mine)))
    states = (np.isnan(c).sum(), np.isinf(c).sum(), c.min(), c.max(), r.min(), r.max(), (np.abs(c) >= 65504).mean())
    return (*columns, *values, *states)


def _cosine(x: np.ndarray, y: np.ndarray) -> float:
    return float((x * y).sum() / (np.sqrt((x * x).sum()) * np.sqrt((y * y).sum())))


def _errors(x: np.ndarray, y: np.ndarray) -> tuple[float, ...]:
    d = np.abs(x - y)
    relative = np.where(y != 0, np.abs(x / np.where(y != 0, y, 1) - 1), 0)
    power = (d * d).sum()
    return (
        *(float(d.max()), float(d.mean()), float(np.sqrt(power / d.size)), float(np.sqrt(power / (y * y).sum()))),
        *(float(relative.sum()), float(relative.max()), float(relative.mean())),
    )


def _divergence(x: np.ndarray, y: np.ndarray) -> tuple[float]:
    p, q = (np.maximum((v - v.min()) / (v.max() - v.min()), 1.19e-7) for v in (x, y))
    p, q = p / p.sum(), q / q.sum()
    return (float((p * np.log(p / q)).sum()),)


if __name__ == "__main__":
    main()
