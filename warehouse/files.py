"""Paths of a warehouse directory (仓库目录): work database, marts, snapshots, status and history."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Files:
    """Paths below one warehouse directory.

    `work` holds raw copies, facts and the extraction position; `marts` is the database that each refresh patches and
    publishing copies; both belong to the one refresh worker. Readers open `current`/wh.duckdb only.
    """

    root: Path

    @property
    def work(self) -> Path:
        return self.root / "work.duckdb"

    @property
    def marts(self) -> Path:
        return self.root / "marts" / "wh.duckdb"

    @property
    def snapshots(self) -> Path:
        return self.root / "snap"

    @property
    def current(self) -> Path:
        return self.root / "current"

    @property
    def status(self) -> Path:
        return self.root / "status.json"

    @property
    def cycles(self) -> Path:
        return self.root / "cycles.json"

    @property
    def lock(self) -> Path:
        return self.root / "refresh.lock"

    @property
    def dbt(self) -> Path:
        """dbt's target and log directory."""
        return self.root / "dbt"

    @property
    def dictionary(self) -> Path:
        """The data dictionary of the published columns."""
        return self.root / "dictionary.json"

    @property
    def lineage(self) -> Path:
        """dbt's documentation in one page."""
        return self.root / "lineage.html"

    def create_directories(self) -> None:
        """Create the directories."""
        for directory in (self.snapshots, self.marts.parent, self.dbt):
            directory.mkdir(parents=True, exist_ok=True)
