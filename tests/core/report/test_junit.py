"""JUnit XML of limits."""

import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as some

from errorflow.case.regression.limits import Held, LimitCheck, parse_limit
from errorflow.report.junit import junit_error, junit_xml

ODD = "/a<b>&\"'\x00\x1b]]>\ud800\U0001f600"


def test_it_is_read_back_with_all_counts() -> None:
    cases = (
        LimitCheck("fine", "1 → 1"),
        LimitCheck(ODD, "1 → 0", f"1 → 0: beyond 0.9 {ODD}", details=(ODD,) * 60),
        LimitCheck("gone", "1 → not measured", skipped="no dump"),
    )
    found = [Held(parse_limit("cosine=0.9"), cases), Held(parse_limit("nan=0"), ())]
    root = ET.fromstring(junit_xml(found, {"before": "yes<ter>day", "now": "today"}))
    assert (root.tag, root.get("tests"), root.get("failures")) == ("testsuites", "3", "1")
    suite = root.findall("testsuite")[0]
    assert [suite.get(key) for key in ("name", "tests", "errors", "skipped")] == ["cosine=0.9", "3", "0", "1"]
    assert {each.get("name"): each.get("value") for each in suite.iter("property")}["before"] == "yes<ter>day"
    fine, broken, gone = suite.findall("testcase")
    assert not list(fine) and fine.get("classname") == "errorflow.cosine=0,9"
    assert broken.get("name") == "/a<b>&\"']]>\U0001f600"
    failure = broken.find("failure")
    assert failure is not None and "beyond 0.9" in str(failure.get("message")) and "and 10 more" in str(failure.text)
    skipped = gone.find("skipped")
    assert skipped is not None and skipped.get("message") == "no dump"


def test_it_has_no_more_than_build_servers_know() -> None:
    """Elements with their attributes, as the schema of Jenkins' xUnit plugin has them."""
    known = {
        "testsuites": {"name", "tests", "failures", "errors", "time"},
        "testsuite": {"name", "tests", "failures", "errors", "skipped", "time"},
        "properties": set(),
        "property": {"name", "value"},
        "testcase": {"classname", "name", "time"},
        "failure": {"type", "message"},
        "skipped": {"message"},
    }
    cases = (LimitCheck("a", "1 → 0", "why"), LimitCheck("b", skipped="why"), LimitCheck("c"))
    for element in ET.fromstring(junit_xml([Held(parse_limit("cosine=0.9"), cases)], {"now": "x"})).iter():
        assert set(element.attrib) <= known[element.tag]


@given(name=some.text(), why=some.text(min_size=1))
def test_whatever_a_tensor_is_called_it_can_be_read(name: str, why: str) -> None:
    root = ET.fromstring(junit_xml([Held(parse_limit("cosine=0.9"), (LimitCheck(name, "", why),))], {name: why}))
    assert len(root.findall("testsuite/testcase/failure")) == 1


def test_no_case_hides_another_one() -> None:
    """Names that differ in what XML has no form for are one name to a build server, which shows the first alone."""
    cases = tuple(LimitCheck(name, broken="worse") for name in ("a", "a\x00", "a (2)", "", "\x1b"))
    root = ET.fromstring(junit_xml([Held(parse_limit("cosine=0.9"), cases)], {}))
    names = [case.get("name") for case in root.iter("testcase")]
    assert names == ["a", "a (2)", "a (2) (2)", "(no name)", "(no name) (2)"]


def test_a_long_chain_of_such_names_has_an_end() -> None:
    names = ["a" + " (2)" * count for count in range(1200)]
    cases = tuple(LimitCheck(name, broken="worse") for name in (*names, "a", "a\x00"))
    root = ET.fromstring(junit_xml([Held(parse_limit("cosine=0.9"), cases)], {}))
    assert len({case.get("name") for case in root.iter("testcase")}) == len(cases)


def test_an_error_says_why_in_its_text_too() -> None:
    error = ET.fromstring(junit_error("It <broke>.")).find("testsuite/testcase/error")
    assert error is not None and error.get("message") == error.text == "It <broke>."
