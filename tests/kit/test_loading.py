"""What is loaded is never looked through again; what comes later is, also where the loading failed."""

from __future__ import annotations

import gc

import pytest

from api.kit.loading import loading


def test_what_is_loaded_is_kept_and_later_garbage_is_found() -> None:
    before = gc.get_freeze_count()
    with pytest.raises(ImportError), loading():
        kept = [[number] for number in range(1000)]
        assert not gc.isenabled()
        raise ImportError
    assert gc.isenabled()
    assert gc.get_freeze_count() >= before + len(kept)
