"""`python -m errorflow`, where there is no script to start."""

import sys

from errorflow.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
