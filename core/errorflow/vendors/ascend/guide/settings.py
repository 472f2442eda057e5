"""Settings of ATC and of a run on the NPU."""

import json

from errorflow.guides.facts import Facts

SWITCH = "fusion_switch.cfg"


def _text(data: object) -> str:
    return json.dumps(data, indent=4, ensure_ascii=False) + "\n"


def fusion_switch(_: Facts) -> str:
    """Switches off every fusion that ATC can do without."""
    return _text({"Switch": {"GraphFusion": {"ALL": "off"}, "UBFusion": {"ALL": "off"}}})


def acl(model: str, folder: str) -> str:
    """Inputs and outputs of every operator are dumped: without inputs nobody can say who made an error."""
    listed = [{"model_name": model}]
    return _text({"dump": {"dump_path": folder, "dump_mode": "all", "dump_list": listed}})
