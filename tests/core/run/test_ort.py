"""Every tensor of a model, as ONNX Runtime makes it without optimising anything away."""

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

from errorflow.base.errors import ErrorflowError, FileError
from errorflow.base.progress import Cancelled
from errorflow.base.sample import SAMPLES, Sample
from errorflow.formats import read_model, read_tensors
from errorflow.run.inputs import find_inputs
from errorflow.run.model import Inputs
from errorflow.run.ort import SEGMENT_BYTES, OnnxRuntime
from onnx_models import graph, model, relu, value, weight
from run_models import RunIt, floats


def chain(length: int) -> onnx.ModelProto:
    """x → Add → Add → …: more nodes than one segment has, and all read x as well."""
    nodes = [helper.make_node("Add", [f"t{i}", "x"], [f"t{i + 1}"], name=f"add{i}") for i in range(1, length)]
    nodes.insert(0, helper.make_node("Add", ["x", "w"], ["t1"], name="add0"))
    return model(
        graph(
            *nodes, inputs=[value("x")], outputs=[value(f"t{length}")], weights=[weight("w", np.ones(2, np.float32))]
        ),
        ir_version=10,
    )


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)
def test_it_gives_the_bits_of_the_recorded_runs(sample: Sample, tmp_path: Path) -> None:
    for file, recorded in ((sample.model, sample.reference_run), (sample.candidate_model, sample.candidate_run)):
        known, shape = read_tensors(recorded), read_model(file).graph
        ran = OnnxRuntime.of(shape).run(file, find_inputs(shape, [recorded]), tmp_path / "run.npz")
        found = read_tensors(ran.path)
        for name in known.names():
            assert np.array_equal(found.read(name), known.read(name)), name


def test_segments_make_what_the_whole_model_makes(run_it: RunIt) -> None:
    whole = chain(50)
    x = floats(2)

    ran, dump = run_it(whole, x=x)

    session = onnxruntime.InferenceSession(whole.SerializeToString(), providers=["CPUExecutionProvider"])
    assert np.array_equal(dump.read("t50"), session.run(None, {"x": x})[0])
    assert ran.tensors == 51  # the input and what each node makes
    assert ran.notes == ()


def test_the_same_inputs_give_the_same_file(tmp_path: Path) -> None:
    onnx.save(chain(40), tmp_path / "m.onnx")
    shape = read_model(tmp_path / "m.onnx").graph
    runs = [
        OnnxRuntime.of(shape).run(tmp_path / "m.onnx", Inputs({"x": floats(2)}), tmp_path / f"{number}.npz")
        for number in range(2)
    ]
    a, b = (read_tensors(ran.path) for ran in runs)
    assert all(np.array_equal(a.read(name), b.read(name)) for name in a.names())


def test_weights_beside_the_model_are_found(run_it: RunIt, tmp_path: Path) -> None:
    path = tmp_path / "outside.onnx"
    onnx.save(chain(3), path, save_as_external_data=True, location="outside.bin", size_threshold=0)
    _, dump = run_it(chain(3), path=path, x=np.zeros(2, np.float32))
    assert dump.read("t3").tolist() == [1, 1]


def test_missing_weights_beside_the_model_are_a_sentence(run_it: RunIt, tmp_path: Path) -> None:
    path = tmp_path / "outside.onnx"
    onnx.save(chain(3), path, save_as_external_data=True, location="outside.bin", size_threshold=0)
    (tmp_path / "outside.bin").unlink()
    with pytest.raises(ErrorflowError, match=r"The values of w are in outside\.bin, which is missing"):
        run_it(chain(3), path=path, x=np.zeros(2, np.float32))


@pytest.mark.parametrize("where", ["graph", "branch", "attribute"])
def test_values_outside_of_the_models_folder_are_refused(where: str, run_it: RunIt, tmp_path: Path) -> None:
    """Also in the depth: ONNX Runtime would open what the model names."""
    (tmp_path / "secret").write_bytes(bytes(8))
    stolen = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2], data_location=TensorProto.EXTERNAL)
    stolen.external_data.add(key="location", value="../secret")
    if where == "graph":
        main = graph(
            helper.make_node("Add", ["x", "w"], ["y"]), inputs=[value("x")], outputs=[value("y")], weights=[stolen]
        )
    elif where == "branch":
        inner = graph(helper.make_node("Add", ["x", "w"], ["t"]), outputs=[value("t")], weights=[stolen])
        branch = helper.make_node("If", ["c"], ["y"], then_branch=inner, else_branch=inner)
        yes = weight("c", np.array(True))
        main = graph(branch, inputs=[value("x")], outputs=[value("y")], weights=[yes])
    else:
        main = graph(helper.make_node("Constant", [], ["y"], value=stolen), inputs=[value("x")], outputs=[value("y")])
    path = tmp_path / "model" / "m.onnx"
    path.parent.mkdir()
    path.write_bytes(model(main).SerializeToString())
    with pytest.raises(ErrorflowError, match="outside of its folder"):
        run_it(model(main), path=path, x=floats(2))


def test_a_branch_reads_tensors_of_the_graph_around_it(run_it: RunIt) -> None:
    then = graph(relu("before", "then_y"), outputs=[value("then_y")], name="then")
    other = graph(helper.make_node("Neg", ["before"], ["other_y"]), outputs=[value("other_y")], name="other")
    nodes = [relu("x", "start")]
    nodes += [relu("start" if i == 0 else f"r{i - 1}", f"r{i}") for i in range(20)]
    nodes += [
        helper.make_node("Identity", ["r19"], ["before"]),
        helper.make_node("If", ["c"], ["y"], name="decide", then_branch=then, else_branch=other),
    ]
    inputs = [value("x"), value("c", (), TensorProto.BOOL)]
    _, dump = run_it(
        model(graph(*nodes, inputs=inputs, outputs=[value("y")])), x=np.array([1, -1], np.float32), c=np.array(False)
    )
    assert dump.read("y").tolist() == [-1, 0]
    assert "then_y" not in dump.names()


def test_a_loop_runs_as_one_node(run_it: RunIt) -> None:
    body = graph(
        helper.make_node("Add", ["v", "x"], ["v2"]),
        helper.make_node("Identity", ["c"], ["c2"]),
        inputs=[value("i", (), TensorProto.INT64), value("c", (), TensorProto.BOOL), value("v")],
        outputs=[value("c2", (), TensorProto.BOOL), value("v2")],
        name="body",
    )
    loop = helper.make_node("Loop", ["n", "", "x"], ["y"], name="loop", body=body)
    made = model(graph(loop, inputs=[value("x")], outputs=[value("y")], weights=[weight("n", np.array(3, np.int64))]))
    _, dump = run_it(made, x=np.array([1, 2], np.float32))
    assert dump.read("y").tolist() == [4, 8]


def test_functions_of_the_model_are_operators(run_it: RunIt) -> None:
    function = helper.make_function(
        "own", "Twice", ["a"], ["b"], [helper.make_node("Add", ["a", "a"], ["b"])], [helper.make_opsetid("", 17)]
    )
    node = helper.make_node("Twice", ["x"], ["y"], domain="own")
    made = model(graph(node, inputs=[value("x")], outputs=[value("y")]), {"": 17, "own": 1}, functions=[function])
    _, dump = run_it(made, x=np.array([1, 2], np.float32))
    assert dump.read("y").tolist() == [2, 4]


def test_types_that_numpy_lacks_are_widened(run_it: RunIt) -> None:
    nodes = [
        helper.make_node("Cast", ["x"], ["half"], to=TensorProto.FLOAT16),
        helper.make_node("Cast", ["x"], ["brain"], to=TensorProto.BFLOAT16),
        helper.make_node("Cast", ["brain"], ["y"], to=TensorProto.FLOAT),
    ]
    made = model(graph(*nodes, inputs=[value("x")], outputs=[value("y")]))
    _, dump = run_it(made, x=np.array([1.00390625, -3], np.float32))
    assert dump.info("half").dtype == "float16"
    assert dump.read("brain").tolist() == [1, -3]  # seven bits behind the one


def test_an_input_of_bfloat16_is_given_in_float32(run_it: RunIt) -> None:
    node = helper.make_node("Cast", ["x"], ["y"], to=TensorProto.FLOAT)
    made = model(graph(node, inputs=[value("x", (4,), TensorProto.BFLOAT16)], outputs=[value("y", (4,))]))
    _, dump = run_it(made, x=np.array([1.01, -2, np.nan, np.inf], np.float32))
    assert dump.read("y").tolist()[:2] == [1.0078125, -2]
    assert np.isnan(dump.read("y")[2]) and np.isinf(dump.read("y")[3])


def test_what_is_no_tensor_is_left_out_and_noted(run_it: RunIt) -> None:
    nodes = [
        helper.make_node("SequenceConstruct", ["x", "x"], ["both"]),
        *(relu("x" if i == 0 else f"r{i - 1}", f"r{i}") for i in range(20)),
        helper.make_node("ConcatFromSequence", ["both"], ["y"], axis=0),
        helper.make_node("Cast", ["x"], ["texts"], to=TensorProto.STRING),
    ]
    ran, dump = run_it(model(graph(*nodes, inputs=[value("x")], outputs=[value("y", (4,))])), x=floats(2))
    assert "both" not in dump.names()
    assert dump.info("y").shape == (4,)
    assert [note.text for note in ran.notes] == [
        "both was left out: it is no tensor but seq(tensor(float)).",
        "texts was left out: it holds texts.",
    ]


def test_outputs_that_are_left_out_and_nodes_without_names_are_fine(run_it: RunIt) -> None:
    pool = helper.make_node("MaxPool", ["x"], ["y", ""], kernel_shape=[2])
    drop = helper.make_node("Dropout", ["y"], ["z"])
    made = model(graph(pool, drop, inputs=[value("x", (1, 1, 4))], outputs=[value("z", None)]))
    _, dump = run_it(made, x=floats(1, 1, 4))
    assert set(dump.names()) == {"x", "y", "z"}


@pytest.mark.parametrize("name", ["a/b:0", "/lead/ing", "..\\up", "../../up", "file", "ä ö", "x" * 300])
def test_a_tensor_may_be_called_anything(name: str, run_it: RunIt) -> None:
    made = model(graph(relu("x", name), inputs=[value("x")], outputs=[value(name)]))
    _, dump = run_it(made, x=np.array([1, -1], np.float32))
    assert dump.read(name).tolist() == [1, 0]


def test_an_old_opset_runs(run_it: RunIt) -> None:
    made = model(graph(relu(), inputs=[value("x")], outputs=[value("y")]), {"": 7}, ir_version=3)
    _, dump = run_it(made, x=np.array([1, -1], np.float32))
    assert dump.read("y").tolist() == [1, 0]


def test_a_model_without_inputs_runs(run_it: RunIt) -> None:
    node = helper.make_node("Constant", [], ["y"], value_floats=[1.0, 2.0])
    _, dump = run_it(model(graph(node, outputs=[value("y")])))
    assert dump.read("y").tolist() == [1, 2]


def test_large_tensors_run_in_small_segments(run_it: RunIt) -> None:
    """More than a segment may make: the values are still those of the whole model."""
    nodes = [helper.make_node("Add", [f"t{i}" if i else "x", "x"], [f"t{i + 1}"]) for i in range(12)]
    size = SEGMENT_BYTES // 16
    made = model(graph(*nodes, inputs=[value("x", (size,))], outputs=[value("t12", (size,))]))
    _, dump = run_it(made, x=np.full(size, 0.5, np.float32))
    assert np.unique(dump.read("t12")).tolist() == [6.5]
    assert len(dump.names()) == 13


def test_nodes_in_the_wrong_order_run(run_it: RunIt) -> None:
    made = model(graph(relu("m", "y"), relu("x", "m"), inputs=[value("x")], outputs=[value("y")]))
    _, dump = run_it(made, x=np.array([1, -1], np.float32))
    assert dump.read("y").tolist() == [1, 0]


@pytest.mark.parametrize(
    ("nodes", "sentence"),
    [
        ([helper.make_node("Own", ["x"], ["y"], domain="my.ops")], "does not know, such as my.ops:Own"),
        ([helper.make_node("Nonsense", ["x"], ["y"])], "does not know, such as .*Nonsense|cannot run"),
        ([relu("y", "m"), relu("m", "y")], "in a circle"),
        ([helper.make_node("Reshape", ["x", "w"], ["y"])], "cannot run model.onnx: .*Reshape"),
        ([relu("nowhere", "y")], "cannot run model.onnx"),
    ],
)
def test_what_cannot_run_is_a_sentence(
    nodes: list[onnx.NodeProto], sentence: str, run_it: RunIt, tmp_path: Path
) -> None:
    domains = {"": 17, "my.ops": 1}
    shape = weight("w", np.array([7, 7], np.int64))
    made = model(graph(*nodes, inputs=[value("x")], outputs=[value("y", None)], weights=[shape]), domains)
    with pytest.raises(ErrorflowError, match=sentence) as caught:
        run_it(made, x=floats(2))
    assert caught.value.hint
    assert not list(tmp_path.glob("*.npz")) and not list(tmp_path.glob("*.part"))


def test_a_failed_run_leaves_the_one_before(run_it: RunIt, tmp_path: Path) -> None:
    run_it(chain(2), x=floats(2))
    before = (tmp_path / "run.npz").read_bytes()
    with pytest.raises(ErrorflowError):
        run_it(chain(2), x=floats(3, 3, 3))
    assert (tmp_path / "run.npz").read_bytes() == before


class Stop:
    """Cancels at the first chance behind the start."""

    def __init__(self) -> None:
        self.calls = 0

    def step(self, done: int, total: int, text: str) -> None:
        self.calls += 1
        if done:
            raise Cancelled


def test_it_can_be_cancelled_on_the_way(tmp_path: Path) -> None:
    onnx.save(chain(3000), tmp_path / "m.onnx")
    shape = read_model(tmp_path / "m.onnx").graph
    with pytest.raises(Cancelled):
        OnnxRuntime.of(shape).run(tmp_path / "m.onnx", Inputs({"x": floats(2)}), tmp_path / "run.npz", Stop())
    assert not (tmp_path / "run.npz").exists()


def test_a_folder_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    onnx.save(chain(2), tmp_path / "m.onnx")
    with pytest.raises(FileError, match="could not be written"):
        OnnxRuntime().run(tmp_path / "m.onnx", Inputs({"x": floats(2)}), tmp_path / "no" / "run.npz")
