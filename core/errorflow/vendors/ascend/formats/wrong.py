"""Files of ATC, AMCT, msaccucmp and msprobe that are no models, and are opened as such by mistake."""

from errorflow.formats.format import WrongFile
from errorflow.formats.wrong import KEYS, json_key, starts, text

WRONG_FILES = (
    WrongFile(
        "an SVP/PICO offline model",
        starts(b"PICO"),
        "Only Ascend .om files with the mark IMOD can be read; open the original model.",
    ),
    WrongFile(
        "an AMCT scale and offset record",
        text(r"\A\s*record\s*\{"),
        "It holds quantization factors; open the model they belong to (the .onnx, .prototxt or ATC JSON).",
        rank=KEYS,
    ),
    WrongFile(
        "a result table of msaccucmp",
        text(r"^Index,(OpType,)?(NPUDump|LeftOp|OpSequence)"),
        "It holds results; open the model first (the ATC JSON or the original model).",
        rank=KEYS,
    ),
    WrongFile(
        "a fusion switch file for ATC",
        json_key("GraphFusion", "UBFusion"),
        "It steers the conversion; open the model or the ATC JSON.",
        rank=KEYS,
    ),
    WrongFile(
        "a fusion report of ATC",
        json_key("graph_fusion", "ub_fusion"),
        "It counts fusion passes; open the ATC JSON itself.",
        rank=KEYS,
    ),
    WrongFile(
        "a dump setting (acl.json)",
        json_key("dump_path", "dump_list"),
        "It tells the NPU what to dump; open the model.",
        rank=KEYS,
    ),
    WrongFile(
        "an AMCT quantization setting",
        json_key("quant_enable", "activation_quant_params"),
        "It holds settings; open the model itself.",
        rank=KEYS,
    ),
    WrongFile(
        "an msprobe dump or construct file",
        json_key("dump_data_dir", "input_args"),
        "It belongs to a training run; open a model.",
        rank=KEYS,
    ),
)
