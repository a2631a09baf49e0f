"""Cost of sixty more types to the tests: `python -m tests.growth [FILE …]`, which `make growth` calls.

A copy of the tree declares thirty more masters and thirty more bills that move stock, with a migration for
their tables. The rules that hold for every type, the roles × routes matrix and the collection of all tests
run once without them and once with them; reported are processor seconds of both, and their difference as
part of a whole run. A rule is asked of the new types alone, as the others cost the same both times; other
tests run whole. Shared artifacts are made before and reported apart.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.mutation.tree_copy import TreeCopy, build_environment
from tests.support.memory_tmpdir import use_memory_tmpdir

PROJECT = Path(__file__).resolve().parents[1]
MORE = 30
"""So many masters, and so many bills."""
WHOLE = 2949 + 126 + 40 + 183
"""Processor seconds of a whole run with its static checks, by `make test-profile` (docs/test-profile.md)."""
RULES = (
    *("tests/kit/test_bad_values.py", "tests/kit/test_bill_matrix.py", "tests/kit/test_columns.py"),
    *(
        "tests/kit/test_declared_calls.py",
        "tests/kit/test_declared_lists.py",
        "tests/kit/test_detail_reports.py",
    ),
    *("tests/kit/test_declared_screens.py", "tests/kit/test_round_trip.py", "tests/kit/test_listing.py"),
    *("tests/kit/test_fuzz.py", "tests/kit/test_route_index.py", "tests/identity/test_data_scope.py"),
    *("tests/identity/test_every_hidden_field.py", "tests/identity/test_route_rights.py"),
    *("tests/identity/test_matrix.py", "tests/shell/test_every_export.py", "tests/shell/test_migrations.py"),
)
HEAD = '''"""Types that are declared to measure what more of them cost."""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.declaration.document import BillType, Block, DetailPlacement, Document, declare_bill
from api.kit.declaration.fields import enabled_field, key_field, money_field, reference_field, text_field
from api.kit.declaration.posting import Postings
from api.kit.declaration.resource import Declaration, Menu, Resource
from api.master.settings.business_types import code_list_field
from api.master.stock.picking import picked_columns
from api.master.stock.stock_lines import OutboundLine, StockBill, build_outbound_moves, line_cost_column
'''
MASTER = '''

class GrownMaster{n}(Resource):
    """增长资料{n}"""

    __tablename__ = "grown_master{n}"
    declaration = Declaration(
        "增长资料{n}",
        "v2/system/GrownMaster{n}",
        "grown_name",
        routes={{"list": "/system/grownmaster{n}"}},
        menu=Menu("系统管理", "业务类型", {sort}),
    )

    grown_master{n}_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", required=True, search=True, index=True)
    grown_name: Mapped[str] = text_field("名称", required=True, unique=True, search=True, max_length=50)
    outbound_type_id: Mapped[int | None] = code_list_field("outbound_type", "类型")
    amount: Mapped[Decimal] = money_field("金额", rule="Positive", total=True)
    remark: Mapped[str | None] = text_field("备注", max_length=200)
    enabled: Mapped[bool] = enabled_field()
'''
BILL = '''

class GrownBill{n}Line(OutboundLine):
    __tablename__ = "grown_bill{n}_line"
    bill_table = "grown_bill{n}"
    derived = (line_cost_column("Z{letters}"), *picked_columns("Z{letters}"))


class GrownBill{n}(StockBill):
    """增长单据{n}"""

    __tablename__ = "grown_bill{n}"
    declaration = declare_bill(
        "增长单据{n}",
        "v2/inventory/GrownBill{n}",
        routes={{
            "list": "/inventory/grownbill{n}",
            "add": "/inventory/grownbill{n}Add",
            "see": "/inventory/grownbill{n}See",
        }},
        menu=Menu("库存管理", "出入库", {sort}),
    )
    bill = BillType(
        "Z{letters}",
        (Block("lines", "明细", GrownBill{n}Line),),
        detail=DetailPlacement("增长单据{n}明细", "/inventory/grownbill{n}Detail", Menu("库存管理", "明细查询", {sort})),
        moves=True,
    )

    outbound_type_id: Mapped[int | None] = code_list_field("outbound_type", "类型", sort=-52)
    reason: Mapped[str] = text_field("原因", required=True, search=True, sort=-50)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings(stock=build_outbound_moves(doc))
'''
MIGRATION = '''"""Tables of the types that measure growth"""

from alembic import op

from api.kit.storage.database import Base

revision = "grown"
down_revision = "{before}"
branch_labels = None
depends_on = None


def upgrade() -> None:
    Base.metadata.create_all(
        op.get_bind(), [table for table in Base.metadata.sorted_tables if table.name.startswith("grown_")]
    )


def downgrade() -> None:
    Base.metadata.drop_all(
        op.get_bind(), [table for table in Base.metadata.sorted_tables if table.name.startswith("grown_")]
    )
'''


def main(arguments: list[str]) -> int:
    use_memory_tmpdir()
    place = Path(tempfile.mkdtemp(prefix="erp-growth-"))
    files = arguments or [*RULES]
    kinds = ("grown_master{}", "grown_bill{}", "grown_bill{}_detail")
    types = [f"--type={kind.format(number)}" for number in range(1, MORE + 1) for kind in kinds]
    try:
        copy = TreeCopy(PROJECT, place)
        rows = []
        for name in ("without", "with"):
            if name == "with":
                _declare_types(copy.root)
            made = _measure_seconds(
                copy.root, ["-m", "pytest", "-q", "tests/kit/test_declared_calls.py", "-k", "unknown_record"]
            )
            tests = _measure_seconds(
                copy.root, ["-m", "pytest", "-q", "-p", "no:cacheprovider", *types, *files]
            )
            collected = _measure_seconds(copy.root, ["-m", "pytest", "-q", "--collect-only", "tests"])
            rows.append((made, tests, collected))
            print(f"{name}: made {made:.0f} s, rules {tests:.0f} s, collection {collected:.0f} s", flush=True)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    before, after = rows
    made, rules, collected = (new - old for old, new in zip(before, after, strict=True))
    # Each of three workers and their controller collects, and imports what is declared.
    more = made + rules + 4 * collected
    print(f"{2 * MORE} types more: {more:.0f} s, {more / WHOLE:.1%} of {WHOLE} s")
    return 0 if more < WHOLE / 10 else 1


def _declare_types(tree: Path) -> None:
    """Declare the types in a tree."""
    parts = [HEAD]
    for number in range(1, MORE + 1):
        letters = f"{chr(65 + number // 26)}{chr(65 + number % 26)}Z"
        parts += [MASTER.format(n=number, sort=500 + number)]
        parts += [BILL.format(n=number, letters=letters, sort=500 + number)]
    (tree / "api/grown.py").write_text("".join(parts), "utf-8")
    catalogue = tree / "api/catalogue.py"
    whole = catalogue.read_text("utf-8")
    whole = whole.replace("\n__all__ = [\n", '\nfrom api import grown\n\n__all__ = [\n    "grown",\n')
    catalogue.write_text(whole, "utf-8")
    versions = tree / "api/migrations/versions"
    before = max(one.name[:4] for one in versions.glob("0*.py"))
    (versions / "grown.py").write_text(MIGRATION.format(before=before), "utf-8")


def _measure_seconds(tree: Path, words: list[str]) -> float:
    """Return the processor seconds of a command and its children, which must succeed."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [str(tree / ".venv/bin/python"), *words]
    done = subprocess.run(command, cwd=tree, env=build_environment(tree), capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        print(done.stdout[-6000:], done.stderr[-2000:], f"after {time.monotonic() - begun:.0f} s", flush=True)
        sys.exit(1)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
