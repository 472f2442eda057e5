"""The commands on settings and on the menu of the desktop, rows of the table of commands."""

from errorflow_viewer.commands.api import Action
from errorflow_viewer.pages.desk import PageDesk
from errorflow_viewer.pages.settings import menu_entry

OFFERING: tuple[Action[PageDesk], ...] = (
    Action(
        "desktop.install",
        "Add Errorflow to the men&u",
        "Help/support",
        menu_entry.add,
        "launcher",
        tip="Put an entry into the menu of your desktop and have it open .errorflow and .onnx files; needs no rights",
        enabled=menu_entry.can_add,
        lack="The package that brought Errorflow has put it into the menu already",
        also_called="desktop entry icon launcher file association double click",
    ),
    Action(
        "desktop.remove",
        "Take Errorflow &out of the menu",
        "Help/support",
        menu_entry.remove,
        "unlaunch",
        tip="Take away the entry and the icons that were put there for you, and nothing else",
        enabled=menu_entry.can_remove,
        lack="There is no entry that was put there for you alone",
        also_called="desktop entry uninstall file association",
    ),
)

# Where the desktop has a menu that one may write to.
MENU: tuple[Action[PageDesk], ...] = OFFERING if menu_entry.is_possible() else ()
