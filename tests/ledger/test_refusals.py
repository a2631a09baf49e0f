"""Refusals of the ledger travel from the process that posts to the one that waits for it."""

from __future__ import annotations

import pickle

from api.ledger.refusals import Shortage


def test_they_cross_processes_whole() -> None:
    cause = {"line_id": 1, "warehouse_id": 2, "goods_id": 3, "missing": "2.000", "reserved": False}
    refusal = Shortage([cause])
    arrived = pickle.loads(pickle.dumps(refusal))
    assert type(arrived) is Shortage
    assert (arrived.msg, arrived.data) == (refusal.msg, refusal.data) and arrived.causes == [cause]
