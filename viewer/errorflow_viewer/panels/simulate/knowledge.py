"""Knowledge that is found out in the background: whether the model can be run, and what the samples are."""

from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base import SILENT, ErrorflowError, Progress, dataclass, field, replace
from errorflow.case.scenarios.setup import Setup
from errorflow.graph.model import Graph, Model
from errorflow.run.samples.asked import SampleSpec

if TYPE_CHECKING:
    from errorflow.run.model import ModelInput
    from errorflow.study.simulate.recognised import Recognised


@dataclass(frozen=True, slots=True)
class Knowledge:
    """`refused`: why it cannot be simulated."""

    wanted: "tuple[ModelInput, ...]" = ()
    refused: ErrorflowError | None = None
    is_quantized: bool = False
    # Sizes that the model leaves open, by their names.
    opens: tuple[str, ...] = ()
    # Samples of the comparison and next to the model, the likeliest first.
    nearby: tuple[tuple[str, ...], ...] = ()
    # Of the samples that are given; None: nothing is, or it is being looked at.
    found: "Recognised | None" = None
    # Of those that errors are to be measured on.
    others_count: int = 0
    # That plans speak of.
    graph: Graph | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of_model(
        cls, model: Model, path: Path, is_read_back: bool, setup: Setup | None = None, progress: Progress = SILENT
    ) -> "Knowledge":
        """`path`: the file that the user has; `model` may have been read back out of it. `setup`: what is compared."""
        from errorflow.case.scenarios.samples import samples_of
        from errorflow.quant.readback.reading import kind_of
        from errorflow.run.model import wanted_of
        from errorflow.run.samples.sizes import open_names
        from errorflow.study.simulate.nearby import nearby
        from errorflow.study.simulate.refused import why_not

        wanted = wanted_of(model.graph)
        opens = tuple(dict.fromkeys(name for want in wanted for name in open_names(want)))
        refused = why_not(model)
        is_quantized = is_read_back or (refused is None and kind_of(model.graph) is not None)
        compared = () if setup is None or refused is not None else samples_of(setup, wanted, progress)
        places = () if refused is not None else dict.fromkeys((*compared, *nearby(path, wanted, progress)))
        return cls(wanted, refused, is_quantized, opens, tuple((str(place),) for place in places), graph=model.graph)

    def looked(self, asked: SampleSpec, others: tuple[str, ...], progress: Progress = SILENT) -> "Knowledge":
        """Opens what is given; what does not fit of the others is the problem of all."""
        from errorflow.study.simulate.recognised import recognise

        found = recognise(self.wanted, asked, progress)
        count = 0
        if others and found.problem is None:
            seen = recognise(self.wanted, replace(asked, paths=others), progress)
            count = seen.count
            found = replace(found, problem=seen.problem)
        return replace(self, found=found, others_count=count)
