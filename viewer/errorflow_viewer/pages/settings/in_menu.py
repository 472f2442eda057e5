"""Whether the app is in the menu of the system, and the button that puts it there or takes it out."""

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from errorflow_viewer.kit.layouts import spaced, text_button, text_label
from errorflow_viewer.kit.look import PADDING
from errorflow_viewer.pages.desk import PageDesk
from errorflow_viewer.pages.settings import menu_entry

THERE, ADD, REMOVE = "Is in the menu", "Add to menu", "Remove"
# Said where the button would have no effect.
OF_PACKAGE = "Is in the menu for all users; the package that brought Errorflow takes it out when it is removed."


class InMenu(QWidget):
    """Asks anew when it is seen, and when something was done about it, here or from the menu Help."""

    def __init__(self, desk: PageDesk) -> None:
        super().__init__()
        self._desk = desk
        self._at_work = False
        self.state = text_label(THERE, muted=True)
        self.button = text_button("", self._press)
        self.button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        row = spaced(QHBoxLayout(self), PADDING)
        row.addWidget(self.state)
        row.addWidget(self.button)
        desk.jobs.changed.connect(self._on_jobs)
        self.refresh()

    @property
    def is_own(self) -> bool:
        """Whether there is an entry for this user, which can be taken out here."""
        return menu_entry.can_remove(self._desk)

    def refresh(self) -> None:
        own = self.is_own
        of_package = not menu_entry.can_add(self._desk)
        self.state.setVisible(own or of_package)
        self.state.setToolTip("" if own else OF_PACKAGE)
        self.button.setText(REMOVE if own else ADD)
        self.button.setAccessibleName("Remove Errorflow from the menu" if own else "Add Errorflow to the menu")
        self.button.setVisible(own or not of_package)
        self.button.setEnabled(not self._desk.jobs.running(menu_entry.KEY))

    def _press(self) -> None:
        if self.is_own:
            menu_entry.remove(self._desk)
        else:
            menu_entry.add(self._desk)
        self.refresh()

    def _on_jobs(self, _steps: object) -> None:
        """Files are looked at for it: not with each step of any job."""
        at_work = self._desk.jobs.running(menu_entry.KEY)
        if at_work != self._at_work and self.isVisible():
            self.refresh()
        self._at_work = at_work

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()
