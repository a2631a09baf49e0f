"""Stock checkpoints (库存检查点): the job worker keeps them near the present."""

from __future__ import annotations

from api.kit.database import transact
from api.ledger import checkpoints
from api.shell import jobs


@jobs.app.periodic(cron="*/10 * * * *")
@jobs.app.task(name="advance_checkpoints", queue=jobs.QUEUE, pass_context=False)
def advance_checkpoints(timestamp: int) -> None:
    """One checkpoint a transaction, so that a killed worker has lost one at most."""
    while transact(checkpoints.advance):
        pass
