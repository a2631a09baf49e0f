"""Goods upload (商品初始化): missing group goods with their types, brands and units, and the company's selection.

Goods that exist stay as they are and join the company's selection; so a second upload adds only what is missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, select, text

from api.importing import cells, files
from api.importing.cells import SheetRow
from api.importing.opening_rows import OpeningOutcome, OpeningUpload, TemplateColumn, build_refused_row
from api.kit.bills import bulk_posting
from api.kit.context import Context
from api.kit.declaration.fields import Field
from api.kit.storage import business_log
from api.kit.storage.records import insert_records
from api.master.goods import goods_codes
from api.master.goods.duplicate_goods import find_duplicate_goods
from api.master.goods.goods import MAX_LEVEL, Brand, CompanyGoods, Goods, GoodsType, GoodsUnit, Unit

_LOCK = text("select pg_advisory_xact_lock(hashtextextended('initialisation_goods', 0))")
CREATED_REFERENCES = {
    "goods_type_id": "类型用 / 分级，没有的自动新建",
    "brand_id": "没有的自动新建",
    "unit_id": "没有的自动新建",
}
"""References that are made where missing; their cells stay names until a row is taken."""
EXAMPLES = {
    "goods_num": "00012345",
    "goods_name": "示例轮胎 295/80R22.5",
    "goods_type_id": "轮胎/全钢胎",
    "brand_id": "示例品牌",
    "unit_id": "条",
    "specification_type": "295/80R22.5",
    "is_batch": "是",
    "is_numbered": "否",
    "tax_rate": "13",
    "pack_unit": "箱",
    "pack_factor": "12",
    "sale_price": "1500",
    "purchase_price": "1200",
}
LEFT_OUT = frozenset({"enabled", "logogram"})
PACK_UNIT, PACK_FACTOR, PACK_BARCODE = PACK = (
    Field("pack_unit", "辅单位", "text", max_length=20),
    replace(GoodsUnit.field("factor"), name="pack_factor", required=False),
    replace(GoodsUnit.field("barcode"), name="pack_barcode", label="箱码"),
)
"""A goods' first pack; more are added on its form."""
PACK_NOTES = {
    "pack_unit": "没有的自动新建；与换算率一起填",
    "pack_factor": "一个辅单位等于多少单位",
    "pack_barcode": "辅单位的条形码",
}


class OpeningGoods(OpeningUpload):
    """商品"""

    label = "商品"
    portion = 5000

    def __init__(self, company_id: int) -> None:
        super().__init__(company_id)
        self.codes: dict[str, tuple[int, str]] = {}

    def examples(self, ctx: Context) -> list[TemplateColumn]:
        own = [item for item in Goods.fields() if item.writable and item.name not in LEFT_OUT]
        prices = [
            item
            for item in CompanyGoods.fields()
            if item.writable
            and item.is_number
            and ctx.principal.can_see(CompanyGoods.name(), item.name, item.permission)
        ]
        return [
            TemplateColumn(
                _name_field(item),
                EXAMPLES.get(item.name, ""),
                (CREATED_REFERENCES | PACK_NOTES).get(item.name, ""),
            )
            for item in (*own, *PACK, *prices)
        ]

    def prepare(self, ctx: Context) -> None:
        """Allow goods at any time."""

    def read(self, ctx: Context, places: Mapping[Field, int], rows: Sequence[files.Row]) -> list[SheetRow]:
        lines = cells.read_cells(ctx, places, rows, {})
        by_name = {item.name: item for item in places}
        for line in lines:
            code = line.values.get("goods_num")
            if code is not None:
                self.refuse_duplicate(line, by_name["goods_num"], code)
            levels = _split_levels(line.values.get("goods_type_id", ""))
            if len(levels) > MAX_LEVEL or any(not level for level in levels):
                line.add_error(by_name["goods_type_id"], f"最多{MAX_LEVEL}级，用 / 分开")
            _validate_pack(line)
            for name in CODES:
                self._refuse_repeated_code(line, by_name, name)
        return lines

    def _refuse_repeated_code(self, line: SheetRow, by_name: Mapping[str, Field], name: str) -> None:
        """Refuse a barcode that an earlier row of the file, or the row itself, has as a code."""
        if code := line.values.get(name):
            first, where = self.codes.setdefault(code.lower(), (line.row, name))
            if (first, where) != (line.row, name) and {where, name} != {"goods_num"}:
                line.add_error(by_name[name], f"“{code}”与第{first}行的编码或条形码重复")

    def warnings(self, ctx: Context, lines: Sequence[SheetRow]) -> Mapping[int, str]:
        return find_duplicate_goods(ctx.conn, [(line.row, line.values) for line in lines])

    def import_rows(self, ctx: Context, lines: list[SheetRow]) -> OpeningOutcome:
        ctx.conn.execute(_LOCK)
        by_code = {line.values["goods_num"]: line for line in lines}
        there = _goods_by_code(ctx.conn, list(by_code))
        fresh = {code: line for code, line in by_code.items() if code not in there}
        outcome = OpeningOutcome()
        _refuse_taken_codes(ctx.conn, fresh, outcome)
        rows = self._build_rows(ctx, fresh, outcome)
        if rows:
            bulk_posting.copy_rows(ctx.conn, Goods.table(), rows)
        made = _goods_by_code(ctx.conn, list(fresh))
        self._insert_packs(ctx.conn, fresh, made)
        if made:
            business_log.log_actions(
                ctx.conn,
                ctx.principal,
                Goods.name(),
                "add",
                [(key, "", self.company_id, {"source": "初始化"}) for key in made.values()],
            )
        selected = self._select_goods(ctx.conn, by_code, there | made)
        outcome.taken = len(made) + len(selected - set(made.values()))
        outcome.known = len(lines) - outcome.taken - len(outcome.refused)
        return outcome

    def _build_rows(
        self, ctx: Context, fresh: dict[str, SheetRow], outcome: OpeningOutcome
    ) -> list[dict[str, Any]]:
        """Build new goods with the ids of their type, brand and unit; an ambiguous type refuses its row."""
        types = _Types(ctx.conn)
        brands = _find_or_insert(
            ctx.conn, Brand, "brand_name", [line.values.get("brand_id") for line in fresh.values()]
        )
        units = _find_or_insert(
            ctx.conn, Unit, "unit_name", [line.values["unit_id"] for line in fresh.values()]
        )
        rows = []
        for code, line in list(fresh.items()):
            kind = types.key_of(_split_levels(line.values["goods_type_id"]))
            if kind is None:
                line.add_error(
                    _name_field(Goods.field("goods_type_id")), "有多个同名类型，请写全路径，如 轮胎/全钢胎"
                )
                outcome.refused.append(build_refused_row(line))
                del fresh[code]
                continue
            row = {
                **_writable_values(Goods, line.values),
                "goods_type_id": kind,
                "unit_id": units[line.values["unit_id"]],
            }
            row["brand_id"] = brands.get(line.values.get("brand_id", ""))
            Goods.fill_defaults(row)
            rows.append(row)
        return rows

    def _insert_packs(self, conn: Connection, fresh: Mapping[str, SheetRow], made: Mapping[str, int]) -> None:
        """Insert the packs of new goods."""
        packed = [
            (key, fresh[code].values) for code, key in made.items() if "pack_unit" in fresh[code].values
        ]
        units = _find_or_insert(conn, Unit, "unit_name", [values["pack_unit"] for _, values in packed])
        rows = [
            {
                "goods_id": key,
                "line_no": 1,
                "unit_id": units[values["pack_unit"]],
                "factor": values["pack_factor"],
                "barcode": values.get("pack_barcode"),
            }
            for key, values in packed
        ]
        if rows:
            bulk_posting.copy_rows(conn, GoodsUnit.table(), rows)

    def _select_goods(
        self, conn: Connection, lines: Mapping[str, SheetRow], goods: Mapping[str, int]
    ) -> set[int]:
        """Put goods into the company's selection; return those that were not in it."""
        table = CompanyGoods.table()
        query = select(table.c.goods_id).where(
            table.c.company_id == self.company_id, table.c.goods_id.in_(list(goods.values()))
        )
        selected: set[int] = set(conn.execute(query).scalars())
        rows = [
            {
                **_writable_values(CompanyGoods, lines[code].values),
                "company_id": self.company_id,
                "goods_id": key,
            }
            for code, key in goods.items()
            if key not in selected
        ]
        if rows:
            bulk_posting.copy_rows(conn, table, rows)
        return {row["goods_id"] for row in rows}


CODES = ("goods_num", "barcode", "pack_barcode")


def _validate_pack(line: SheetRow) -> None:
    """Add errors to a row whose pack is incomplete, or in the goods' own unit."""
    values = line.values
    if any(bad.item in PACK for bad in line.errors):
        return
    if ("pack_unit" in values) != ("pack_factor" in values):
        line.add_error(PACK_UNIT, "辅单位和换算率请一起填写")
    elif "pack_barcode" in values and "pack_unit" not in values:
        line.add_error(PACK_BARCODE, "有箱码的请填写辅单位和换算率")
    elif "pack_unit" in values and values["pack_unit"] == values.get("unit_id"):
        line.add_error(PACK_UNIT, "不能是商品自己的单位")


def _refuse_taken_codes(conn: Connection, fresh: dict[str, SheetRow], outcome: OpeningOutcome) -> None:
    """Leave out new goods one of whose codes belongs to other goods."""
    codes_by_goods = {
        code: [line.values[name] for name in CODES if line.values.get(name)] for code, line in fresh.items()
    }
    taken = (
        goods_codes.find_taken_codes(conn, {code for codes in codes_by_goods.values() for code in codes})
        if codes_by_goods
        else {}
    )
    for code, codes in codes_by_goods.items():
        # Goods of the very code that somebody has just keyed in are found when the rows are entered once more.
        others = (one for one in codes if one in taken and (one, taken[one].goods_num) != (code, code))
        if found := next(others, None):
            line = fresh.pop(code)
            line.add_error(
                Goods.field("barcode"), f"“{found}”已是商品 {taken[found].goods_num} 的编码或条形码"
            )
            outcome.refused.append(build_refused_row(line))


def _name_field(item: Field) -> Field:
    """Return a reference as a text field: its cells stay names until the record is found or inserted."""
    if not item.ref:
        return replace(item, required=True) if item.name == "goods_name" else item
    return replace(
        item, kind="text", ref=None, label_field=None, max_length=100 if item.name != "unit_id" else 20
    )


def _writable_values(cls: type[Goods] | type[CompanyGoods], values: Mapping[str, Any]) -> dict[str, Any]:
    names = {item.name for item in cls.fields() if item.writable}
    return {name: value for name, value in values.items() if name in names}


def _split_levels(path: str) -> list[str]:
    return [level.strip() for level in path.replace("／", "/").replace(">", "/").split("/")] if path else []


def _goods_by_code(conn: Connection, codes: list[str]) -> dict[str, int]:
    query = "select goods_num, goods_id from goods where goods_num = any(%s)"
    return {row.goods_num: row.goods_id for row in conn.exec_driver_sql(query, (codes,))}


def _find_or_insert(
    conn: Connection, cls: type[Brand] | type[Unit], column: str, names: Sequence[str | None]
) -> dict[str, int]:
    """Return the ids of records by their names, inserted where missing."""
    wanted = {name for name in names if name}
    table = cls.table()
    query = select(table.c[column], cls.key()).where(table.c[column].in_(sorted(wanted)))
    found: dict[str, int] = {row[0]: row[1] for row in conn.execute(query)} if wanted else {}
    fresh = sorted(wanted - found.keys())
    if fresh:
        keys = insert_records(conn, cls, [{column: name} for name in fresh])
        found |= dict(zip(fresh, keys, strict=True))
    return found


class _Types:
    """The tree of goods types, by the names on the path to each."""

    def __init__(self, conn: Connection) -> None:
        self.conn = conn
        table = GoodsType.table()
        rows = conn.execute(
            select(table.c.goods_type_id, table.c.goods_type_name, table.c.p_id).order_by(table.c.level)
        ).all()
        paths: dict[int, tuple[str, ...]] = {}
        self.by_path: dict[tuple[str, ...], int] = {}
        self.by_name: dict[str, set[int]] = {}
        for row in rows:
            paths[row.goods_type_id] = (*paths.get(row.p_id, ()), row.goods_type_name)
            self._remember(paths[row.goods_type_id], row.goods_type_id)

    def _remember(self, path: tuple[str, ...], key: int) -> None:
        self.by_path.setdefault(path, key)
        self.by_name.setdefault(path[-1], set()).add(key)

    def key_of(self, levels: Sequence[str]) -> int | None:
        """Return the type of a path, inserted where missing; of a single name the one type that bears it,
        None of several."""
        path = tuple(levels)
        if path in self.by_path:
            return self.by_path[path]
        if len(path) == 1 and path[0] in self.by_name:
            keys = self.by_name[path[0]]
            return next(iter(keys)) if len(keys) == 1 else None
        parent = self.key_of(path[:-1]) if len(path) > 1 else None
        if len(path) > 1 and parent is None:
            return None
        row = {"goods_type_name": path[-1], "p_id": parent, "level": len(path)}
        [key] = insert_records(self.conn, GoodsType, [row])
        self._remember(path, key)
        return key
