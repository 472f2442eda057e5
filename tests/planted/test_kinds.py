"""Whatever kind of fault is in one node of a model, nobody else is named."""

from pathlib import Path

import pytest

from planted_kinds import DOORS, KINDS, NETS, KindCase, judged, kind_cases, told

# So many of all may leave it open who it is.
UNSURE = 0.1


@pytest.fixture(scope="module")
def each() -> dict[str, KindCase]:
    """The first net that has room for it, by kind."""
    return {case.kind: case for case in kind_cases([*KINDS], ["resizing", "recurrent", "transformer", "digits"], 1)}


@pytest.mark.parametrize("kind", KINDS)
def test_who_is_named_is_guilty(kind: str, each: dict[str, KindCase], tmp_path: Path) -> None:
    case = each[kind]

    assert judged(case, told(case, "models", tmp_path), tmp_path) in ("right", "harmless")


@pytest.mark.slow
@pytest.mark.parametrize("net", NETS)
@pytest.mark.parametrize("door", DOORS)
def test_in_every_net_nobody_else_is_named(door: str, net: str, tmp_path: Path) -> None:
    verdicts = []
    for number, case in enumerate(kind_cases([*KINDS], [net], 2)):
        (place := tmp_path / str(number)).mkdir()
        verdicts.append(judged(case, told(case, door, place), place))

    assert len(verdicts) > 10
    assert "wrong" not in verdicts
    assert verdicts.count("unsure") <= UNSURE * len(verdicts)
