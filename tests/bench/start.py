"""Benchmark of a start: the first on an empty data directory, and the next on what it left.

    python -m tests.bench.start

Prints seconds until READY and the processor time of all processes; without a demo.
"""

from __future__ import annotations

import shutil
import signal
import tempfile
from pathlib import Path

from tests.launch.installation import Installation

WITHIN_SECONDS = 900


def main() -> None:
    place = Path(tempfile.mkdtemp(prefix="erp-bench-"))
    installation = Installation(place)
    figures = {}
    try:
        for name in ("first", "next"):
            seconds = installation.start(WITHIN_SECONDS)
            figures[name] = (seconds, installation.cpu_seconds())
            print(f"{name} start: READY after {seconds:.1f} s, CPU {figures[name][1]:.1f} s", flush=True)
            installation.send_signal(signal.SIGINT)
        print(f"the next takes {figures['next'][1] / figures['first'][1]:.0%} of the first one's CPU")
    finally:
        if installation.launcher is not None and installation.launcher.poll() is None:
            installation.send_signal(signal.SIGTERM)
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()
