"""Sessions as files: what is written is read again, wherever both move; rubbish is named and loses nothing else."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.base.errors import ErrorflowError, FormatError, WrongFileError
from errorflow.base.sample import SAMPLES
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.file import MARK, VERSION, parse_session, read_session, session_text, write_session
from errorflow.case.session.model import PALETTES, HandPair, Painting, Session, Sights, Simulation
from errorflow.quant.plan import FLOAT, Plan, Rule
from errorflow.quant.precision import Precision
from errorflow.run.samples.asked import Pictures, SampleSpec
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.trial import Trial

DATA = Path(__file__).parents[3] / "data" / "sessions"
NAMES = st.text(max_size=20)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
LIMITS = st.tuples(NUMBERS, NUMBERS).filter(lambda pair: pair[0] != pair[1])
PAINTINGS = st.builds(
    Painting,
    metric=NAMES,
    swapped=st.booleans(),
    blamed=st.booleans(),
    palette=st.sampled_from(PALETTES),
    limits=st.dictionaries(NAMES, LIMITS, max_size=3),
    preset=NAMES,
    edges=st.booleans(),
    front=st.booleans(),
)
SIGHTS = st.builds(
    Sights,
    view=NAMES,
    bodies=st.lists(st.integers(0, 99), max_size=3).map(tuple),
    function=st.integers(-1, 9),
    open_groups=st.none() | st.lists(NAMES, max_size=3).map(tuple),
    zoom=st.floats(0, 100),
    x=NUMBERS,
    y=NUMBERS,
    width=NUMBERS,
    height=NUMBERS,
    room_width=st.integers(0, 9_999),
    room_height=st.integers(0, 9_999),
    cut=st.none() | st.booleans(),
    constants=st.none() | st.booleans(),
    quiet=st.none() | st.booleans(),
    across=st.none() | st.booleans(),
    whole=st.lists(NAMES, max_size=3).map(tuple),
    tensor=NAMES,
    group=NAMES,
)
# One of the two is named at least.
HAND_PAIRS = st.builds(HandPair, NAMES, NAMES).filter(lambda pair: pair != HandPair("", ""))
PRECISIONS = st.builds(
    Precision, st.sampled_from(["uint8", "int16", "int4"]), st.booleans(), st.booleans(), st.booleans()
)
WISHES = PRECISIONS | st.just(FLOAT)
RULES = st.builds(
    Rule, activations=WISHES | st.just("keep"), weights=WISHES, names=st.lists(NAMES, max_size=2).map(tuple)
)
TENSORS = st.dictionaries(NAMES, WISHES, max_size=2).map(lambda wishes: tuple(sorted(wishes.items())))
PLANS = st.builds(
    Plan,
    activations=WISHES,
    weights=WISHES,
    biases=st.booleans(),
    types=st.none() | st.lists(NAMES, max_size=2).map(tuple),
    rules=st.lists(RULES, max_size=2).map(tuple),
    tensors=TENSORS,
    preset=NAMES,
    coded=st.none() | st.dictionaries(NAMES, PRECISIONS, max_size=2).map(lambda how: tuple(sorted(how.items()))),
)
MAYBE_FILES = st.none() | st.sampled_from([Path("/work/a.json"), Path("/other/b.onnx")])
ASKED = st.builds(
    SampleSpec,
    paths=st.lists(st.sampled_from(["/work/x.npz", "/other/photos", str(SAMPLES[0].calibration)]), max_size=2).map(
        tuple
    ),
    dims=st.dictionaries(NAMES, st.integers(1, 99), max_size=2),
    pictures=st.builds(Pictures, mean=st.lists(NUMBERS, max_size=3).map(tuple), layout=st.sampled_from(["", "NHWC"])),
    seed=st.none() | st.integers(0, 99),
    count=st.integers(1, 99),
)
BASES = st.builds(
    Basis,
    asked=ASKED,
    samples=st.none() | st.integers(1, 99),
    calibrate_on=st.none() | st.integers(1, 99),
    method=NAMES,
    calibration=MAYBE_FILES,
    own=st.booleans(),
    reference=MAYBE_FILES,
)
SIMULATIONS = st.builds(Simulation, basis=BASES, plan=PLANS, against=NAMES, sample=st.integers(-1, 99))
TRIALS = st.builds(
    Trial,
    name=NAMES,
    plan=PLANS,
    basis=BASES,
    outputs=st.dictionaries(NAMES, st.dictionaries(NAMES, st.floats(allow_nan=False), max_size=2), max_size=2),
    verdict=NAMES,
    samples=NAMES,
    made_up=st.booleans(),
)
SESSIONS = st.builds(
    Session,
    model=st.none() | st.sampled_from([Path("/work/a.onnx"), Path("/other/b c.json"), SAMPLES[0].model]),
    setup=st.none()
    | st.builds(
        Setup,
        scenario=NAMES,
        files=st.dictionaries(NAMES, st.just(Path("/work/run/dump")), max_size=2),
        shapes=st.lists(NAMES, max_size=2).map(tuple),
    ),
    painting=PAINTINGS,
    hand_pairs=st.lists(
        st.builds(HandPair, NAMES, NAMES).filter(lambda pair: pair != HandPair("", "")), max_size=3
    ).map(tuple),
    notes=st.dictionaries(NAMES, NAMES, max_size=3),
    simulation=st.none() | SIMULATIONS,
    trials=st.lists(TRIALS, max_size=2, unique_by=lambda trial: trial.name).map(tuple),
    pairing=st.sampled_from(["side", "stacked", ""]),
    sights=SIGHTS,
    second_sights=st.none() | SIGHTS,
    search=NAMES,
    node=NAMES,
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(SESSIONS)
def test_what_is_written_is_read_again(session: Session) -> None:
    opened = parse_session(session_text(session, Path("/work/here")).encode(), Path("/work/here"))
    assert opened.session == session
    assert opened.problems == ()


def test_a_session_and_its_files_move_together(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    before.mkdir()
    session = Session(
        model=before / "model.onnx", setup=Setup("any", {"candidate": before / "runs" / "a", "reference": before / "b"})
    )
    write_session(session, before / "case.errorflow")
    before.rename(after)
    opened = read_session(after / "case.errorflow").session
    assert opened.model == after / "model.onnx"
    assert opened.setup is not None
    assert opened.setup.files == {"candidate": after / "runs" / "a", "reference": after / "b"}


def test_no_path_of_the_machine_is_in_the_file(tmp_path: Path) -> None:
    text = session_text(Session(model=tmp_path / "models" / "a.onnx"), tmp_path)
    assert "models/a.onnx" in text
    assert str(tmp_path) not in text


def test_the_sample_is_found_on_every_machine() -> None:
    text = session_text(Session(model=SAMPLES[0].model), Path("/anywhere"))
    assert "sample:node_fault/node_fault.onnx" in text
    assert parse_session(text.encode(), Path("/elsewhere")).session.model == SAMPLES[0].model


@pytest.mark.parametrize(
    "name", ["sample:../../secret", "//host/share/a.onnx", "\\\\host\\share\\a", "http://x/y", "a\0b"]
)
def test_names_that_lead_elsewhere_are_refused_and_the_rest_is_kept(name: str) -> None:
    rows = json.loads(session_text(Session(node="conv1"), Path("/here")))
    opened = parse_session(json.dumps({**rows, "model": name}).encode(), Path("/here"))
    assert opened.session.model is None
    assert opened.session.node == "conv1"
    assert len(opened.problems) == 1


def test_a_newer_session_is_refused_with_advice() -> None:
    with pytest.raises(FormatError, match="newer") as caught:
        parse_session(json.dumps({MARK: VERSION + 1}).encode(), Path("/here"))
    assert "Install" in caught.value.hint


@pytest.mark.parametrize("version", range(1, VERSION + 1))
def test_sessions_of_every_version_can_be_read(version: int) -> None:
    opened = read_session(DATA / f"version-{version}.errorflow")
    assert opened.problems == ()
    assert opened.session.model == DATA / "models" / "net.onnx"
    assert opened.session.notes == {"conv1": "ask the vendor"}
    assert opened.session.painting.limits == {"cosine": (0.99, 0.95)}
    assert opened.session.hand_pairs == (HandPair("a", "b"),)


def test_what_an_older_version_did_not_write_of_the_view_is_left_open() -> None:
    sights = read_session(DATA / "version-1.errorflow").session.sights
    assert sights == Sights("columns", (0,), -1, ("block 1",), 0.5, 10.0, 20.5)
    assert (sights.room_width, sights.room_height, sights.cut, sights.quiet) == (0, 0, None, None)


@pytest.mark.parametrize(
    ("key", "value", "read"),
    [
        ("room_width", -5, 0),
        ("room_height", 1.5, 0),
        ("cut", "yes", None),
        ("whole", ["a", 3], ("a",)),
        ("group", 7, ""),
    ],
)
def test_what_is_odd_of_the_view_is_left_out(key: str, value: object, read: object) -> None:
    rows = json.loads(session_text(Session(), Path("/here")))
    rows["sights"][key] = value
    assert getattr(parse_session(json.dumps(rows).encode(), Path("/here")).session.sights, key) == read


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{}", b'{"errorflow-session": "1"}', b'{"errorflow-session": true}', b"\xff\xfe"]
)
def test_what_is_no_session_is_named(data: bytes) -> None:
    with pytest.raises((WrongFileError, FormatError)) as caught:
        parse_session(data, Path("/here"), "x.errorflow")
    assert "x.errorflow" in caught.value.message


@given(st.dictionaries(st.sampled_from(sorted(json.loads(session_text(Session(), Path("/here"))))), JSON))
def test_rubbish_in_single_fields_never_stops_the_rest(rows: dict[str, Any]) -> None:
    data = json.dumps({**rows, MARK: 1}).encode()
    assert isinstance(parse_session(data, Path("/here")).session, Session)


@given(st.binary(max_size=60))
def test_any_bytes_make_a_session_or_a_sentence(data: bytes) -> None:
    try:
        parse_session(data, Path("/here"))
    except ErrorflowError as error:
        assert error.hint


def test_a_deep_file_is_refused() -> None:
    with pytest.raises(FormatError):
        parse_session(b'{"a":' * 100_000 + b"1" + b"}" * 100_000, Path("/here"))


def test_a_draft_knows_the_file_that_it_belongs_to() -> None:
    text = session_text(Session(), Path("/state/drafts"), Path("/work/case.errorflow"))
    assert parse_session(text.encode(), Path("/state/drafts")).belongs_to == Path("/work/case.errorflow")


def test_names_that_are_no_text_survive() -> None:
    session = Session(model=Path("/work/\udcff.onnx"), notes={"\udcff": "x"})
    assert parse_session(session_text(session, Path("/work")).encode(), Path("/work")).session == session


@pytest.mark.parametrize("rows", [{"sights": {"zoom": 10**400}}, {"painting": {"limits": {"cosine": [1, 10**400]}}}])
def test_numbers_beyond_all_measure_are_left_out(rows: dict[str, Any]) -> None:
    opened = parse_session(json.dumps({"errorflow-session": VERSION, **rows}).encode(), Path())
    assert opened.problems
    assert opened.session == Session()


@pytest.mark.parametrize("data", [b"", b"\n "])
def test_an_empty_file_is_called_empty(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"case\.errorflow is empty") as caught:
        parse_session(data, tmp_path, "case.errorflow")
    assert "older copy" in caught.value.hint


@pytest.mark.parametrize(("name", "said"), [("case.errorflow", "older copy"), ("case.json", "ends with .errorflow")])
def test_the_way_out_is_another_file_than_this_one(name: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(WrongFileError, match="is not a session") as caught:
        parse_session(b"{}", tmp_path, name)
    assert said in caught.value.hint
