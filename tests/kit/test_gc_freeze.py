"""Loaded objects are never collected again; later ones are, also where the loading failed."""

from __future__ import annotations

import gc

import pytest

from api.kit.gc_freeze import frozen_gc


def test_what_is_loaded_is_kept_and_later_garbage_is_found() -> None:
    before = gc.get_freeze_count()
    with pytest.raises(ImportError), frozen_gc():
        kept = [[number] for number in range(1000)]
        assert not gc.isenabled()
        raise ImportError
    assert gc.isenabled()
    assert gc.get_freeze_count() >= before + len(kept)
