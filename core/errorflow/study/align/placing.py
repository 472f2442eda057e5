"""Whether pixels are the same and only sit a little elsewhere, or were mixed another way: what resizing does."""

import numpy as np

from errorflow.base.values import dataclass
from errorflow.study.align.model import Doubles

# Sides from which on a picture has an inside to look at.
_LEAST = 8
# Of the difference's power, what a shift has to explain to be named.
_MOST_OF_IT = 0.6
_EDGES = 0.35
_FAR = 3


@dataclass(frozen=True, slots=True)
class Placing:
    """Oddity in where pixels are; `explains` is a share of the power that was left."""

    text: str
    explains: float


def placing_of(a: Doubles, b: Doubles) -> Placing | None:
    """Finds the oddity. Both are pictures whose last two dimensions are height and width, alike but for what is to be
    told.
    """
    if min(a.shape[-2:]) < _LEAST:
        return None
    found = _bordered(a, b)
    found = _moved(a, b) if found is None else found
    if found is not None:
        return found
    left = (b - a)[..., 1:-1, 1:-1]
    own = float(np.square(left).sum())
    down, right = (np.gradient(a, axis=axis)[..., 1:-1, 1:-1] for axis in (-2, -1))
    fitted = _drift(left, down, right)
    if fitted is not None:
        (up, left_by, taller, wider), explained = fitted
        if explained * own >= _MOST_OF_IT * own:
            return Placing(_drifted(up, left_by, taller, wider, a.shape), explained)
    return _mixed(a, left, down, right, own)


def _bordered(a: Doubles, b: Doubles) -> Placing | None:
    """Finds that one picture does not fill its size, and the other does."""
    borders = [(name, _border(values)) for name, values in (("A", a), ("B", b))]
    (_, one), (_, other) = borders
    if one == other:
        return None
    name, border = max(borders, key=lambda each: sum(each[1]))
    rim = ("rows above", "rows below", "columns to the left", "columns to the right")
    told = ", ".join(f"{size} {where}" for size, where in zip(border, rim, strict=True) if size)
    rest = "the other one does not" if not sum(min(one, other, key=sum)) else "the other one has another border"
    return Placing(f"{name} keeps the picture's proportions within a border ({told}), {rest}", 0.0)


def _border(values: Doubles) -> tuple[int, int, int, int]:
    """Counts the rows and columns at the rim that hold one value."""
    found = []
    for axis in (-2, -1):
        # Lines × channels × pixels of each.
        lines = np.moveaxis(values, axis, 0).reshape(values.shape[axis], -1, values.shape[-3 - axis])
        flat = (lines.max(-1) == lines.min(-1)).all(1)
        if flat.all():
            return 0, 0, 0, 0
        found += [int(np.argmin(flat)), int(np.argmin(flat[::-1]))]
    top, bottom, left, right = (size if size > 1 else 0 for size in found)
    return top, bottom, left, right


def _moved(a: Doubles, b: Doubles) -> Placing | None:
    """Finds a move by whole pixels."""
    own = float(np.square(_inside(b - a, _FAR)).sum())
    inner = _inside(b, _FAR)
    tall, wide = a.shape[-2:]
    best, where = own, (0, 0)
    for up in range(-_FAR, _FAR + 1):
        for aside in range(-_FAR, _FAR + 1):
            part = a[..., _FAR + up : tall - _FAR + up, _FAR + aside : wide - _FAR + aside]
            rest = float(np.square(inner - part).sum())
            if rest < best:
                best, where = rest, (up, aside)
    if where == (0, 0) or not own or 1 - best / own < 0.95:
        return None
    parts = [
        f"{abs(by)} {'pixel' if abs(by) == 1 else 'pixels'} {names[by > 0]}"
        for by, names in zip(where, (("down", "up"), ("to the right", "to the left")), strict=True)
        if by
    ]
    text = f"B is A moved {' and '.join(parts)}, as by another rounding of where the picture is cut"
    return Placing(text, 1 - best / own)


def _drift(left: Doubles, down: Doubles, right: Doubles) -> tuple[tuple[float, float, float, float], float] | None:
    """The shift, and how it grows from the middle to the rim, that explains most of a difference; and how much."""
    tall, wide = left.shape[-2:]
    rows, columns = np.linspace(-1, 1, tall)[:, None], np.linspace(-1, 1, wide)[None, :]
    parts = [(down).ravel(), (right).ravel(), (down * rows).ravel(), (right * columns).ravel()]
    matrix = np.array([[float(one @ two) for two in parts] for one in parts])
    target = np.array([float(one @ left.ravel()) for one in parts])
    own = float(np.square(left).sum())
    if not own or np.linalg.cond(matrix) > 1e12:
        return None
    found = np.linalg.solve(matrix, target)
    up, aside, taller, wider = found.tolist()
    return (up, aside, taller, wider), float(found @ target) / own


def _drifted(up: float, aside: float, taller: float, wider: float, shape: tuple[int, ...]) -> str:
    if max(abs(taller), abs(wider)) > max(abs(up), abs(aside)):
        return (
            f"the pixels of B drift away from those of A towards the rim, by {max(abs(taller), abs(wider)):.2g} pixels "
            f"there: one resizes with aligned corners, or to {shape[-1]} × {shape[-2]} from another cut"
        )
    return (
        f"B is A moved by {_part(aside)} of a pixel sideways and {_part(up)} up or down: one resizes with half-pixel "
        "centres, the other without"
    )


def _part(value: float) -> str:
    return f"{abs(value):.2f}"


def _mixed(a: Doubles, left: Doubles, down: Doubles, right: Doubles, own: float) -> Placing | None:
    if not own:
        return None
    around = sum(a[..., 1 + up : a.shape[-2] - 1 + up, 1 + by : a.shape[-1] - 1 + by] for up, by in _NEXT)
    bent = np.asarray(around / 4 - a[..., 1:-1, 1:-1])
    size = float(np.square(bent).sum())
    if size:
        much = float((left * bent).sum()) / size
        if much * much * size / own >= _MOST_OF_IT:
            smooth, sharp = ("B", "A") if much > 0 else ("A", "B")
            text = f"{smooth} is smoother than {sharp}, as of another way to resize, or one that averages more"
            return Placing(text, much * much * size / own)
    steep = np.hypot(down, right).ravel()
    if steep.std() and np.abs(left).std() and np.corrcoef(np.abs(left).ravel(), steep)[0, 1] >= _EDGES:
        return Placing("the differences sit on edges, as of another way to resize", 0.0)
    return None


_NEXT = ((-1, 0), (1, 0), (0, -1), (0, 1))


def _inside(values: Doubles, by: int) -> Doubles:
    return values[..., by:-by, by:-by]
