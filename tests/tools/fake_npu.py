"""Plays an NPU for an ONNX model: fuses, rounds, dumps, and makes what is wrong on purpose.

    python tests/tools/fake_npu.py model.onnx --random 7 -out case --wrong /block2/project/conv/Conv

The folder that it writes is what somebody with a real NPU would have: the compiled graph as `atc --mode=1` prints it,
the dumps, and the original model with its tensors. `--help` tells of what can be wrong.
"""

import sys
from pathlib import Path

if __name__ == "__main__":
    # As a script it stands alone; tests find the folder through pytest's settings.
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from tools.npu_case.command import main

    raise SystemExit(main())
