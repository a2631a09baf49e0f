"""Cross tables are bounded, in the report platform's own environment: those that a chart draws and those in a file."""

from __future__ import annotations

import json
import subprocess

from tests.support.superset import PROJECT, PYTHON

ASKING = """
from superset import extensions
from superset.utils.log import StdOutEventLogger

extensions._event_logger["event_logger"] = StdOutEventLogger()
from reports.superset_patches.guest_responses import install_pivot_limit
install_pivot_limit()
import json
import pandas as pd
from superset.utils import pandas_postprocessing as steps
from superset.charts import client_processing
from superset.exceptions import InvalidPostProcessingError
n = 1500
rows = pd.DataFrame({"a": range(n), "b": range(n), "c": [1, 2, 3] * 500, "sold": 1.0})
mean = {"sold": {"operator": "mean"}}
def refused(make):
    try:
        make()
    except InvalidPostProcessingError:
        return True
    return False
print(json.dumps([
    refused(lambda: steps.pivot(rows, index=["a"], columns=["b"], aggregates=mean)),
    refused(lambda: steps.pivot(rows, index=["c"], columns=["a", "b"], aggregates=mean, drop_missing_columns=False)),
    refused(lambda: client_processing.pivot_df(rows, ["a"], ["b"], ["sold"])),
    steps.pivot(rows, index=["a"], columns=["c"], aggregates=mean, drop_missing_columns=False).shape,
    steps.pivot(rows, index=["c"], columns=["a", "b"], aggregates=mean).shape,
    client_processing.pivot_df(rows, ["a", "b"], ["c"], ["sold"]).shape,
]))
"""


def test_a_cross_table_of_millions_of_cells_is_refused_and_a_sparse_one_is_not():
    done = subprocess.run(
        [str(PYTHON), "-c", ASKING], cwd=PROJECT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told == [True, True, True, [1500, 3], [3, 1500], [1500, 3]]
