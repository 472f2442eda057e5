"""The rows that say what a comparison is and needs."""

from errorflow.base.values import dataclass
from errorflow.case.scenarios.found import FoundFile, Kind
from errorflow.case.scenarios.setup import Setup


@dataclass(frozen=True, slots=True)
class Need:
    """A file or folder that a comparison takes. `key` is that of `Setup.files`."""

    key: str
    label: str
    # What it is, in one sentence.
    what: str
    kinds: frozenset[Kind]
    # How to get it, in one sentence, and where there is one the command to copy.
    obtain: str
    command: str = ""
    required: bool = True
    # Of `errorflow compare`; "": it has none.
    option: str = ""
    # What may be chosen for it too, and is never taken by itself.
    also: frozenset[Kind] = frozenset()

    @property
    def choices(self) -> frozenset[Kind]:
        return self.kinds | self.also

    def accepts(self, found: FoundFile) -> bool:
        return found.kind in self.choices


@dataclass(frozen=True, slots=True)
class Scenario:
    """A way to compare."""

    key: str
    title: str
    # When to take it, in one sentence.
    story: str
    needs: tuple[Need, ...]
    # Of these needs either all are given or none.
    together: frozenset[str] = frozenset()

    def need(self, key: str) -> Need | None:
        return next((need for need in self.needs if need.key == key), None)

    def lacks(self, setup: Setup) -> tuple[Need, ...]:
        """Lists what must still be given before it can start."""
        given = {need.key for need in self.needs if setup.file(need.key) is not None}
        halved = bool(self.together & given)
        return tuple(
            need
            for need in self.needs
            if need.key not in given and (need.required or (halved and need.key in self.together))
        )
