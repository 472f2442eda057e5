"""Which sheet shows what."""

from errorflow_viewer.kit.look import Theme
from errorflow_viewer.plots.content import Content, FigureContent, MapContent, ProfileContent
from errorflow_viewer.plots.figure_sheet import FigureSheet
from errorflow_viewer.plots.map_sheet import MapSheet
from errorflow_viewer.plots.profile_sheet import ProfileSheet
from errorflow_viewer.plots.sheet import Sheet


def sheet_for(content: Content, theme: Theme) -> Sheet:
    """A new one."""
    match content:
        case FigureContent():
            return FigureSheet(theme)
        case MapContent():
            return MapSheet(theme)
        case ProfileContent():
            return ProfileSheet(theme)


def show_in(sheet: Sheet, content: Content) -> None:
    """Content goes with the sheet that was made for its kind."""
    match sheet, content:
        case FigureSheet(), FigureContent():
            sheet.show_content(content)
        case MapSheet(), MapContent():
            sheet.show_content(content)
        case ProfileSheet(), ProfileContent():
            sheet.show_content(content)
