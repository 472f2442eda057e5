"""Flow of AMCT's strategies, step by step: `update` gets the last result, and says what is next or that it ends."""

from collections.abc import Callable, Mapping

from errorflow.base.values import dataclass
from errorflow.study.search.model import Choice, Tried
from errorflow.study.search.space import Space
from errorflow.study.search.steps import SearchKnowledge, Steps, one


@dataclass(frozen=True, slots=True)
class Next:
    """Next step: by the name of each part whether it stays quantized; and whether this is the end."""

    stop: bool
    quantized: Mapping[str, bool]


Update = Callable[[bool, float], Next]


def asked_by_amct(space: Space, known: SearchKnowledge, update: Update) -> Steps:
    """Runs a strategy of AMCT. Its end is evaluated again, unless it was last; with all parts given back nothing is
    left.
    """
    numbers = {part.name: number for number, part in enumerate(space.parts)}
    tried: Tried = known.whole
    last: Choice | None = None
    found = update(tried.good, tried.loss)
    while True:
        choice = space.choice(numbers[name] for name, stays in found.quantized.items() if not stays)
        if found.stop and choice == last:
            return
        tried = yield from one(choice, _why(space, choice))
        if found.stop or len(choice) == len(space):
            return
        last = choice
        found = update(tried.good, tried.loss)


def _why(space: Space, choice: Choice) -> str:
    count = len(choice)
    what = "in float" if space.to == "float" else "in 16 bits"
    if count == len(space):
        return f"all {count:,} {what}"
    return f"the {count:,} worst {what}" if choice.parts == tuple(range(count)) else f"{count:,} {what}"
