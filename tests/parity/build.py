"""Runs the dbt project on Spark, in Spark's own environment: build.py PROJECT PLACE AS_OF TABLE….

Reads PLACE/sources/<schema>/<table>/ and writes the tables named to PLACE/built/<schema>.<table>/, both Parquet.
"""

from __future__ import annotations

import sys
from pathlib import Path

from dbt.cli.main import dbtRunner
from pyspark.sql import SparkSession

CORES = 2


def main(project: Path, place: Path, as_of: str, published: list[str]) -> None:
    spark = _create_session(place)
    for source in sorted((place / "sources").glob("*/*")):
        schema, name = source.parent.name, source.name
        spark.sql(f"create schema if not exists {schema}")
        spark.sql(f"create table {schema}.{name} using parquet location '{source}'")
    # dbt takes the session that is there.
    done = dbtRunner().invoke(
        [
            *("run", "--target", "spark", "--full-refresh", "--threads", str(CORES)),
            *("--project-dir", str(project), "--profiles-dir", str(project)),
            *("--target-path", str(place / "dbt"), "--log-path", str(place / "dbt")),
            *("--vars", f"{{as_of: '{as_of}', whole: false}}"),
        ]
    )
    if not done.success:
        raise SystemExit("✗ dbt 在 Spark 上没有成功")
    for name in published:
        if spark.catalog.tableExists(name):
            spark.table(name).write.parquet(str(place / "built" / name))


def _create_session(place: Path) -> SparkSession:
    """A small engine without a metastore on disk; a shuffle of so few rows needs no more parts than cores."""
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "2g",
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": str(CORES),
        "spark.sql.warehouse.dir": str(place / "spark"),
        "spark.log.level": "ERROR",
    }
    builder = SparkSession.builder.master(f"local[{CORES}]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4:])
