"""A ticket bundle is held against another session as it is."""

from errorflow.case.regression.carried import carried
from errorflow.case.regression.lines import Since
from errorflow.report.bundle.opening import is_side, side_in
from errorflow.report.bundle.writing import WrittenBundle


def test_a_bundle_against_itself_is_the_same(written: WrittenBundle) -> None:
    assert is_side(written.path)
    side = side_in(written.path)
    assert side.findings is not None
    now = side.findings.beside("now", carried(side.findings, side.findings.graph))
    since = Since.of(now, "relative_l2", {})
    assert since.counts["same"] == len(since.lines) > 0
