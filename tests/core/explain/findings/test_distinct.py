"""Names in little room that stay apart."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.explain.findings.distinct import CUT, NameForms

BLOCKS = tuple(
    f"/block{block}/{scope}"
    for block in range(1, 5)
    for scope in (
        *("expand/conv/Conv", "expand/act/Relu", "depthwise/conv/Conv", "depthwise/act/Relu"),
        *("project/conv/Conv", "Add"),
    )
)
ENCODER = tuple(f"/encoder/{end}" for end in ("mlp/fc1/MatMul", "mlp/fc2/MatMul", "norm1/LayerNormalization", "Add"))


@pytest.mark.parametrize(
    ("names", "name", "forms"),
    [
        (
            BLOCKS,
            "/block3/expand/conv/Conv",
            ("/block3/expand/…/Conv", "/block3/exp…/Conv", "/bl…3/exp…/Conv", "/bl…3/ex…/Conv", "/b…3/ex…/Conv"),
        ),
        (
            BLOCKS,
            "/block3/depthwise/act/Relu",
            ("/block3/depthwise/…/Relu", "/block3/depth…/Relu", "/block3/dep…/Relu"),
        ),
        (BLOCKS, "/block3/Add", ("/bl…3/Add", "/b…3/Add")),
        (ENCODER, "/encoder/mlp/fc2/MatMul", ("…/mlp/fc2/MatMul", "…/fc2/MatMul")),
        (
            ENCODER,
            "/encoder/norm1/LayerNormalization",
            ("…/norm1/LayerNormalization", "…/LayerNormalization", "…/LayerNor…", "…/Layer…"),
        ),
        (("a/b", "c/b"), "a/b", ()),
        (("→ /m/x/y", "→ /m/x/z"), "→ /m/x/y", ("→ …/x/y", "→ …/y")),
        (("longest_name_of_all_12",), "longest_name_of_all_12", ("longest_…_12", "longe…_12")),
        (("",), "", ()),
        (("/",), "/", ()),
    ],
)
def test_what_tells_a_name_from_the_others_stays(names: tuple[str, ...], name: str, forms: tuple[str, ...]) -> None:
    found = NameForms(names).forms(name)
    assert found[0] == name and found[1 : 1 + len(forms)] == forms
    assert forms or found == (name,)


PARTS = st.lists(
    st.sampled_from(["a", "b", "block1", "block12", "convolution", "conv", "Conv", "x y"]), min_size=1, max_size=5
)


@given(st.lists(st.builds("/".join, PARTS), max_size=30))
def test_no_two_names_have_a_form_in_common(names: list[str]) -> None:
    found = NameForms(names)
    forms = [form for name in set(names) for form in found.forms(name)]
    assert len(forms) == len(set(forms))


@given(st.builds("/".join, PARTS))
def test_forms_become_shorter(name: str) -> None:
    forms = NameForms([name, f"{name}_2", f"z/{name}"]).forms(name)
    lengths = [len(form.replace(CUT, "")) for form in forms]
    assert lengths == sorted(lengths, reverse=True)


@given(st.lists(st.builds("/".join, PARTS), min_size=1, max_size=12, unique=True), st.data())
def test_a_form_is_how_just_one_name_reads(names: list[str], data: st.DataObject) -> None:
    """By a regular expression, which takes as long as it likes for so few."""
    found = NameForms(names)
    name = data.draw(st.sampled_from(names))
    for form in found.forms(name)[1:]:
        alike = re.compile(".*".join(map(re.escape, form.split(CUT))), re.DOTALL)
        assert [each for each in names if alike.fullmatch(each)] == [name]


def test_what_a_name_could_never_be_tried_against_is_quickly_told() -> None:
    """For a regular expression with as many gaps it would not end."""
    scopes = "/".join(["aaaaaaaaaaaa"] * 60)
    assert NameForms([f"{scopes}/{'a' * number}b" for number in range(300)]).forms(f"{scopes}/b")


def test_two_ends_do_not_overlap_in_another_name() -> None:
    assert NameForms(["11111111xxxx11", "111111111"]).forms("11111111xxxx11")[1] == f"11111111{CUT}11"


def test_a_name_of_very_many_parts_stays_as_it_is() -> None:
    name = "/".join(["ab"] * 20_000)
    assert NameForms([name, f"{name}/c"]).forms(name) == (name,)


def test_among_very_many_names_only_what_all_share_is_left_out() -> None:
    names = [f"/model/layers.{layer}/experts.{expert}/up/MatMul" for layer in range(30) for expert in range(60)]
    forms = NameForms(names).forms(names[70])
    assert forms[1:3] == ("…/layers.1/experts.10/up/MatMul", "…/layers.1/experts.10/…/MatMul")
    assert all("/layers.1/" in form and form.endswith(".10/…/MatMul") for form in forms[3:])
