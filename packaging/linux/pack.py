"""Makes one of the packages out of a bundle.

    python pack.py archive|deb|rpm tight|fast BUNDLE LICENCES WORK OUT

LICENCES: the file with the terms of all that is in the bundle. WORK: a folder that is not there yet. `fast` packs
quickly, `tight` for a release.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from email.utils import formatdate
from pathlib import Path

import tree
from requirements import debian_depends, glibc, of_bundle, rpm_requires

# What Debian and RPM call this processor.
MACHINE = os.uname().machine
DEBIAN_MACHINE = {"x86_64": "amd64", "aarch64": "arm64"}.get(MACHINE, MACHINE)
# Folders that go with the package; those of shells are nobody's where the shell is not installed.
_OURS = (f"opt/{tree.NAME}", f"usr/share/doc/{tree.NAME}", "usr/share/fish", "usr/share/zsh")
_THREADS = "2"  # said, not counted: what comes out must not depend on the machine


def archive(bundle: Path, licences: Path, work: Path, out: Path, *, tight: bool) -> Path:
    """With an installer that needs no root."""
    version = tree.version()
    top = work / f"{tree.NAME}-{version}"
    tree.copy_bundle(bundle, top / tree.NAME)
    tree.manual_and_completions(top / "share", packed=False)
    tree.documents(top / "share" / "doc" / tree.NAME, licences, packed=False)
    tree.write(top / "install.sh", installer(bundle).encode())
    tree.write(top / "uninstall.sh", (tree.HERE / "uninstall.sh").read_bytes())
    for name in ("LICENSE", "THIRD-PARTY.md"):
        tree.write(top / name, (tree.ROOT / name).read_bytes())
    tree.write(top / "README.txt", _READ_ME.encode())
    tree.write(top / "VERSION", f"{version}\n".encode())
    tree.settle(top)
    ending, command = ("xz", ["xz", "-6", f"-T{_THREADS}"]) if tight else ("zst", ["zstd", "-q", "-6", f"-T{_THREADS}"])
    target = out / f"{tree.NAME}-{version}-linux-{MACHINE}.tar.{ending}"
    options = ["--sort=name", "--format=gnu", "--owner=0", "--group=0", "--numeric-owner", f"--mtime=@{tree.epoch()}"]
    with target.open("wb") as file:
        tar = subprocess.Popen(
            ["tar", "-C", str(work), *options, "--hard-dereference", "-cf", "-", top.name], stdout=subprocess.PIPE
        )
        subprocess.run([*command, "-c"], stdin=tar.stdout, stdout=file, check=True)
        if tar.wait() != 0:
            raise subprocess.CalledProcessError(tar.returncode, "tar")
    return target


def installer(bundle: Path) -> str:
    """With what this bundle asks of a system."""
    wanted = of_bundle(bundle)
    packages = [each.partition(" ")[0] for each in debian_depends(wanted)]
    words = {
        "@GLIBC@": ".".join(map(str, glibc(wanted))),
        "@MACHINE@": MACHINE,
        "@DEBIAN@": " ".join(each for each in packages if each != "libc6"),
    }
    text = (tree.HERE / "install.sh").read_text("utf-8")
    for mark, word in words.items():
        text = text.replace(mark, word)
    return text


def deb(bundle: Path, licences: Path, work: Path, out: Path, *, tight: bool) -> Path:
    root = _system(bundle, licences, work / "root", is_debian=True)
    version = tree.system_version(tree.version())
    tree.write(root / "usr/share/doc" / tree.NAME / "changelog.gz", tree.squeezed(debian_changes(version).encode()))
    tree.write(root / "DEBIAN/control", control(version, tree.size(root), debian_depends(of_bundle(bundle))).encode())
    tree.write(root / "DEBIAN/md5sums", _sums(root).encode())
    tree.settle(root)
    target = out / f"{tree.NAME}_{version}_{DEBIAN_MACHINE}.deb"
    way = ["-Zxz", "-z6"] if tight else ["-Zzstd", "-z6"]
    command = ["dpkg-deb", "--root-owner-group", f"--threads-max={_THREADS}", *way, "--build", str(root), str(target)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return target


def rpm(bundle: Path, licences: Path, work: Path, out: Path, *, tight: bool) -> Path:
    root = _system(bundle, licences, work / "root", is_debian=False)
    tree.settle(root)
    version = tree.system_version(tree.version())
    spec = work / "errorflow.spec"
    tree.write(spec, rpm_spec(version, root, rpm_requires(of_bundle(bundle)), tight=tight).encode())
    options = {
        "_topdir": work / "rpm",
        "_buildhost": "localhost",
        "use_source_date_epoch_as_buildtime": 1,
        "clamp_mtime_to_source_date_epoch": 1,
        "_build_id_links": "none",
    }
    defines = [part for name, value in options.items() for part in ("--define", f"{name} {value}")]
    subprocess.run(
        ["rpmbuild", "-bb", "--quiet", "--target", MACHINE, *defines, str(spec)], check=True, stdout=subprocess.DEVNULL
    )
    made = next((work / "rpm/RPMS").rglob("*.rpm"))
    target = out / made.name
    shutil.move(made, target)
    return target


def control(version: str, size: int, depends: list[str]) -> str:
    """What dpkg knows of the package."""
    lines = {
        "Package": tree.NAME,
        "Version": version,
        "Architecture": DEBIAN_MACHINE,
        "Maintainer": tree.MAINTAINER,
        "Installed-Size": str(-(-size // 1024)),
        "Depends": ", ".join(depends),
        "Recommends": "desktop-file-utils, hicolor-icon-theme, shared-mime-info, xdg-utils",
        "Section": "science",
        "Priority": "optional",
        "Homepage": tree.HOME_PAGE,
        "Description": tree.SUMMARY,
    }
    return "".join(f"{name}: {value}\n" for name, value in lines.items()) + "".join(
        f" {line}\n" for line in tree.DESCRIPTION
    )


def debian_changes(version: str) -> str:
    """In the form that Debian's tools read; what changed is told in words elsewhere."""
    day = formatdate(tree.epoch(), usegmt=False).replace("-0000", "+0000")
    return (
        f"{tree.NAME} ({version}) unstable; urgency=medium\n\n"
        f"  * What is new: /usr/share/doc/{tree.NAME}/{tree.NEWS}.gz\n\n -- {tree.MAINTAINER}  {day}\n"
    )


def rpm_spec(version: str, root: Path, requires: list[str], *, tight: bool) -> str:
    """For rpmbuild: all is made already, it only packs."""
    ours = [f"/{path.relative_to(root).as_posix()}" for path in tree.everything(root) if not _is_of_system(path, root)]
    files = [
        f'%dir "{name}"' if (root / name[1:]).is_dir() and not (root / name[1:]).is_symlink() else f'"{name}"'
        for name in ours
    ]
    return "\n".join(
        [
            f"Name: {tree.NAME}",
            f"Version: {version}",
            "Release: 1",
            f"Summary: {tree.SUMMARY[0].upper()}{tree.SUMMARY[1:]}",
            "License: Apache-2.0 AND LGPL-3.0-only AND BSD-3-Clause AND MIT",
            f"URL: {tree.HOME_PAGE}",
            "AutoReqProv: no",
            *(f"Requires: {each}" for each in requires),
            "Recommends: desktop-file-utils",
            "Recommends: hicolor-icon-theme",
            "Recommends: shared-mime-info",
            "Recommends: xdg-utils",
            # Everything is as it shall be: nothing is stripped, compiled or compressed once more.
            "%global __os_install_post %{nil}",
            "%global debug_package %{nil}",
            f"%global _binary_payload {'w6T' + _THREADS + '.xzdio' if tight else 'w6T' + _THREADS + '.zstdio'}",
            "%description",
            *tree.DESCRIPTION,
            "%install",
            f"cp -a '{root}/.' '%{{buildroot}}/'",
            "%files",
            "%defattr(-,root,root,-)",
            *files,
            "",
        ]
    )


def _system(bundle: Path, licences: Path, root: Path, *, is_debian: bool) -> Path:
    """As it lies in a system, from its root on."""
    tree.copy_bundle(bundle, root / "opt" / tree.NAME)
    # From one folder at the top to another: whole for Debian, relative for RPM, as their rules say.
    top = "/" if is_debian else "../../"
    for name in tree.PROGRAMS:
        link = root / "usr/bin" / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(f"{top}opt/{tree.NAME}/{name}")
    tree.share(root / "usr/share", f"/opt/{tree.NAME}/errorflow-viewer", licences, is_debian=is_debian)
    return root


def _is_of_system(path: Path, root: Path) -> bool:
    """A folder that others put files into as well, and that is there without us."""
    place = path.relative_to(root).as_posix()
    return path.is_dir() and not path.is_symlink() and not place.startswith(_OURS)


def _sums(root: Path) -> str:
    files = [path for path in tree.everything(root) if path.is_file() and not path.is_symlink()]
    kept = [path for path in files if path.relative_to(root).parts[0] != "DEBIAN"]
    return "".join(
        f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(root).as_posix()}\n" for path in kept
    )


_READ_ME = """Errorflow for Linux

Install it for yourself, without root:   sh install.sh
Somewhere else:                          sh install.sh --prefix DIR
Take it away again:                      sh uninstall.sh
Or use it from here, not installed:      errorflow/errorflow-viewer

If the last says “Failed to load Python shared library” and libexpat.so.1, that library of the system is missing:
    sudo apt install libexpat1       (Debian, Ubuntu)
    sudo dnf install expat           (Fedora, RHEL)
What else lacks, the program and install.sh say by themselves.

`sh install.sh --help` says more. Licences of all that is inside: share/doc/errorflow/copyright.
"""

KINDS: dict[str, Callable[..., Path]] = {"archive": archive, "deb": deb, "rpm": rpm}


def main() -> None:
    kind, way, *places = sys.argv[1:]
    bundle, licences, work, out = map(Path, places)
    work.mkdir(parents=True)
    KINDS[kind](bundle, licences, work, out, tight=way == "tight")


if __name__ == "__main__":
    main()
