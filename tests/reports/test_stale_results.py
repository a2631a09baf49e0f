"""Kept answers go with their snapshot, once for all workers: in the report platform's own environment."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from tests.support.superset import PROJECT, PYTHON

ASKING = """
import json, sys
from flask import Flask
from superset.extensions import cache_manager
from reports.superset_patches import query_fast_path

app = Flask(__name__)
shared = {"CACHE_TYPE": "FileSystemCache", "CACHE_DIR": sys.argv[1], "CACHE_DEFAULT_TIMEOUT": 60}
names = ("CACHE", "DATA_CACHE", "THUMBNAIL_CACHE", "FILTER_STATE_CACHE", "EXPLORE_FORM_DATA_CACHE")
app.config.update({f"{name}_CONFIG": shared for name in names})
with app.app_context():
    cache_manager.init_app(app)
    kept = cache_manager.data_cache
    told = []
    for answer, newest in (("a", "2-1"), ("b", "2-1"), ("c", "3-1")):
        kept.set(answer, 1)
        query_fast_path.clear_stale_results(newest)
        told.append([name for name in "abc" if kept.get(name)])
    print(json.dumps(told))
"""


def test_the_first_worker_that_sees_a_snapshot_drops_the_answers_of_older_ones(tmp_path: Path):
    done = subprocess.run(
        [str(PYTHON), "-c", ASKING, str(tmp_path)], cwd=PROJECT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [[], ["b"], []]
