"""What of a case its user wrote or named, which no language may change."""

from collections.abc import Iterator

from errorflow.case.session.own_texts import names_of
from errorflow.report.content import Content


def own_of(case: Content) -> Iterator[str]:
    yield case.note
    yield from case.notes.values()
    yield from case.form.values()
    yield from (trial.name for trial in case.trials)
    yield from names_of(case.graph)
