"""``python -m groundframe``: the command line where no script is on the path."""

import sys

from groundframe.entry import main

sys.exit(main())
