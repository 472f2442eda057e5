"""Makes the installer for Windows of a bundle: `python packaging/windows/make_setup.py BUNDLE -o DIR`.

Runs wherever NSIS does, Linux included; Debian's and Ubuntu's `nsis` has the 64-bit stub that is used. Every warning of
NSIS is an error.
"""

import argparse
import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from bundle_files import Bundle  # noqa: E402 - beside this script, which is no package
from version_info import VERSION, numbers  # noqa: E402 - likewise

# NSIS of other makes than Debian's brings the 32-bit ones only.
STUBS = ("amd64-unicode", "x86-unicode")


def main(arguments: list[str] | None = None) -> int:
    """Says where the installer is, and its checksum."""
    options = _parse(arguments)
    if shutil.which("makensis") is None:
        raise SystemExit("makensis is missing: install NSIS (Debian, Ubuntu: apt-get install nsis).")
    options.output.mkdir(parents=True, exist_ok=True)
    target = (options.output / f"errorflow-{options.version}-setup.exe").resolve()
    with tempfile.TemporaryDirectory() as work:
        done = subprocess.run(command(options, Path(work), target), cwd=HERE, check=False)
    if done.returncode:
        target.unlink(missing_ok=True)
        raise SystemExit(f"makensis failed ({done.returncode}); the reason is above.")
    print(f"{hashlib.sha256(target.read_bytes()).hexdigest()}  {target.name}")
    return 0


def command(options: argparse.Namespace, work: Path, target: Path) -> list[str]:
    """Writes the lists of files into `work`, and says how NSIS is called."""
    bundle = Bundle.read(options.bundle)
    for name, text in (("install", bundle.install()), ("uninstall", bundle.uninstall())):
        (work / f"{name}.nsh").write_text(text, encoding="utf-8-sig")  # the mark tells NSIS the encoding
    four = numbers(options.version)
    facts = {
        "VERSION": options.version,
        "NUMBERS": ".".join(map(str, four)),
        "MAJOR": four[0],
        "MINOR": four[1],
        "FILES": work,
        "SIZE": bundle.kilobytes,
        "LONGEST": bundle.longest,
        "OUT": target,
        "STUB": options.stub,
    }
    if options.sign:
        facts["SIGN"] = options.sign
    if options.fast:
        facts["WEAK"] = 1
    defines = [f"-D{name}={value}" for name, value in facts.items()]
    return ["makensis", "-V2", "-WX", "-INPUTCHARSET", "UTF8", *defines, "errorflow.nsi"]


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Makes the installer for Windows of a bundle.")
    parser.add_argument("bundle", type=Path, help="the folder that PyInstaller made, with errorflow-viewer.exe in it")
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("dist"), metavar="DIR", help="where to (default: dist)"
    )
    parser.add_argument(
        "--sign", metavar="COMMAND", help="signs the file whose name follows: installer and uninstaller"
    )
    parser.add_argument("--stub", choices=STUBS, default=STUBS[0], help="what the installer itself is built on")
    parser.add_argument("--fast", action="store_true", help="packs badly, but at once: to try things out")
    parser.add_argument("--version", default=VERSION, help=argparse.SUPPRESS)  # of the older one in try_under_wine.sh
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
