"""What holds for every importer."""

import json
import os
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from errorflow.base.errors import ErrorflowError, FormatError, UnknownFormatError
from errorflow.base.files import Source
from errorflow.base.progress import SILENT, Cancelled
from errorflow.compare.results import RESULTS, Importer, ResultRow, ResultTable, importer_of, read_results
from errorflow.compare.results.place import place
from errorflow.formats import FORMATS
from errorflow.graph.build import GraphBuilder
from errorflow.report.advice import AdviceError, advise
from result_samples import DATA, graph_file, sample

EACH = pytest.mark.parametrize("row", RESULTS, ids=lambda row: row.key)


class Stop:
    def step(self, done: int, total: int, text: str) -> None:
        raise Cancelled


def well_formed(tables: tuple[ResultTable, ...]) -> bool:
    """Whether everything in the rows belongs to a column."""
    for table in tables:
        keys = [column.key for column in table.columns]
        assert len(set(keys)) == len(keys)
        assert all({*row.values, *row.states} <= set(keys) for row in table.rows)
    return bool(tables)


@EACH
def test_its_sample_is_claimed_by_it_alone(row: Importer, tmp_path: Path) -> None:
    with Source(sample(row.key, tmp_path)) as source:
        assert [other.key for other in RESULTS if other.claims(source)] == [row.key]


@EACH
def test_its_sample_is_no_model_and_no_tensors(row: Importer, tmp_path: Path) -> None:
    with Source(sample(row.key, tmp_path)) as source:
        assert [other.key for other in FORMATS if other.claims(source)] == []


@EACH
def test_its_sample_is_read_without_problems(row: Importer, tmp_path: Path) -> None:
    tables = read_results(sample(row.key, tmp_path))

    assert well_formed(tables)
    assert all(table.rows and table.vendor == row.vendor for table in tables)


@EACH
def test_it_can_be_cancelled(row: Importer, tmp_path: Path) -> None:
    with pytest.raises(Cancelled):
        read_results(sample(row.key, tmp_path), Stop())


@EACH
def test_a_file_that_ends_anywhere_is_a_sentence_or_what_is_there(row: Importer, tmp_path: Path) -> None:
    data = sample(row.key, tmp_path).read_bytes()
    broken = tmp_path / "broken"
    for end in random.Random(1).sample(range(len(data)), min(60, len(data))):
        broken.write_bytes(data[:end])
        assert reads_or_says(row, broken)


@EACH
def test_a_file_with_wrong_bytes_is_a_sentence_or_what_is_there(row: Importer, tmp_path: Path) -> None:
    data = sample(row.key, tmp_path).read_bytes()
    broken, chance = tmp_path / "broken", random.Random(2)
    for _ in range(60):
        changed = bytearray(data)
        for _ in range(chance.randint(1, 20)):
            place = chance.randrange(len(changed))
            changed[place : place + chance.randint(0, 3)] = chance.choice(
                [b"", b"\n", b",", b"|", b"\xff", b"\0", b"nan", b'"', b"[" * 50, os.urandom(3), b"9" * 40]
            )
        broken.write_bytes(bytes(changed))
        assert reads_or_says(row, broken)


def reads_or_says(row: Importer, path: Path) -> bool:
    """Whether it is read, or refused by a sentence, also by a reader that would not have claimed it."""
    with Source(path) as source:
        row.claims(source)
        try:
            return well_formed(row.read(source, SILENT))
        except ErrorflowError as error:
            return bool(error.message and error.hint)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(st.text(alphabet="Node Layer|│┃━+-=.:,[](){}\"'0.19naif_qzero\t", max_size=40), max_size=30))
@pytest.mark.parametrize("row", [row for row in RESULTS if row.key != "msprobe-graph"], ids=lambda row: row.key)
def test_any_lines_below_a_head_are_rows_or_problems(row: Importer, lines: list[str], tmp_path: Path) -> None:
    head = sample(row.key, tmp_path).read_text("utf-8").splitlines()[:8]
    path = tmp_path / "made.txt"
    path.write_text("\n".join([*head, *lines]), "utf-8")

    assert reads_or_says(row, path)


@EACH
def test_what_is_too_large_is_not_read(row: Importer, tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(sample(row.key, tmp_path).read_bytes())
    os.truncate(path, 5 * 1024**3)

    with Source(path) as source, pytest.raises(FormatError, match="5,368,709,120 bytes"):
        row.read(source, SILENT)


def test_keys_are_unique() -> None:
    assert len({row.key for row in RESULTS}) == len(RESULTS)


def test_what_nobody_knows_is_answered_with_what_is_known(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Nothing was measured today.\n")

    with pytest.raises(UnknownFormatError, match=r"notes\.txt holds no results"):
        read_results(path)


@pytest.mark.parametrize("data", [b"", b"\0" * 100, b"Index", b"[[", b"{", b"SQLite format 3\0"])
def test_odd_files_are_of_nobody(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "odd"
    path.write_bytes(data)

    with Source(path) as source:
        assert importer_of(source) is None


def test_a_text_of_powershell_is_read(tmp_path: Path) -> None:
    """It writes UTF-16."""
    text = (DATA / "ppq.txt").read_text("utf-8")
    path = tmp_path / "console.txt"
    path.write_bytes(text.encode("utf-16"))

    (table,) = read_results(path)

    assert [row.name for row in table.rows] == ["sum", "stem/conv"]


def test_a_table_deep_in_a_long_log_is_found(tmp_path: Path) -> None:
    path = tmp_path / "build.log"
    path.write_text("A line of a long log.\n" * 100_000 + (DATA / "pulsar2.txt").read_text("utf-8"), "utf-8")

    assert [table.label for table in read_results(path)] == [
        "Pulsar2 layer types",
        "Pulsar2 precision, PerLayer Reference",
        "Pulsar2 outliers",
    ]


HOSTILE = [
    *(sign * 100_000 for sign in " ([%=:|-,;1a│"),
    *(signs * 30_000 for signs in ("_1", "->", "1,", ": ", "%%", "(a;", "[a ")),
    *(
        start + " " * 99_000 + end
        for start in ("a", "[a", "===a", "the layer", "x:", "#", "layer a")
        for end in ("", "x")
    ),
    *(start + "1" * 99_000 + "x" for start in ("", "(", "loss is ", "1.", "_out1_nchw_", "[a] ")),
    "cosine_norm=" + "a" * 99_000,
    "a_out1_nchw_1" * 7_000 + " cosine_norm=1",
    "<class '" + "a." * 49_000,
]


@EACH
def test_no_line_takes_for_ever(row: Importer, tmp_path: Path) -> None:
    """A pattern that goes over a line again and again would: the limit of the whole test ends it."""
    path = tmp_path / "hostile"
    if row.key == "msprobe-graph":
        graph_file(path, [(line, 1, 1.0, json.dumps({line: {"shape": line, "Max": line}}), line) for line in HOSTILE])
    else:
        head = sample(row.key, tmp_path).read_text("utf-8").splitlines()
        path.write_text("\n".join(part for line in HOSTILE for part in (*head[:6], line, *head[6:])), "utf-8")

    assert reads_or_says(row, path)


def test_no_cell_takes_the_advisor_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "result.csv"
    cells = [line.replace(",", " ") for line in HOSTILE]
    path.write_text(
        "\n".join(["Index,NPUDump,CosineSimilarity", *(f"{cell},{cell},{cell}" for cell in cells)]), "utf-8"
    )

    with pytest.raises(AdviceError):
        advise(path)


def test_no_name_takes_for_ever_to_be_placed() -> None:
    builder = GraphBuilder("net")
    for line in HOSTILE:
        builder.node("Relu", [f"{line}:in"], [f"{line}:out"], name=line)
    rows = tuple(ResultRow(name) for line in HOSTILE for name in (line, f"{line}:output:1", f"{line[:9000]}…"))

    assert len(place(ResultTable("t", "v", "tensor", (), rows), builder.build()).places) >= len(HOSTILE)
