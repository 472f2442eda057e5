"""`errorflow file_compare -m MINE.npy -g GOLDEN.npy -out DIR`: two arrays, eight numbers."""

import sys
import time
from argparse import ArgumentParser, Namespace
from pathlib import Path

from errorflow.base.files import write_atomic
from errorflow.cli.command import Command
from errorflow.cli.tool_exit import with_tool_codes


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("-m", "--my_dump_path", metavar="NPY", required=True, help="the array that is to be judged")
    parser.add_argument("-g", "--golden_dump_path", metavar="NPY", required=True, help="the one that it should be")
    parser.add_argument("-out", "--output", metavar="DIR", required=True, help="where to write")


def _run(options: Namespace) -> int:
    from errorflow.report.array_file import make_folder
    from errorflow.report.file_compare import compare_files, file_text

    out = Path(options.output)
    found = compare_files(Path(options.my_dump_path), Path(options.golden_dump_path))
    make_folder(out)
    path = out / f"file_result_{time.strftime('%Y%m%d%H%M%S')}.txt"
    write_atomic(path, file_text(found), follow=False)
    for message in found.messages:
        print(f"errorflow: {message}", file=sys.stderr)
    print(f"{file_text(found)}Written to {path}.")
    return 0


FILE_COMPARE = Command(
    "file_compare", "Say in eight numbers how far two .npy files are apart.", _arguments, with_tool_codes(_run)
)
