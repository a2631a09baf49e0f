"""Data warehouse (数仓): extraction from the core's database, transformation, and publication of
snapshots."""
