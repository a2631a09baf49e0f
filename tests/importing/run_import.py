"""Import as a process of its own, to be killed."""

from __future__ import annotations

import sys
from pathlib import Path

from api.importing import import_command

if __name__ == "__main__":
    sys.exit(
        import_command.run_import(
            Path(sys.argv[1]), create_missing=True, dry_run=False, skip_refused=False, failures=None
        )
    )
