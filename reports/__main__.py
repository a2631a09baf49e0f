"""Process of the report platform: boot, then run Superset under the same process id."""

from __future__ import annotations

import os
import sys

from reports.superset import bootstrap

if __name__ == "__main__":
    bootstrap.main()
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", "reports.superset.server"])
