"""Words that the files of every bundle are made of: a user who is called like one of them is not taken out of them."""

import re
from dataclasses import fields
from functools import cache

from errorflow.case.session.model import Painting, Session, Sights, Simulation
from errorflow.compare.match.model import Listed
from errorflow.compare.metrics.measure import MEASURES
from errorflow.compare.metrics.metric import Scale
from errorflow.compare.model import Comparison, Row
from errorflow.explain.blame.model import Advice, Blame, Contribution, ExactParts, ModelVerdict
from errorflow.explain.stages.model import Stages, StageTensor
from errorflow.graph.dump import TensorInfo
from errorflow.graph.qparams import QParams
from errorflow.report.bundle.found_file import PairFacts
from errorflow.report.bundle.model import Manifest, OriginalFile
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.trial import Accuracy, Trial

_KINDS = (
    *(
        Advice,
        Blame,
        Contribution,
        ExactParts,
        ModelVerdict,
        PairFacts,
        Manifest,
        OriginalFile,
        Comparison,
        Row,
        TensorInfo,
    ),
    *(Listed, QParams, Painting, Session, Sights, Simulation, Basis, Accuracy, Trial, Stages, StageTensor, Scale),
)
# From so many letters on a name is taken out wherever it stands, also in the middle of a word.
LONG = 5


def is_word(name: str) -> bool:
    """Whether it is one; a longer name, which is taken out of words too, also where it is a part of one."""
    lowered, words = name.lower(), _words()
    return lowered in words if len(name) >= LONG else lowered in re.split(r"[^a-z0-9]+", words)


@cache
def _words() -> str:
    names = [each.name for kind in _KINDS for each in fields(kind)]
    return " ".join((*names, *(measure.key for measure in MEASURES), *(measure.label.lower() for measure in MEASURES)))
