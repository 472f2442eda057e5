"""A made-up board that fused operators, keeps its own layout and half precision, and whose nodes can be disturbed."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray

from ascend_writer import desc, graph, model, op, write_json
from errorflow.compare.match.plan import MatchRequest, plan
from errorflow.explain.blame.model import ExactParts
from errorflow.formats import read_model
from errorflow.graph.model import Graph
from exact_parts import exact_parts
from npu_writer import NpuArray, write_npu
from run_models import floats, net, one_node, savez

Floats = NDArray[np.float32]
TIME = 1_700_000_000_000_000


def blocked(array: Floats) -> NpuArray:
    """NCHW in blocks of 16 channels, as an NPU keeps it."""
    n, c, h, w = array.shape
    padded = np.zeros((n, 16, h, w), np.float16)
    padded[:, :c] = array
    blocks = padded.reshape(n, 1, 16, h, w).transpose(0, 1, 3, 4, 2)
    return NpuArray(np.ascontiguousarray(blocks), "NC1HWC0", original_shape=array.shape)


def half(array: Floats) -> Floats:
    return array.astype(np.float16).astype(np.float32)


def plainly(array: Floats) -> NpuArray:
    return NpuArray(array.astype(np.float16))


@dataclass
class Board:
    """x → TransData → conv1+relu1 → conv2+add → TransData → flatten+gemm, on an NPU that fused them."""

    folder: Path

    def write(self, disturbed: str = "", amount: float = 0.5) -> None:
        """The model, both runs, the simulator's (half precision, nothing disturbed) and the compiled graph."""
        proto = net()
        onnx.save(proto, self.folder / "model.onnx")
        golden = {"x": floats(1, 3, 4, 4, seed=11)}
        mine, simulator = {"x": half(golden["x"])}, {"x": half(golden["x"])}
        for node in proto.graph.node:
            name = node.output[0]
            golden[name] = one_node(proto, node, golden)
            simulator[name] = half(one_node(proto, node, simulator))
            mine[name] = half(one_node(proto, node, mine))
            if node.name == disturbed:
                mine[name] = half(mine[name] + np.float32(amount) * floats(*mine[name].shape, seed=12))
        self._arrays("golden", proto, golden)
        self._arrays("simulator", proto, simulator)
        savez(self.folder / "x.npz", {"x": golden["x"]})
        self._dumps(mine)
        self._json()

    def _arrays(self, name: str, proto: onnx.ModelProto, run: Mapping[str, Floats]) -> None:
        place = self.folder / name
        place.mkdir()
        np.save(place / f"x.0.{TIME}.npy", run["x"])
        for node in proto.graph.node:
            np.save(place / f"{node.name}.0.{TIME}.npy", run[node.output[0]])

    def _dumps(self, mine: Mapping[str, Floats]) -> None:
        (self.folder / "npu").mkdir()
        self._dump("TransData", "trans_in", [plainly(mine["x"])], [blocked(mine["x"])])
        self._dump("Conv2D", "conv1relu1", [blocked(mine["x"])], [blocked(mine["r1"])])
        self._dump("Conv2D", "conv2add", [blocked(mine["r1"])], [blocked(mine["s"])])
        self._dump("TransData", "trans_out", [blocked(mine["s"])], [plainly(mine["s"])])
        self._dump("MatMulV2", "gemm", [plainly(mine["s"])], [plainly(mine["y"])])

    def _dump(self, kind: str, name: str, inputs: list[NpuArray], outputs: list[NpuArray]) -> None:
        number = len(list((self.folder / "npu").iterdir()))
        write_npu(self.folder / "npu" / f"{kind}.{name}.{number}.2.{TIME + number}", inputs, outputs)

    def _json(self) -> None:
        def made(origin: str, shape: tuple[int, ...], layout: str) -> dict[str, object]:
            stored = (1, 1, *shape[2:], 16) if layout == "NC1HWC0" else shape
            return desc(
                "DT_FLOAT16",
                stored,
                layout,
                origin_format="NCHW",
                origin_shape=shape,
                _datadump_origin_name=origin,
                _datadump_origin_output_index=0,
                _datadump_origin_format="NCHW",
                _datadump_origin_data_type="DT_FLOAT",
            )

        ops = [
            op("x", "Data", [""]),
            op(
                "trans_in",
                "TransData",
                ["x:0"],
                [desc("DT_FLOAT16", (1, 1, 4, 4, 16), "NC1HWC0")],
                _datadump_original_op_names=(),
            ),
            op(
                "conv1relu1",
                "Conv2D",
                ["trans_in:0"],
                [made("relu1", (1, 4, 4, 4), "NC1HWC0")],
                _datadump_original_op_names=("conv1", "relu1"),
            ),
            op(
                "conv2add",
                "Conv2D",
                ["conv1relu1:0"],
                [made("add", (1, 4, 4, 4), "NC1HWC0")],
                _datadump_original_op_names=("conv2", "add"),
            ),
            op(
                "trans_out",
                "TransData",
                ["conv2add:0"],
                [desc("DT_FLOAT16", (1, 4, 4, 4), "NCHW")],
                _datadump_original_op_names=(),
            ),
            op(
                "gemm",
                "MatMulV2",
                ["trans_out:0"],
                [made("gemm", (1, 5), "ND")],
                _datadump_original_op_names=("flatten", "gemm"),
            ),
            op("out", "NetOutput", ["gemm:0"], 0),
        ]
        write_json(self.folder / "fusion.json", model(graph(*ops)))

    def parts(self) -> tuple[Graph, ExactParts]:
        wanted = MatchRequest(self.folder / "npu", self.folder / "golden", fusion=str(self.folder / "fusion.json"))
        shape = read_model(self.folder / "fusion.json").graph
        return shape, exact_parts(self.folder / "model.onnx", shape, plan(wanted).match)
