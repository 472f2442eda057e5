"""The same numbers as whole arrays give them: the loop that one would write first, to compare the engine with."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

TINY = np.float32(2**-52)
FLOOR = np.finfo(np.float32).eps


def cells(x: NDArray[Any], y: NDArray[Any]) -> list[str]:
    """msaccucmp's ten columns, each computed by itself."""
    x, y = x.reshape(-1).astype(np.float32), y.reshape(-1).astype(np.float32)
    with np.errstate(all="ignore"):
        sides = [f"({v.mean(dtype=np.float64):.3f};{v.std(dtype=np.float64):.3f})" for v in (x, y)]
        return [
            f"{min(((x / np.sqrt((x * x).sum())) * (y / np.sqrt((y * y).sum()))).sum(), 1.0):.6f}",
            f"{np.abs(x - y).max():.6f}",
            f"{_relative(x, y).sum():.6f}",
            f"{(((x - y) ** 2).sum() / (y**2).sum()) ** 0.5:.6f}",
            f"{_divergence(_share(x), _share(y)):.6f}",
            ",".join(sides),
            f"{np.abs(x - y).mean():.6f}",
            f"{np.sqrt(((x - y) ** 2).mean()):.6f}",
            f"{_relative(x, y).max():.6f}",
            f"{_relative(x, y).mean():.6f}",
        ]


def _relative(x: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    return np.where(np.abs(y) > TINY, np.abs(x / y - 1), np.float32(0))


def _share(v: NDArray[Any]) -> NDArray[Any]:
    spread = v.max() - v.min()
    shares: NDArray[Any] = np.maximum((v - v.min()) / spread if spread != 0 else v, FLOOR)
    return shares


def _divergence(p: NDArray[Any], q: NDArray[Any]) -> Any:
    p, q = p / p.sum(), q / q.sum()
    return (p * np.log(p / q)).sum()


def measure(reference: NDArray[Any], candidate: NDArray[Any], scale: float) -> dict[str, float]:
    """What `errorflow.compare.metrics.measure` gives of two tensors with channels along the second axis."""
    r, c = reference.astype(np.float64), candidate.astype(np.float64)
    others = tuple(axis for axis in range(r.ndim) if axis != 1)
    d = c - r
    rr, cc, dd = (r * r).sum(), (c * c).sum(), (d * d).sum()
    channels = 10 * np.log10((r * r).sum(axis=others) / (d * d).sum(axis=others))
    for side in (r, c):  # the states
        _ = np.isnan(side).sum(), np.isinf(side).sum(), side.min(), side.max()
    return {
        "cosine": float((r * c).sum() / np.sqrt(rr) / np.sqrt(cc)),
        "relative_l2": float(np.sqrt(dd / rr)),
        "sqnr": float(10 * np.log10(rr / dd)),
        "max_absolute_error": float(np.abs(d).max()),
        "mean_absolute_error": float(np.abs(d).mean()),
        "max_steps": float((np.abs(d) / scale).max()),
        "mean_steps": float((np.abs(d) / scale).mean()),
        "sign_flips": float(np.count_nonzero(r * c < 0) / r.size),
        "clipping": float(
            np.count_nonzero(
                ((c <= -127.75 * scale) & (r < -128.5 * scale)) | ((c >= 126.75 * scale) & (r > 127.5 * scale))
            )
            / r.size
        ),
        "saturation": float(np.count_nonzero((c <= -127.75 * scale) | (c >= 126.75 * scale)) / r.size),
        "min_channel_sqnr": float(channels.min()),
        "median_channel_sqnr": float(np.sort(channels)[(len(channels) - 1) // 2]),
        "unique": float(len(np.unique(candidate))),
    }
