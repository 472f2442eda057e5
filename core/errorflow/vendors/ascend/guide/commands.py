"""Calls of ATC and of ais_bench, with the user's own names."""

from errorflow.guides.facts import Facts, option, word
from errorflow.vendors.ascend.guide.settings import SWITCH

OUT, RESULT = "out", "result"


def atc(facts: Facts, name: str, *, fused: bool = True) -> str:
    """Makes `out/NAME.om` of the model."""
    words = ["atc", option("--model", facts.model)]
    words += [option("--weight", facts.weights)] if facts.weights else []
    words += [f"--framework={facts.number}", option("--output", f"{OUT}/{name}")]
    words += [option("--soc_version", facts.soc_version)]
    words += [] if fused else [f"--fusion_switch_file={SWITCH}"]
    return " ".join(words)


def atc_json(name: str) -> str:
    """Prints what the compiler made of the model."""
    return f"atc --mode=1 {option('--om', f'{OUT}/{name}.om')} {option('--json', f'{name}.json')}"


def dumped_run(name: str, acl: str) -> str:
    """Runs the offline model once with the dump switched on: what warms it up would be dumped, too."""
    words = f"--input input.bin --output {RESULT} --warmup_count 0 --acl_json_path {acl}"
    return f"python3 -m ais_bench --model {word(f'{OUT}/{name}.om')} {words}"
