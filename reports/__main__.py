"""报表平台进程：先初始化，再在同一个进程号上运行 Superset。"""

from __future__ import annotations

import os
import sys

from reports import boot

if __name__ == "__main__":
    boot.main()
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", "reports.serve"])
