"""Calls of Horizon's debugger, as scripts. They run where its toolchain is, without this program."""

from errorflow.guides.facts import Facts

_HEAD = '''\
"""{what}

Needs Horizon's toolchain, the calibrated model, and the calibration data that debug_mode: "dump_calibration_data" left.
"""

import logging

try:
    import hmct.quantizer.debugger as dbg
except ImportError:  # of older toolchains
    import horizon_nn.debug as dbg

# What the debugger prints goes through the log, which is silent about such at first.
logging.basicConfig(format="%(message)s")
logging.getLogger().setLevel(logging.INFO)

MODEL = {model!r}
DATA = "./calibration_data"
'''

_CURVES = """
dbg.plot_acc_error(
    save_dir="./accumulate_error",
    calibrated_data=DATA,
    model_or_file=MODEL,
    quantize_node=["weight", "activation"],
    metric="cosine-similarity",
    average_mode=False,
)
"""

_SENSITIVITY = """
for kind in ("weight", "activation"):
    dbg.get_sensitivity_of_nodes(
        model_or_file=MODEL,
        metrics="cosine-similarity",
        calibrated_data=DATA,
        output_node=None,
        node_type=kind,
        data_num=None,
        verbose=True,
        interested_nodes=None,
    )
"""

_DISTRIBUTION = """
# What cost more in the curves: "weight" or "activation".
KIND = {kind!r}
# So many of the most sensitive ones.
COUNT = 5

ranking = dbg.get_sensitivity_of_nodes(
    model_or_file=MODEL, metrics="cosine-similarity", calibrated_data=DATA, node_type=KIND, verbose=False
)
nodes = list(ranking)[:COUNT]
dbg.plot_distribution(save_dir="./data_distribution", model_or_file=MODEL, calibrated_data=DATA, nodes_list=nodes)
dbg.get_channelwise_data_distribution(
    save_dir="./channelwise_distribution", model_or_file=MODEL, calibrated_data=DATA, nodes_list=nodes, axis=None
)
"""

_PARTIAL = """
# What cost more in the curves: "weight" or "activation".
KIND = {kind!r}
# Up to so many of the most sensitive ones are not quantized.
COUNT = 20

ranking = dbg.get_sensitivity_of_nodes(
    model_or_file=MODEL, metrics="cosine-similarity", calibrated_data=DATA, node_type=KIND, verbose=False
)
nodes = list(ranking)
dbg.plot_acc_error(
    save_dir="./partial_quantization",
    calibrated_data=DATA,
    model_or_file=MODEL,
    non_quantize_node=[nodes[:count] for count in range(1, min(COUNT, len(nodes)) + 1)],
    metric="cosine-similarity",
    average_mode=False,
)
"""


def curves(facts: Facts) -> str:
    return _made(
        "Draws how the error grows along the model, of weights alone and of activations alone.", _CURVES, facts
    )


def sensitivity(facts: Facts) -> str:
    return _made("Prints how much each node alone costs, of weights and of activations.", _SENSITIVITY, facts)


def distribution(facts: Facts) -> str:
    return _made("Draws how the values of the most sensitive nodes are spread.", _DISTRIBUTION, facts)


def partial(facts: Facts) -> str:
    return _made("Draws what leaving the most sensitive nodes in float gains.", _PARTIAL, facts)


def _made(what: str, body: str, facts: Facts) -> str:
    model = facts.quantized if facts.quantized else f"{facts.name}_calibrated_model.onnx"
    return _HEAD.format(what=what, model=model) + body.replace("{kind!r}", repr(facts.kind))
