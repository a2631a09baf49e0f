"""Bills in reports (报表中的单据): what kind of bill a row is of, in words, and where it is seen."""

from __future__ import annotations

from api.kit import registry


def bill_columns(row: str, of: str = "") -> str:
    """`bill_name`, the bill's kind in words, and `route`, where it is seen; `of` goes before all columns' names."""
    names = {prefix: cls.declaration.label for prefix, cls in registry.prefixes().items()}
    return (
        f"{_chosen(row, of, names)} as {of}bill_name,"
        f" {_chosen(row, of, registry.see_routes())} || '?id=' || {row}.{of}bill_id as {of}route"
    )


def _chosen(row: str, of: str, by_prefix: dict[str, str]) -> str:
    arms = " ".join(f"when '{prefix}' then '{value}'" for prefix, value in by_prefix.items())
    return f"case {row}.{of}bill_type {arms} end"
