"""Proposals: comparisons that the found files allow, which need is filled by what, and why."""

import os
from collections.abc import Iterator, Mapping, Sequence

from errorflow.base.values import dataclass, field, replace
from errorflow.case.scenarios import SCENARIOS
from errorflow.case.scenarios.found import KINDS, Discovered, FoundFile
from errorflow.case.scenarios.hints import Role, hinted, is_called_inputs
from errorflow.case.scenarios.scenario import Need, Scenario
from errorflow.case.scenarios.setup import Setup

_RUNS = ("candidate", "reference", "simulator")
_DUMPS = ("npu", "npu-quantized")
# Whose operators a file has, where several of its kind are there.
_MODEL_OF = {"fusion": "candidate", "model": "reference", "original": "reference"}
_SEVERAL = 2


@dataclass(frozen=True, slots=True)
class Filled:
    """A file that fills a need. A `guess` came from a name, and the user should be told."""

    found: FoundFile
    why: str
    guess: bool = False


@dataclass(frozen=True, slots=True)
class Proposal:
    """A comparison as far as it can be made of what was found."""

    scenario: Scenario
    filled: Mapping[str, Filled]
    # Several fit and nothing tells which is meant.
    choices: Mapping[str, tuple[FoundFile, ...]] = field(default_factory=dict)

    @property
    def setup(self) -> Setup:
        return Setup(self.scenario.key, {key: filled.found.path for key, filled in self.filled.items()})

    @property
    def lacks(self) -> tuple[Need, ...]:
        return self.scenario.lacks(self.setup)

    @property
    def is_complete(self) -> bool:
        return not self.lacks

    @property
    def is_begun(self) -> bool:
        """Whether something was found for a need that it cannot do without."""
        known = {*self.filled, *self.choices}
        return any(need.required and need.key in known for need in self.scenario.needs)

    @property
    def guesses(self) -> bool:
        return any(filled.guess for filled in self.filled.values())

    @property
    def uses(self) -> frozenset[str]:
        return frozenset(os.fspath(filled.found.path) for filled in self.filled.values())


def propose(discovered: Discovered) -> tuple[Proposal, ...]:
    """Proposes one comparison per scenario for which something necessary was found, the best first.

    Of two that would compare the same runs, only the more telling one is there.
    """
    found = [proposal for row in SCENARIOS if (proposal := proposal_of(row, discovered)).is_begun]
    complete = [proposal for proposal in found if proposal.is_complete]
    kept = [proposal for proposal in found if not _is_covered(proposal, complete)]
    return tuple(sorted(kept, key=_rank))


def only_complete(proposals: Sequence[Proposal]) -> Proposal | None:
    """The one that can be started at once; None: there is none, or the user has to choose."""
    complete = [proposal for proposal in proposals if proposal.is_complete]
    # A result table beside two runs was most likely made of them.
    of_runs = [proposal for proposal in complete if _runs_of(proposal)]
    wanted = of_runs if of_runs else complete
    return wanted[0] if len(wanted) == 1 and "inputs" not in wanted[0].choices else None


def _rank(proposal: Proposal) -> tuple[object, ...]:
    required = [need for need in proposal.scenario.needs if need.required]
    given = sum(need.key in proposal.filled for need in required)
    choices = [proposal.choices[need.key] for need in required if need.key in proposal.choices]
    # One thing cannot stand for two needs.
    chosen = min(len(choices), len({each for every in choices for each in every}))
    open_ = len(required) - given - chosen
    return (not proposal.is_complete, proposal.guesses, open_, chosen, -given)


def _is_covered(proposal: Proposal, complete: Sequence[Proposal]) -> bool:
    """Whether one of the rows before it says more about the same runs."""
    before = [each for each in complete if SCENARIOS.index(each.scenario) < SCENARIOS.index(proposal.scenario)]
    return any(_runs_of(proposal) <= each.uses for each in before) and bool(_runs_of(proposal))


def _runs_of(proposal: Proposal) -> frozenset[str]:
    return frozenset(os.fspath(proposal.filled[key].found.path) for key in _RUNS if key in proposal.filled)


def proposal_of(row: Scenario, discovered: Discovered) -> Proposal:
    """The same for one of them, whatever was found for it."""
    fitting = {need.key: tuple(each for each in discovered.found if each.kind in need.kinds) for need in row.needs}
    filled: dict[str, Filled] = dict(_files(row, fitting))
    filled |= _runs(row, fitting, filled)
    filled |= _by_operators(row, fitting, filled)
    if not row.together <= filled.keys():
        filled = {key: value for key, value in filled.items() if key not in row.together}
    taken = {value.found for value in filled.values()}
    choices = {
        key: rest
        for key, every in fitting.items()
        if key not in filled and (rest := tuple(each for each in every if each not in taken))
    }
    return Proposal(row, filled, choices)


def _files(row: Scenario, fitting: Mapping[str, tuple[FoundFile, ...]]) -> Iterator[tuple[str, Filled]]:
    """Needs of one file each; two fusion rules are told apart by their names only."""
    if row.together and len(rules := _without_twins(fitting["fusion"])) == 2:
        yield from _two_rules(rules)
    for need in row.needs:
        if need.key in _RUNS or need.key in row.together or (need.key == "model" and fitting.get("original")):
            continue
        every = _telling(need, _without_twins(fitting[need.key]))
        if need.key == "inputs" and (holding := _holding_inputs(every, fitting.get("original", ()))) is not None:
            yield need.key, Filled(holding, "it holds the model's inputs")
            continue
        every = _called_inputs(every) if need.key == "inputs" else every
        if len(every) == 1:
            yield need.key, Filled(every[0], f"the only {_kind_word(every[0])} here")
        elif need.key == "fusion" and (named := _named_as_run(every, fitting["candidate"])) is not None:
            yield need.key, Filled(named, "its graph has the name of the model that was dumped")


def _by_operators(
    row: Scenario, fitting: Mapping[str, tuple[FoundFile, ...]], filled: Mapping[str, Filled]
) -> dict[str, Filled]:
    """Fills by the names of operators what is open: the dump of each compiled model, and the model of each run."""
    told = {} if "fusion" in row.together else _dump_like(row, fitting, filled)
    if row.together <= filled.keys():
        told |= _dumps_of(row, fitting, filled)
    known = {**filled, **told}
    for key, run in _MODEL_OF.items():
        need = row.need(key)
        settled = {"model", "original", "fusion"} if key == "model" else {key}
        if need is None or run not in known or key in row.together or settled & known.keys():
            continue
        named = best_for(known[run].found, _without_twins(fitting[key]))
        told |= {} if named is None else {key: Filled(named, "it has the operators of the run")}
    return told


def _dump_like(
    row: Scenario, fitting: Mapping[str, tuple[FoundFile, ...]], filled: Mapping[str, Filled]
) -> dict[str, Filled]:
    """Chooses of several dumps the one that has most operators in common with the reference: that without fusion."""
    dumps = tuple(each for each in fitting.get("candidate", ()) if each.kind in _DUMPS)
    if "candidate" in filled or "reference" not in filled or len(dumps) < _SEVERAL or row.need("fusion") is None:
        return {}
    found = best_for(filled["reference"].found, dumps)
    return {} if found is None else {"candidate": Filled(found, "most of its operators have a partner", guess=True)}


def _dumps_of(
    row: Scenario, fitting: Mapping[str, tuple[FoundFile, ...]], filled: Mapping[str, Filled]
) -> dict[str, Filled]:
    """Each dump with the compiled model whose operators it holds."""
    sides = {"candidate": "fusion", "reference": "closed_fusion"}
    if not row.together or set(sides) & filled.keys():
        return {}
    found = {run: best_for(filled[rules].found, fitting[run]) for run, rules in sides.items()}
    why = "it holds the operators of the compiled model"
    dumps = {run: Filled(dump, why) for run, dump in found.items() if dump is not None}
    return dumps if len(_unique(dumps)) == len(sides) else {}


def _telling(need: Need, every: tuple[FoundFile, ...]) -> tuple[FoundFile, ...]:
    """Chooses the telling file: of two models the float one has plain names; of tables that of tensors says most."""
    if need.key == "table":
        return _of_tensors(every)
    plain = tuple(each for each in every if each.kind == "onnx")
    return plain if need.key in ("model", "original") and len(plain) == 1 else every


def _of_tensors(tables: tuple[FoundFile, ...]) -> tuple[FoundFile, ...]:
    if len(tables) < _SEVERAL or len({each.path.parent for each in tables}) > 1:
        return tables
    from errorflow.compare.results.own import OWN_TENSORS  # a window is there before anything that reads is loaded

    found = tuple(each for each in tables if each.label == OWN_TENSORS.label)
    return found if found else tables


def _holding_inputs(every: Sequence[FoundFile], models: Sequence[FoundFile]) -> FoundFile | None:
    """The only one with a tensor for each input of the model; one that holds nothing else comes before a run."""
    wanted = {frozenset(model.tensors) for model in models if model.tensors}
    if len(wanted) != 1:
        return None
    (names,) = wanted
    holding = [each for each in every if names <= frozenset(each.tensors)]
    alone = [each for each in holding if names == frozenset(each.tensors)]
    found = alone if alone else holding
    return found[0] if len(found) == 1 else None


def _called_inputs(every: tuple[FoundFile, ...]) -> tuple[FoundFile, ...]:
    """Chooses the run that is called inputs: nothing but its name can say so."""
    told = hinted("inputs", every)
    return tuple(each for each in every if each.kind == "array") if told is None else (told[0],)


def _two_rules(rules: Sequence[FoundFile]) -> Iterator[tuple[str, Filled]]:
    plain = unfused(rules)
    if plain is not None:
        yield "closed_fusion", Filled(plain, "it has more operators: nothing was fused")
        other = next(each for each in rules if each is not plain)
        yield "fusion", Filled(other, "it has fewer operators: they are fused")
    elif (closed := hinted("reference", rules)) is not None:
        other = next(each for each in rules if each is not closed[0])
        why = f"“{closed[1]}” in a name"
        yield "closed_fusion", Filled(closed[0], why, guess=True)
        yield "fusion", Filled(other, why, guess=True)


def _without_twins(every: Sequence[FoundFile]) -> tuple[FoundFile, ...]:
    """An .om beside the JSON that was printed from it is the same model."""
    jsons = {each.path.with_suffix("") for each in every if each.kind == "atc-json"}
    return tuple(each for each in every if each.kind != "om" or each.path.with_suffix("") not in jsons)


def _named_as_run(rules: Sequence[FoundFile], runs: Sequence[FoundFile]) -> FoundFile | None:
    names = {name for run in runs for name in run.names}
    told = [rule for rule in rules if names.intersection(rule.names)]
    return told[0] if len(told) == 1 else None


def _kind_word(found: FoundFile) -> str:
    """Float and quantized models have one format, and may lie side by side."""
    if found.kind in ("onnx", "onnx-quantized"):
        return KINDS[found.kind]
    return found.label if found.label else found.kind


def _runs(
    row: Scenario, fitting: Mapping[str, tuple[FoundFile, ...]], files: Mapping[str, Filled]
) -> dict[str, Filled]:
    """Assigns the runs: by their kinds where these differ, else by hints in their names."""
    taken = {filled.found for filled in files.values()}
    needs = [need for need in row.needs if need.key in _RUNS]
    rests = {need.key: tuple(each for each in fitting[need.key] if each not in taken) for need in needs}
    found: dict[str, Filled] = {}
    for need in needs:
        every = rests[need.key]
        rivals = {each for key, others in rests.items() if key != need.key for each in others}
        if len(every) == 1 and every[0] not in rivals:
            found[need.key] = Filled(every[0], _only(every[0], need))
        elif len(every) > 1 and (told := hinted(_role(need, row), every)) is not None:
            found[need.key] = Filled(told[0], f"“{told[1]}” in its name", guess=True)
    return _last_one(needs, rests, _unique(found))


def _only(found: FoundFile, need: Need) -> str:
    side = {"reference": "the reference", "candidate": "the candidate"}.get(need.key, "it")
    npu = found.kind in ("npu", "npu-quantized")
    return f"an NPU's dump is {side}" if npu else f"the only run of its kind here, and the kind for {side}"


def _role(need: Need, row: Scenario) -> Role:
    return "board" if need.key == "candidate" and row.need("simulator") is not None else need.key


def _unique(found: dict[str, Filled]) -> dict[str, Filled]:
    """Keeps a file from filling two needs."""
    runs = [filled.found for filled in found.values()]
    return {key: filled for key, filled in found.items() if runs.count(filled.found) == 1}


def _last_one(
    needs: Sequence[Need], rests: Mapping[str, tuple[FoundFile, ...]], found: dict[str, Filled]
) -> dict[str, Filled]:
    """Fills the last need with the one run that is left."""
    open_ = [need.key for need in needs if need.key not in found]
    if len(open_) != 1 or not found:
        return found
    taken = {filled.found for filled in found.values()}
    left = [each for each in rests[open_[0]] if each not in taken and not is_called_inputs(each)]
    if len(left) != 1:
        return found
    guess = any(filled.guess for filled in found.values())
    return {**found, open_[0]: Filled(left[0], "the run that is left", guess)}


def swapped(setup: Setup) -> Setup:
    """Candidate and reference have changed places."""
    files = dict(setup.files)
    sides = {"candidate": files.pop("reference", None), "reference": files.pop("candidate", None)}
    return replace(setup, files={**files, **{key: path for key, path in sides.items() if path is not None}})


# Which of several files belongs to which run: names of operators decide, as far as they can.


def best_for(run: FoundFile, among: Sequence[FoundFile]) -> FoundFile | None:
    """The one that has most of the run's operators and fewest others; None: nothing tells it from the rest."""
    ranked = sorted(among, key=lambda each: -_alike(run, each))
    if not ranked or not _alike(run, ranked[0]):
        return None
    told = len(ranked) == 1 or _alike(run, ranked[0]) > _alike(run, ranked[1])
    return ranked[0] if told else None


def unfused(rules: Sequence[FoundFile]) -> FoundFile | None:
    """Chooses of two compiled models the one without fusion: it has more operators of the same kind of network."""
    if len(rules) != _SEVERAL or not (rules[0].operators & rules[1].operators):
        return None
    first, second = sorted(rules, key=lambda each: -len(each.operators))
    return first if len(first.operators) > len(second.operators) else None


def _alike(run: FoundFile, other: FoundFile) -> float:
    both = len(run.operators & other.operators)
    return both / len(run.operators | other.operators) if both else 0.0
