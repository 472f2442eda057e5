"""The command line as the program of a bundle."""

import multiprocessing
import sys

import clean_start

if __name__ == "__main__":
    clean_start.clean()
    multiprocessing.freeze_support()  # a child process comes in through this door as well, and goes no further
    if sys.argv[1:] == ["--render"]:  # this program is also its own renderer: it starts itself
        from errorflow_viewer.export.main import main
    else:
        from errorflow.cli.main import main
    sys.exit(main())
