"""What is taken out of texts, and what is left alone."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.case.session.model import GuideProgress, Session, StepProgress
from errorflow.report.bundle.model import Redactions, texts
from errorflow.report.bundle.redaction import HOST, PATH, USER, Redactor, traces
from errorflow.report.bundle.secrets import Secrets, needed, owners, secrets_of, telling
from errorflow.study.evaluate.asked import LabelledSet

SECRETS = Secrets(
    ("/data/Jane Doe/case 7", "C:\\Users\\jdoe\\case", "/data/Jane Doe"),
    ("margaret", "jdo"),
    ("wks-0815",),
    frozenset(("/home/block/conv", "/data2/x")),
)
BOTH = Redactions()


def _text(text: str, redactions: Redactions = BOTH) -> str:
    return Redactor(SECRETS, redactions).text(text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("/data/Jane Doe/case 7/net.onnx", "net.onnx"),
        ("open /data/Jane Doe/case 7/run/x.npy, please", "open x.npy, please"),
        ("in /data/Jane Doe/case 7", f"in {PATH}"),
        ("in /data/Jane Doe/case 7/", f"in {PATH}"),
        ("C:\\Users\\jdoe\\case\\net.onnx", "net.onnx"),
        ("D:\\models\\other.onnx", "other.onnx"),
        ("\\\\server\\share\\net.onnx", "net.onnx"),
        ("/home/somebody/net.onnx", "net.onnx"),
        ("/tmp/errorflow-1/run.npz", "run.npz"),
        ("by margaret", f"by {USER}"),
        ("by Margaret_2", f"by {USER}_2"),
        ("by jdo.", f"by {USER}."),
        ("on WKS-0815.example", f"on {HOST}.example"),
    ],
)
def test_folders_and_names_are_taken_out(before: str, after: str) -> None:
    assert _text(before) == after


@pytest.mark.parametrize(
    "text",
    [
        "/block2/project/conv/Conv",
        "/home/block/conv",
        "/data2/x",
        "model/net.onnx",
        "1/2",
        "https://example.org/home/page.html",
        "</option><var/>",
        "jdom",
        "12:30",
        "conv:output:0",
    ],
)
def test_names_of_nodes_and_plain_words_stay(text: str) -> None:
    assert _text(text) == text


def test_each_switch_is_for_itself() -> None:
    text = "margaret in /data/Jane Doe/x"
    assert _text(text, Redactions(paths=False)) == f"{USER} in /data/Jane Doe/x"
    assert _text(text, Redactions(names=False)) == "margaret in x"
    assert _text(text, Redactions(False, False)) == text


def test_what_was_taken_out_is_counted() -> None:
    redactor = Redactor(SECRETS, BOTH)
    for _ in range(3):
        redactor.text("margaret and margaret")
    found = redactor.findings
    assert [(each.what, each.before, each.after, each.count) for each in found] == [("user", "margaret", USER, 6)]


def test_the_code_of_a_page_stays_as_it_is() -> None:
    page = "<style>.margaret {}</style><p>margaret</p><script>margaret()</script>"
    assert Redactor(SECRETS, BOTH).page(page) == page.replace("<p>margaret", f"<p>{USER}")


def test_the_data_of_a_page_are_whole_whatever_is_taken_out_of_them() -> None:
    """A path may end before a quote or a new line, which are written with a stroke as paths are."""
    note = 'the file "/data/Jane Doe/case 7/x.npy" is odd\nand "D:\\a\\y.npy"\n/data/Jane Doe/z.npy\nnext </script>'
    data = json.dumps({"nodes": [["/home/block/conv", note]]}).replace("<", "\\u003C")
    page = Redactor(SECRETS, BOTH).page(f'<p></p><script type="application/json" id="data">{data}</script><p></p>')
    inside = page.removeprefix('<p></p><script type="application/json" id="data">').removesuffix("</script><p></p>")
    told = 'the file "x.npy" is odd\nand "y.npy"\nz.npy\nnext </script>'
    assert "<" not in inside and json.loads(inside) == {"nodes": [["/home/block/conv", told]]}


def test_a_table_keeps_its_cells() -> None:
    rows = 'node,note\n/home/block/conv,"""/data/Jane Doe/x.npy"", by margaret\n2"\n/home/other/conv,\n'
    assert Redactor(SECRETS, BOTH).table(rows) == f'node,note\n/home/block/conv,"""x.npy"", by {USER}\n2"\nconv,\n'


def test_a_file_of_json_stays_one() -> None:
    text = json.dumps({"note": 'in "C:\\Users\\jdoe\\case\\x.npy"'})
    assert json.loads(Redactor(SECRETS, BOTH).file("plan.json", text)) == {"note": 'in "x.npy"'}
    assert Redactor(SECRETS, BOTH).file("a.json", "// by margaret") == f"// by {USER}"


def test_two_nodes_that_hold_a_name_are_still_two() -> None:
    names = ("margaret/conv", "Margaret/conv", f"{USER}/conv~2", "/home/margaret/a/out", "/home/margaret/b/out")
    redactor = Redactor(Secrets(users=("margaret",), protected=frozenset(names)), BOTH)
    found = [redactor.text(name) for name in names]
    assert len({*found}) == len(names) and not any("margaret" in each.lower() for each in found)
    assert found[3:] == [f"/home/{USER}/a/out", f"/home/{USER}/b/out"]
    # Whatever was looked through before.
    again = Redactor(redactor.secrets, BOTH)
    assert [again.text(name) for name in reversed(names)] == found[::-1]


def test_a_node_that_is_called_like_a_path_stays_in_a_sentence() -> None:
    assert _text("Node error: /home/block/conv brings most. It is /home/block/conv.").count("/home/block/conv") == 2


@pytest.mark.parametrize(
    "form",
    [
        *("J\u00f6rg O'Neil", "JO\u0308RG O'NEIL", "J\\u00f6rg O'Neil", "J\u00f6rg O&#x27;Neil"),
        *("J%C3%B6rg%20O%27Neil", "j%c3%b6rg%20o%27neil"),
    ],
)
def test_a_name_is_found_however_it_is_spelled(form: str) -> None:
    secrets = Secrets(users=("J\u00f6rg O'Neil",))
    assert Redactor(secrets, BOTH).text(f"by {form}.") == f"by {USER}."
    assert traces([f"by {form}.".encode()], secrets, BOTH) == ["J\u00f6rg O'Neil"]


def test_names_in_binary_files_of_windows_are_found() -> None:
    assert traces(["by Margaret".encode("utf-16-le")], SECRETS, BOTH) == ["margaret"]


def test_a_folder_in_an_address_is_taken_out() -> None:
    assert _text("file:///data/Jane%20Doe/case%207/net.onnx") == "net.onnx"
    assert _text("?path=%2Fdata%2FJane%20Doe%2Fnet.onnx") == "?path=net.onnx"
    assert _text("file:///home/somebody/net.onnx") == "net.onnx"


def test_a_number_that_somebody_is_known_by_is_no_part_of_another() -> None:
    redactor = Redactor(Secrets(users=("84012345",)), BOTH)
    assert redactor.text("84012345, 0.84012345, 840123456") == f"{USER}, 0.84012345, 840123456"


def test_all_files_that_a_session_names_are_known() -> None:
    step = StepProgress("done", {"run": Path("/work7/jane/run.npz")})
    labelled = LabelledSet(labels=Path("/work8/jane/labels.csv"), data=("/work9/jane/a.npz",))
    session = Session(guide=GuideProgress("flow", steps={"step": step}), labelled=labelled)
    redactor = Redactor(Secrets(secrets_of(session).folders), BOTH)
    assert [redactor.text(f"/work{number}/jane/x.npy") for number in (7, 8, 9)] == ["x.npy"] * 3


def test_users_are_known_by_the_homes_that_files_lie_in() -> None:
    folders = ("/home/jane/case", "C:\\Users\\J Doe\\x", "/Users/kim", "/data/home/zoe/a", "/srv/models")
    assert list(owners(folders)) == ["jane", "J Doe", "kim", "zoe"]


def test_of_many_folders_those_stay_by_which_all_are_found() -> None:
    folders = ["/data/x", *(f"/data/x/run/{number}" for number in range(5000)), "/data/x/with space/a", "/data/xy"]
    assert needed(folders) == ("/data/x/with space/a", "/data/xy", "/data/x")


@pytest.mark.parametrize(
    ("names", "kept"),
    [
        (["root", "", "me", "jane", "1234", "User", "shape", "Listed"], ("jane",)),
        (["tim", "ali", "max"], ("tim", "ali")[::-1]),
        (["张伟", "84012345"], ("84012345", "张伟")),
        ([], ()),
    ],
)
def test_names_that_tell_nobody_from_others_are_left_alone(names: list[str], kept: tuple[str, ...]) -> None:
    assert telling(names) == kept


_WORDS = st.sampled_from(
    ["margaret", "MARGARET", "/data/Jane Doe/case 7", "/data/Jane Doe", "C:\\Users\\jdoe\\case", "wks-0815", "jdo"]
)
_PIECES = st.lists(st.one_of(_WORDS, st.text(max_size=6), st.sampled_from(["/", "\\", " ", "\n", '"', "<", "x"])))


@given(_PIECES)
def test_nothing_of_it_is_left_in_any_text(pieces: list[str]) -> None:
    redacted = _text("".join(pieces))
    assert traces([redacted.encode(errors="backslashreplace")], SECRETS, BOTH) == []


@given(st.recursive(_PIECES.map("".join), lambda inner: st.lists(inner) | st.dictionaries(_PIECES.map("".join), inner)))
def test_nothing_of_it_is_left_in_json(value: object) -> None:
    found = json.dumps(texts(value, Redactor(SECRETS, BOTH).text), ensure_ascii=False)
    assert traces([found.encode(errors="backslashreplace")], SECRETS, BOTH) == []


@given(_PIECES)
def test_taking_out_twice_changes_nothing_more(pieces: list[str]) -> None:
    once = _text("".join(pieces))
    assert _text(once) == once


@given(st.integers(1, 40), st.integers(0, 30))
def test_traces_are_found_across_the_ends_of_pieces(size: int, before: int) -> None:
    data = b"." * before + b" margaret " + b"." * 7
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    assert traces(pieces, SECRETS, BOTH) == ["margaret"]
