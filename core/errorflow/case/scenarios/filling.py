"""The page on which a comparison is put together, as values: what was found, and what the user chose."""

from collections.abc import Mapping
from pathlib import Path

from errorflow.base import UsageError, dataclass, field, replace
from errorflow.case.scenarios import SCENARIOS, scenario_of
from errorflow.case.scenarios.found import NOTHING, Discovered, FoundFile
from errorflow.case.scenarios.propose import Proposal, proposal_of, propose, swapped
from errorflow.case.scenarios.scenario import Need, Scenario
from errorflow.case.scenarios.setup import Setup

# What is compared with each other, and what that is called.
_SIDES = {"candidate": "run", "reference": "run", "simulator": "run", "original": "model", "quantized": "model"}
_OTHER_SIDE = {"candidate": "reference", "reference": "candidate"}
_BARE = "These files do not say what type and shape they have: choose the model too, or fill in their shapes below"
# What says nothing of itself; the model's inputs may be meant.
_RAW, _RAW_ENDING = frozenset(("raw", "raw-file")), ".bin"
_MODELS = ("original", "reference", "model", "quantized", "simulator", "candidate")
SHAPES = "Shapes of raw files"


@dataclass(frozen=True)
class Filling:
    """Files of a comparison; what the user chose counts more than what was found."""

    discovered: Discovered = NOTHING
    # By scenario and need; None: emptied by the user.
    chosen: Mapping[str, Mapping[str, Path | None]] = field(default_factory=dict)
    # Of raw files, as the user wrote them; None: what the model says is proposed.
    shapes: tuple[str, ...] | None = None
    # The comparison that is open, which everything began with.
    begun: Setup | None = None

    @classmethod
    def of(cls, setup: Setup) -> "Filling":
        """Makes the filling with everything that a comparison has already."""
        shapes = setup.shapes if setup.shapes else None
        return cls(chosen={setup.scenario: dict(setup.files)}, shapes=shapes, begun=setup)

    @property
    def best(self) -> Scenario:
        """Scenario that fits best to what was found, or to what was chosen."""
        chosen = next((row for key in self.chosen if (row := scenario_of(key)) is not None), None)
        found = propose(self.discovered)
        return found[0].scenario if found else SCENARIOS[0] if chosen is None else chosen

    def proposal(self, row: Scenario) -> Proposal:
        return proposal_of(row, self.discovered)

    def setup(self, row: Scenario) -> Setup:
        return Setup(row.key, self._files(row), self.shapes_for(row))

    def _files(self, row: Scenario) -> Mapping[str, Path]:
        chosen = self.chosen.get(row.key, {})
        found = {key: path for key, path in self.proposal(row).setup.files.items() if key not in chosen}
        given = {key: path for key, path in chosen.items() if path is not None}
        return {**found, **given}

    def raw_needs(self, row: Scenario) -> tuple[str, ...]:
        """The needs for which something stands that says nothing of types and shapes."""
        return tuple(key for key, path in self._files(row).items() if self._is_raw(path))

    def _is_raw(self, path: Path) -> bool:
        found = self.known(path)
        return path.suffix.lower() == _RAW_ENDING if found is None else found.kind in _RAW

    def proposed_shapes(self, row: Scenario) -> tuple[str, ...]:
        """Proposes the shapes of raw inputs from the model."""
        if "inputs" not in self.raw_needs(row):
            return ()
        files = self._files(row)
        models = (self.known(files[key]) for key in _MODELS if key in files)
        return next((model.shapes for model in models if model is not None and model.shapes), ())

    def shapes_for(self, row: Scenario) -> tuple[str, ...]:
        """Chooses the shapes: the user's where something is raw, or could be while its file was not looked at."""
        if self.shapes is None:
            return self.proposed_shapes(row)
        unknown = any(self.known(path) is None for path in self._files(row).values())
        return self.shapes if unknown or self.raw_needs(row) else ()

    def with_shapes(self, shapes: tuple[str, ...] | None) -> "Filling":
        return replace(self, shapes=shapes)

    def shapes_problem(self, row: Scenario) -> str:
        """Says what is wrong with the shapes, in sentences; "": nothing."""
        shapes = self.shapes_for(row)
        if not shapes:
            return ""
        from errorflow.formats.folders.raw import parse_shapes  # readers are loaded when they are needed

        try:
            parse_shapes(shapes)
        except UsageError as error:
            return f"{SHAPES}: {error.message} {error.hint}"
        return ""

    def lack(self, row: Scenario) -> str:
        """Says why it cannot be started yet, in sentences; "": it can."""
        lack = lack_text(row, self.setup(row))
        if lack:
            return lack
        same = next((need for need in row.needs if self._stands_twice(row, need)), None)
        if same is not None:
            return f"{_twice(same)}."
        files = self._files(row)
        runs = [key for key in self.raw_needs(row) if key != "inputs"]
        if runs and not self.shapes_for(row) and "model" not in files and "original" not in files:
            need = row.need(runs[0])
            return (
                f"{SHAPES}: {need.label if need is not None else runs[0]} has none. Fill them in or choose the model."
            )
        return self.shapes_problem(row)

    def known(self, path: Path) -> FoundFile | None:
        """Finds what is known of a file or a folder."""
        return next((found for found in self.discovered.found if found.path == path), None)

    def fitting(self, need: Need) -> tuple[FoundFile, ...]:
        """Lists all that could fill a need."""
        return tuple(found for found in self.discovered.found if need.accepts(found))

    def note(self, row: Scenario, need: Need) -> str:
        """Says what is to be known of the file for a need: why it was taken, or that it is another thing."""
        path = self.setup(row).file(need.key)
        if path is None:
            return ""
        found = self.known(path)
        if found is not None and not need.accepts(found):
            return f"{found.text}: not what is needed here"
        if self._stands_twice(row, need):
            return _twice(need)
        if found is None:
            return ""
        if found.kind == "raw" and not self.shapes_for(row) and self.setup(row).file("model") is None:
            return _BARE
        filled = self.proposal(row).filled.get(need.key)
        if need.key in self.chosen.get(row.key, {}) or filled is None:
            return ""
        return f"A guess: {filled.why}" if filled.guess else f"{filled.why[:1].upper()}{filled.why[1:]}"

    def _stands_twice(self, row: Scenario, need: Need) -> bool:
        """Whether the same is on both sides."""
        files = self._files(row)
        if need.key not in _SIDES or need.key not in files:
            return False
        sides = [files[key].absolute() for key in _SIDES if key in files]
        return sides.count(files[need.key].absolute()) > 1

    def with_file(self, row: Scenario, need: str, path: Path | None) -> "Filling":
        """Takes a file for a need; where only two runs fit and one is chosen, the other one is the other side."""
        chosen = {**self.chosen.get(row.key, {}), need: path}
        other = _OTHER_SIDE.get(need, "")
        if other and path is not None and other not in self._files(row):
            left = self._left_of_two(row, need, path)
            chosen |= {} if left is None else {other: left}
        return replace(self, chosen={**self.chosen, row.key: chosen})

    def _left_of_two(self, row: Scenario, need: str, path: Path) -> Path | None:
        sides = row.need(need), row.need(_OTHER_SIDE[need])
        if sides[0] is None or sides[1] is None:
            return None
        ours, others = (
            {each.path for each in self.discovered.found if each.kind in side.kinds} for side in sides if side
        )
        rest = others - {path}
        return rest.pop() if path in ours and ours == others and len(rest) == 1 else None

    def looked_through(self, discovered: Discovered) -> "Filling":
        """Takes what lies there; where something does, nothing stays of the comparison that was open before."""
        if self.begun is None or not discovered.found:
            return self.with_found(discovered)
        old = set(self.begun.files.values())
        chosen = {
            key: own
            for key, files in self.chosen.items()
            if (own := {need: path for need, path in files.items() if path is not None and path not in old})
        }
        return Filling(discovered, chosen)

    def with_found(self, discovered: Discovered) -> "Filling":
        """More was looked through: what is known already stays."""
        before = self.discovered
        known = {found.path for found in before.found}
        more = tuple(found for found in discovered.found if found.path not in known)
        paths = tuple(dict.fromkeys((*before.paths, *discovered.paths)))
        return replace(self, discovered=Discovered(paths, (*before.found, *more), discovered.problems))

    def swapped(self, row: Scenario) -> "Filling":
        files = swapped(self.setup(row)).files
        sides: dict[str, Path | None] = {key: files.get(key) for key in ("candidate", "reference")}
        return replace(self, chosen={**self.chosen, row.key: {**self.chosen.get(row.key, {}), **sides}})


def _twice(need: Need) -> str:
    return f"Both sides are the same {_SIDES[need.key]}: choose another one for one of them"


def can_swap(row: Scenario) -> bool:
    """Whether the sides of a comparison may be of the same kind."""
    sides = row.need("candidate"), row.need("reference")
    return None not in sides and bool(sides[0] and sides[1] and sides[0].kinds & sides[1].kinds)


def lack_text(row: Scenario, setup: Setup) -> str:
    """Says what is missing, in a sentence; "": nothing."""
    labels = [need.label for need in row.lacks(setup)]
    if not labels:
        return ""
    last = labels.pop()
    return f"Missing: {', '.join(labels)}{' and ' if labels else ''}{last}."
