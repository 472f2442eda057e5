"""How tests look at a match: by its lines in msaccucmp's table, and by its pairs."""

from ascend_writer import Json, desc
from errorflow.compare.match.model import Listed, Match, Pair

Shown = tuple[str, str, bool, str]


def listed(match: Match) -> list[Listed]:
    return [pair.listed for pair in match.pairs if pair.listed is not None]


def lines(match: Match) -> list[str]:
    return [line.tensor for line in listed(match)]


def pair(match: Match, tensor: str) -> Pair:
    return next(pair for pair in match.pairs if pair.tensor == tensor)


def golden(match: Match, tensor: str) -> str:
    found = pair(match, tensor).reference
    return "" if found is None else found.info.name


def origin(name: str, index: int = 0) -> Json:
    return desc("DT_FLOAT16", _datadump_origin_name=name, _datadump_origin_output_index=index)
