"""What macOS wants to know of the app: its `Info.plist`, as a dictionary for PyInstaller (`BUNDLE(info_plist=…)`).

`python packaging/macos/info_plist.py` writes it as XML.
"""

import platform
import plistlib
import runpy
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
VERSION: str = runpy.run_path(str(ROOT / "core/errorflow/__init__.py"))["__version__"]
BUNDLE_ID = "io.github.errorflow.Errorflow"
SESSION, ONNX = "io.github.errorflow.session", "ai.onnx.model"
# What the oldest of the packages inside needs: ONNX Runtime for Apple's processors is built for 14, the rest for 13.
OLDEST = {"arm64": "14.0", "x86_64": "13.0"}
_WHY = "Errorflow reads the models and runs that you open, and writes what you save."

_DOCUMENTS: list[dict[str, Any]] = [
    {
        "CFBundleTypeName": "Errorflow session",
        "CFBundleTypeRole": "Editor",
        "CFBundleTypeIconFile": "errorflow-session.icns",
        "LSHandlerRank": "Owner",
        "LSItemContentTypes": [SESSION],
    },
    # Others read ONNX as well: offered under “Open with”, never taken away from them.
    {
        "CFBundleTypeName": "ONNX model",
        "CFBundleTypeRole": "Viewer",
        "CFBundleTypeIconFile": "errorflow-model.icns",
        "LSHandlerRank": "Alternate",
        "LSItemContentTypes": [ONNX],
    },
    # A folder of runs is compared when it is dropped onto the icon in the Dock.
    {
        "CFBundleTypeName": "Folder",
        "CFBundleTypeRole": "Viewer",
        "LSHandlerRank": "Alternate",
        "LSItemContentTypes": ["public.folder"],
    },
]

_OUR_TYPES: list[dict[str, Any]] = [
    {
        "UTTypeIdentifier": SESSION,
        "UTTypeDescription": "Errorflow session",
        "UTTypeConformsTo": ["public.json"],
        "UTTypeIconFile": "errorflow-session.icns",
        "UTTypeTagSpecification": {
            "public.filename-extension": ["errorflow"],
            "public.mime-type": ["application/x-errorflow-session"],
        },
    }
]

_TYPES_OF_OTHERS: list[dict[str, Any]] = [
    {
        "UTTypeIdentifier": ONNX,
        "UTTypeDescription": "ONNX model",
        "UTTypeConformsTo": ["public.data"],
        "UTTypeReferenceURL": "https://onnx.ai",
        "UTTypeTagSpecification": {"public.filename-extension": ["onnx"], "public.mime-type": ["application/x-onnx"]},
    }
]


def plist(machine: str) -> dict[str, Any]:
    """`machine`: arm64 or x86_64."""
    return {
        "CFBundleIdentifier": BUNDLE_ID,
        "CFBundleName": "Errorflow",
        "CFBundleDisplayName": "Errorflow",
        "CFBundlePackageType": "APPL",
        # Two programs lie in the app. PyInstaller would take it for one without windows, since the other has a console.
        "CFBundleExecutable": "errorflow-viewer",
        "LSBackgroundOnly": False,
        "CFBundleShortVersionString": VERSION,
        "CFBundleVersion": VERSION,
        "CFBundleIconFile": "errorflow.icns",
        "CFBundleDevelopmentRegion": "en",
        "CFBundleLocalizations": ["en", "zh-Hans"],
        "CFBundleDocumentTypes": _DOCUMENTS,
        "UTExportedTypeDeclarations": _OUR_TYPES,
        "UTImportedTypeDeclarations": _TYPES_OF_OTHERS,
        "LSApplicationCategoryType": "public.app-category.developer-tools",
        "LSMinimumSystemVersion": OLDEST.get(machine, OLDEST["arm64"]),
        "NSHighResolutionCapable": True,
        "NSPrincipalClass": "NSApplication",
        "NSRequiresAquaSystemAppearance": False,  # dark when the system is dark
        "NSSupportsAutomaticGraphicsSwitching": True,  # nothing here needs the fast graphics card
        "NSHumanReadableCopyright": "© The Errorflow authors, Apache License 2.0",
        # What the system says when it asks whether the app may read these folders.
        "NSDesktopFolderUsageDescription": _WHY,
        "NSDocumentsFolderUsageDescription": _WHY,
        "NSDownloadsFolderUsageDescription": _WHY,
        "NSNetworkVolumesUsageDescription": _WHY,
        "NSRemovableVolumesUsageDescription": _WHY,
    }


PLIST = plist(platform.machine())

if __name__ == "__main__":
    sys.stdout.buffer.write(plistlib.dumps(PLIST))
