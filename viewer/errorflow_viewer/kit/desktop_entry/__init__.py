"""The app in the menus of the system, and what it opens with a double click. Needs neither Qt nor a screen."""

# The same in file names, in `Icon=`, in AppStream and for the window.
APP_ID = "io.github.errorflow.Errorflow"
