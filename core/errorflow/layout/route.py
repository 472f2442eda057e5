"""Heights of everything, and the lines between: straight through the rows, S-curves from row to row."""

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints
from errorflow.base.values import dataclass
from errorflow.layout.drawing import Floats
from errorflow.layout.level import Level, Placement, Spacing, known
from errorflow.layout.mesh import NOTHING, LineTurn, Mesh

PIECES = 8  # straight pieces that stand for a curve
SLOPE = 0.12  # the further lines travel sideways, the more room a gap gets
DIP = 10.0  # how far a line that turns round reaches into the gap
MOST_APART = 5  # so many lines between the same two boxes can be told apart


def route(level: Level, mesh: Mesh, x: Floats) -> Placement:
    spacing = level.spacing
    starts, ends = _ports(level, mesh, x, spacing)
    tops, bottoms = _bands(level, mesh, np.abs(starts - ends), spacing)
    y = _heights_of_items(level, mesh, tops, bottoms)
    lines, nets = _lines(level, mesh, x, y, (starts, ends), (tops, bottoms))
    left, right = x[: mesh.items] - level.left, x[: mesh.items] + level.right
    drawn = x[(mesh.nets != NOTHING)]
    return Placement(
        x=x[: mesh.items],
        y=y,
        lines=lines,
        line_nets=nets,
        arrivals=np.where(mesh.end_links < 0, np.nan, np.append(x[mesh.upper], np.nan)[mesh.end_links]),
        departures=_departures(level, mesh, x),
        left=-float(min(left.min(), drawn.min(initial=0.0))),
        right=float(max(right.max(), drawn.max(initial=0.0))),
        height=float(bottoms[-1]) + _room_below(level, mesh, spacing),
    )


def _ports(level: Level, mesh: Mesh, x: Floats, spacing: Spacing) -> tuple[Floats, Floats]:
    """The x at which each link leaves above and arrives below."""
    start = _reach(level, mesh, x, mesh.upper, mesh.upper_ports, spacing.inset)
    end = _reach(level, mesh, x, mesh.lower, mesh.lower_ports, spacing.inset)
    low, high = np.maximum(start.low, end.low), np.minimum(start.high, end.high)
    number, count = _beside(mesh)
    # A bundle from the ports of a group keeps their order: none of it goes straight through the rest.
    bundled = (count > MOST_APART) & ~(np.isnan(mesh.upper_ports) & np.isnan(mesh.lower_ports))
    straight = (low <= high) & ~bundled
    middle = np.clip(np.where(mesh.upper < mesh.items, x[mesh.lower], x[mesh.upper]), low, high)
    # Where a box has only this line it meets it in the middle, else on the side that the line comes from.
    a = np.where(start.only | bundled, x[mesh.upper], np.clip(x[mesh.lower], start.low, start.high))
    b = np.where(end.only | bundled, x[mesh.lower], np.clip(x[mesh.upper], end.low, end.high))
    a = np.where(np.isnan(mesh.upper_ports), a, start.low)
    b = np.where(np.isnan(mesh.lower_ports), b, end.low)
    a, b = np.where(straight, middle, a), np.where(straight, middle, b)
    places = np.minimum(count, MOST_APART)
    apart = (number * places // count - (places - 1) / 2) * spacing.spread
    return np.clip(a + apart, start.low, start.high), np.clip(b + apart, end.low, end.high)


@dataclass(frozen=True, slots=True)
class _Reach:
    """Range on its vertex where a link may end."""

    low: Floats
    high: Floats
    only: NDArray[np.bool_]


def _reach(level: Level, mesh: Mesh, x: Floats, vertex: Ints, ports: Floats, inset: float) -> _Reach:
    item = vertex < mesh.items
    index = np.where(item, vertex, 0)
    free = item & np.isnan(ports)
    left = np.where(free, np.maximum(level.left[index] - inset, 0.0), 0.0)
    right = np.where(free, np.maximum(level.right[index] - inset, 0.0), 0.0)
    at = x[vertex] + known(ports)
    only = np.bincount(vertex, minlength=len(x))[vertex] == 1
    return _Reach(at - left, at + right, only & free)


def _beside(mesh: Mesh) -> tuple[Ints, Ints]:
    """Numbers the links between the same two items from left to right, and counts them."""
    pairs = mesh.upper.astype(np.int64) * len(mesh.rows) + mesh.lower
    order = np.lexsort((known(mesh.upper_ports) + known(mesh.lower_ports), pairs))
    starts = np.flatnonzero(np.diff(pairs[order], prepend=-1))
    counts = np.diff(np.append(starts, len(order)))
    number, count = np.empty(len(order), np.int32), np.empty(len(order), np.int32)
    number[order] = np.arange(len(order)) - np.repeat(starts, counts)
    count[order] = np.repeat(counts, counts)
    return number, count


def _bands(level: Level, mesh: Mesh, travel: Floats, spacing: Spacing) -> tuple[Floats, Floats]:
    """Upper and lower edge of each row."""
    heights = np.zeros(mesh.depth)
    np.maximum.at(heights, mesh.rows[: mesh.items], level.heights)
    if level.framed and level.tops.any():
        heights[0] = spacing.strip  # lines run straight through the strip where the group's name may stand
    gaps = np.zeros(mesh.depth)  # above each row
    np.maximum.at(gaps, mesh.rows[mesh.lower], np.minimum(spacing.bend, np.ceil(travel * SLOPE)))
    gaps += spacing.rows
    gaps[0] = _turning_room(mesh, 0, below=False)
    if level.framed and not level.tops.any():
        gaps[0] = max(gaps[0], spacing.head)
    tops = np.cumsum(gaps) + np.cumsum(heights) - heights
    return tops, tops + heights


def _departures(level: Level, mesh: Mesh, x: Floats) -> Floats:
    """Finds where each net goes on below its source: along its trunk, else in the middle of those that read it."""
    result = np.full(len(level.sources), np.nan)
    leaving = np.flatnonzero((mesh.upper < mesh.items) & (mesh.link_nets != NOTHING))
    nets, ends = mesh.link_nets[leaving], x[mesh.lower[leaving]]
    count = np.bincount(nets, minlength=len(result))
    total = np.bincount(nets, weights=ends, minlength=len(result))
    result[count > 0] = total[count > 0] / count[count > 0]
    trunk = mesh.lower[leaving] >= mesh.items
    result[nets[trunk]] = ends[trunk]
    return result


def _room_below(level: Level, mesh: Mesh, spacing: Spacing) -> float:
    turning = _turning_room(mesh, mesh.depth - 1, below=True)
    return max(turning, spacing.foot) if level.framed and not level.bottoms.any() else turning


def _turning_room(mesh: Mesh, row: int, *, below: bool) -> float:
    turning = any(turn.below == below and int(mesh.rows[turn.trunk]) == row for turn in mesh.turns)
    return DIP + 2.0 if turning else 0.0


def _heights_of_items(level: Level, mesh: Mesh, tops: Floats, bottoms: Floats) -> Floats:
    rows = mesh.rows[: mesh.items]
    room = bottoms[rows] - tops[rows] - level.heights
    y: Floats = tops[rows] + np.where(level.tops, 0.0, np.floor(room / 2))
    return y


def _lines(
    level: Level, mesh: Mesh, x: Floats, y: Floats, ports: tuple[Floats, Floats], bands: tuple[Floats, Floats]
) -> tuple[Floats, Ints]:
    """Makes all straight pieces and their nets; pieces of one net stand together."""
    tops, bottoms = bands
    drawn = mesh.link_nets != NOTHING
    starts, ends = ports[0][drawn], ports[1][drawn]
    upper, lower, nets = mesh.upper[drawn], mesh.lower[drawn], mesh.link_nets[drawn]
    from_y, to_y = bottoms[mesh.rows[upper]], tops[mesh.rows[lower]]
    bent = starts != ends
    curves = s_curves(starts[bent], from_y[bent], ends[bent], to_y[bent])
    turn_lines, turn_nets = _turn_lines(level, mesh, x, y, bands)

    leaving, entering = upper < mesh.items, lower < mesh.items
    trunk = np.flatnonzero(mesh.nets != NOTHING)
    item_bottom = y + level.heights
    vertical = np.concatenate(
        [
            np.column_stack([starts, from_y, to_y])[~bent],
            np.column_stack([starts[leaving], item_bottom[upper[leaving]], from_y[leaving]]),
            np.column_stack([ends[entering], to_y[entering], y[lower[entering]]]),
            np.column_stack([x[trunk], tops[mesh.rows[trunk]], bottoms[mesh.rows[trunk]]]),
        ]
    )
    vertical_nets = np.concatenate([nets[~bent], nets[leaving], nets[entering], mesh.nets[trunk]])
    straight, straight_nets = _joined(vertical, vertical_nets)
    lines = np.concatenate([straight, curves.reshape(-1, 4), turn_lines])
    line_nets = np.concatenate([straight_nets, np.repeat(nets[bent], PIECES), turn_nets])
    order = np.argsort(line_nets, kind="stable")
    return lines[order], line_nets[order].astype(np.int32)


def _joined(vertical: Floats, nets: Ints) -> tuple[Floats, Ints]:
    """Vertical pieces x, y1, y2 as lines, those that continue each other made one."""
    long = vertical[:, 1] < vertical[:, 2]
    vertical, nets = vertical[long], nets[long]
    order = np.lexsort((vertical[:, 2], vertical[:, 1], vertical[:, 0], nets))
    vertical, nets = vertical[order], nets[order]
    if not len(nets):
        return np.zeros((0, 4)), nets
    new = np.ones(len(nets), bool)
    same = (nets[1:] == nets[:-1]) & (vertical[1:, 0] == vertical[:-1, 0])
    new[1:] = ~(same & (vertical[1:, 1] <= vertical[:-1, 2]))
    starts = np.flatnonzero(new)
    ends = np.maximum.reduceat(vertical[:, 2], starts)
    x, top = vertical[starts, 0], vertical[starts, 1]
    return np.column_stack([x, top, x, ends]), nets[starts]


def s_curves(x1: Floats, y1: Floats, x2: Floats, y2: Floats) -> Floats:
    """(curves, PIECES, 4): from (x1, y1) to (x2, y2), upright at both ends."""
    t = (1.0 - np.cos(np.linspace(0.0, np.pi, PIECES + 1))) / 2  # shorter pieces where it bends
    across = t * t * (3 - 2 * t)
    down = t * (1.5 - t * (1.5 - t))  # upright ends: both inner control points are half way down
    px = x1[:, None] + (x2 - x1)[:, None] * across
    py = y1[:, None] + (y2 - y1)[:, None] * down
    return np.stack([px[:, :-1], py[:, :-1], px[:, 1:], py[:, 1:]], axis=2)


def _turn_lines(
    level: Level, mesh: Mesh, x: Floats, y: Floats, bands: tuple[Floats, Floats]
) -> tuple[Floats, NDArray[np.int32]]:
    """Finds where a line that closes a cycle leaves its item, turns, and goes up."""
    pieces, nets = [np.zeros((0, 4))], [np.zeros(0, np.int32)]
    for turn in mesh.turns:
        lines = _turn(level, mesh, x, y, bands, turn)
        pieces.append(lines)
        nets.append(np.full(len(lines), mesh.nets[turn.trunk], np.int32))
    return np.concatenate(pieces), np.concatenate(nets)


def _turn(level: Level, mesh: Mesh, x: Floats, y: Floats, bands: tuple[Floats, Floats], turn: LineTurn) -> Floats:
    row = int(mesh.rows[turn.trunk])
    item, to = turn.item, float(x[turn.trunk])
    side = np.sign(to - x[item]) * max(float(min(level.left[item], level.right[item])) - 10.0, 0.0)
    start = float(x[item]) + (float(side) if np.isnan(turn.port) else turn.port)
    edge = float(bands[1][row] if turn.below else bands[0][row])
    dip = DIP if turn.below else -DIP
    near = float(y[item] + level.heights[item] if turn.below else y[item])
    angle = np.linspace(0.0, np.pi, PIECES + 1)
    px = (start + to) / 2 - np.cos(angle) * (to - start) / 2
    py = edge + np.sin(angle) * dip
    arc = np.column_stack([px[:-1], py[:-1], px[1:], py[1:]])
    stub = np.array([[start, near, start, edge]])
    return np.concatenate([stub, arc]) if near != edge else arc
