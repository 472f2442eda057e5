"""Accuracy of models, the original beside others, over labelled samples; or what a file of the user's says."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from errorflow.base.errors import ErrorflowError, UsageError
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, replace
from errorflow.run.deployed_session import TEXT, DeployedSession
from errorflow.run.model import Array
from errorflow.run.samples.fitting import SampleSlice
from errorflow.study.evaluate.evaluator import Answer
from errorflow.study.evaluate.model import Evaluation, Hits, Scored
from errorflow.study.evaluate.on_bench import FileRun
from errorflow.study.evaluate.on_labels import answer_of, rank_of, scores_of
from errorflow.study.evaluate.own import OwnEvaluator

# What has that many right answers by labels that are off by one is not right by chance.
_OFF_BY_ONE = 2.0
_BAD = 0.5


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model in a file, by the name that the user knows it by."""

    name: str
    path: Path
    # Why there is no such file, as of a plan that cannot be exported; "": there is one.
    note: str = ""


@dataclass(frozen=True, slots=True)
class AccuracyRequest:
    """Question of what is counted. `labels`: one per sample; None: what the original answers first is right."""

    labels: tuple[int, ...] | None
    ks: tuple[int, ...] = (1, 5)
    # The first is the one that is judged.
    outputs: tuple[str, ...] = ()


def evaluated(
    original: Candidate,
    candidates: Sequence[Candidate],
    samples: SampleSlice,
    asked: AccuracyRequest,
    own: OwnEvaluator | None = None,
    progress: Progress = SILENT,
) -> Evaluation:
    """Each model runs on all samples. One that cannot be run or judged has a note, and does not hide the others."""
    if not samples.count:
        raise UsageError("There are no samples to evaluate on.", "Give more with --data.")
    with DeployedSession(original.path, asked.outputs) as golden:
        work = _Work(samples, asked, own, golden, progress)
        first, ranks = work.original(original)
        others = tuple(work.other(candidate, ranks) for candidate in candidates)
    name = "" if own is None else own.name
    return Evaluation(original.name, first, others, samples.count, name, tuple(work.notes(ranks)))


@dataclass(frozen=True, eq=False)
class _Ranks:
    """Ranks by output: of each sample the place of the right answer, and the first answer."""

    places: Mapping[str, list[int]]
    answers: Mapping[str, list[int]]


class _Work:
    def __init__(
        self,
        samples: SampleSlice,
        asked: AccuracyRequest,
        own: OwnEvaluator | None,
        golden: DeployedSession,
        progress: Progress,
    ) -> None:
        self._samples, self._asked, self._own = samples, asked, own
        self._golden, self._progress = golden, progress
        self._labels = asked.labels
        self._answer: Answer | None = None
        self._shifted = 0

    def original(self, candidate: Candidate) -> tuple[Scored, _Ranks]:
        ranks = self._ranks(candidate, self._golden, is_original=True)
        found = self._scored(candidate, ranks, ranks)
        return self._asked_own(found, candidate, self._golden), ranks

    def other(self, candidate: Candidate, golden: _Ranks) -> Scored:
        if candidate.note:
            return Scored(candidate.name, note=candidate.note)
        found = Scored(candidate.name)
        try:
            with DeployedSession(candidate.path, self._asked.outputs) as session:
                found = self._scored(candidate, self._ranks(candidate, session, is_original=False), golden)
                return self._asked_own(found, candidate, session)
        except ErrorflowError as error:
            return replace(found, note=str(error))

    def notes(self, ranks: _Ranks) -> list[str]:
        """Lists where labels seem to count from 1, or from −1."""
        count = self._samples.count
        right = sum(place == 0 for place in ranks.places[self._asked.outputs[0]]) if self._is_counting else count
        if right / count >= _BAD or self._shifted <= _OFF_BY_ONE * max(right, 1):
            return []
        return [
            f"The original is right on {right:,} of {count:,} samples, and on {self._shifted:,} if labels are off by "
            "one: do they count from 0 on?"
        ]

    @property
    def _is_counting(self) -> bool:
        return self._own is None or self._labels is not None

    def _ranks(self, candidate: Candidate, session: DeployedSession, *, is_original: bool) -> _Ranks:
        places: dict[str, list[int]] = {name: [] for name in self._asked.outputs}
        answers: dict[str, list[int]] = {name: [] for name in self._asked.outputs}
        if not self._is_counting:
            return _Ranks(places, answers)
        own: list[int] = []
        shifts = np.zeros(2, int)
        for sample in range(self._samples.count):
            self._progress.step(sample, self._samples.count, f"{TEXT}: {candidate.name}")
            values = session.run(self._samples.read(sample), self._progress)
            for name in self._asked.outputs:
                scores = self._scores(values, name, candidate)
                answers[name].append(answer_of(scores))
                own += [answers[name][-1]] if name == self._asked.outputs[0] else []
                label = own[-1] if self._labels is None else self._labels[sample]
                places[name].append(rank_of(scores, label))
                if is_original and name == self._asked.outputs[0] and self._labels is not None:
                    shifts += [answers[name][-1] == label + 1, answers[name][-1] == label - 1]
        if is_original:
            self._shifted = int(shifts.max())
            self._labels = tuple(own) if self._labels is None else self._labels
        return _Ranks(places, answers)

    def _scores(self, values: Mapping[str, Array], output: str, candidate: Candidate) -> Array:
        if output not in values:
            raise UsageError(f"{candidate.name} has no output {output[:100]}.", "All models need the same outputs.")
        return scores_of(values[output], output)

    def _scored(self, candidate: Candidate, ranks: _Ranks, golden: _Ranks) -> Scored:
        found = Scored(candidate.name)
        if not self._is_counting:
            return found
        k = self._asked.ks[0]
        lost, won, changed = {}, {}, {}
        for name in self._asked.outputs:
            pairs = list(enumerate(zip(golden.places[name], ranks.places[name], strict=True)))
            lost[name] = tuple(sample for sample, (before, after) in pairs if before < k <= after)
            won[name] = tuple(sample for sample, (before, after) in pairs if after < k <= before)
            both = zip(golden.answers[name], ranks.answers[name], strict=True)
            changed[name] = sum(before != after for before, after in both)
        return replace(found, hits=self._hits(ranks), lost=lost, won=won, changed=changed)

    def _hits(self, ranks: _Ranks) -> dict[str, tuple[Hits, ...]]:
        return {
            name: tuple(Hits(k, sum(place < k for place in places), len(places)) for k in self._asked.ks)
            for name, places in ranks.places.items()
        }

    def _asked_own(self, found: Scored, candidate: Candidate, session: DeployedSession) -> Scored:
        if self._own is None:
            return found
        samples, golden = self._samples, self._golden
        run = FileRun(
            candidate.path, samples, self._asked.outputs, session, lambda at, by: golden.run(samples.read(at), by)
        )
        answer = self._own.ask(run, self._answer, self._progress)
        if self._answer is None:
            self._answer = answer
        return replace(found, value=answer.value, judgement=answer.judgement, note=answer.note)

    def _reference(self, sample: int, progress: Progress) -> Mapping[str, Array]:
        return self._golden.run(self._samples.read(sample), progress)
