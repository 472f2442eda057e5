"""The window as the program of a bundle."""

import multiprocessing
import sys

import clean_start

if __name__ == "__main__":
    clean_start.clean()
    multiprocessing.freeze_support()  # a child process comes in through this door as well, and goes no further
    from errorflow_viewer.app.start import main

    sys.exit(main())
