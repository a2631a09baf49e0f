"""Checkpoint job (库存检查点任务): adds stock checkpoints up to the present."""

from __future__ import annotations

from api.kit.storage.database import run_transaction
from api.ledger import checkpoints
from api.shell import jobs


@jobs.app.periodic(cron="*/10 * * * *")
@jobs.app.task(name="advance_checkpoints", queue=jobs.QUEUE, pass_context=False)
def advance_checkpoints(timestamp: int) -> None:
    """Add the missing checkpoints, one a transaction: a killed worker loses one at most."""
    while run_transaction(checkpoints.advance_checkpoints):
        pass
