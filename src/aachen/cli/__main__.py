"""`python -m aachen.cli` does what the command `aachen` does."""

import sys

from aachen.cli.main import main

sys.exit(main())
