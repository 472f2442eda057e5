"""`python -m errorflow_viewer`, where there is no script to start."""

import sys

from errorflow_viewer.app.start import main

if __name__ == "__main__":
    sys.exit(main())
