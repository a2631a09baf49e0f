"""Factory policies: what a draft must say."""

from __future__ import annotations

from tests.support.bill_client import BillClient

DAYS = {"starts_on": "2026-01-01", "ends_on": "2026-12-31"}


class TestDraft:
    def test_it_says_something_and_its_days_are_in_order(self, desk: BillClient) -> None:
        empty = desk.add("factory_policy", policy_name="春季政策", **DAYS)
        assert empty.msg == "请填写政策内容、政策明细或上传附件"
        backwards = {"starts_on": "2026-12-31", "ends_on": "2026-01-01", "content": "满百送十"}
        late = desk.add("factory_policy", policy_name="春季政策", **backwards)
        assert late.msg == "政策失效日期不能早于政策生效日期"

    def test_its_rows_are_about_one_thing_each(self, desk: BillClient) -> None:
        both = {"goods_id": desk.world.oil, "brand_id": desk.world.brand, "policy_price": "9.5"}
        refused = desk.add("factory_policy", both, policy_name="春季政策", **DAYS)
        assert refused.msg == "第1行：请选择商品、品牌或商品类型中的一项"
        made = desk.add_audited("factory_policy", {**both, "goods_id": None}, policy_name="春季政策", **DAYS)
        [row] = desk.read_bill(made)["lines"]
        assert (row["brand_id"], row["policy_price"]) == (desk.world.brand, "9.500000")
