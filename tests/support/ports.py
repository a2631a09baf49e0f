"""Ports for what tests start."""

from __future__ import annotations

import secrets
import socket
from contextlib import ExitStack

LOWEST, HIGHEST = 20_000, 32_000
"""Below those that connections going out are given: one of these would be taken while its server is still starting."""


def free_port(neighbours: int = 0) -> int:
    """Return a free port whose next `neighbours` are free as well."""
    while True:
        port = LOWEST + secrets.randbelow(HIGHEST - LOWEST)
        with ExitStack() as probes:
            try:
                for place in range(neighbours + 1):
                    probes.enter_context(socket.socket()).bind(("127.0.0.1", port + place))
            except OSError:
                continue
            return port
