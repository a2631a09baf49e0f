"""Frame addresses and guest tokens: pure rules."""

from __future__ import annotations

import jwt
import pytest

from api.reporting.superset_gateway.addresses import frame_address, report_site
from api.reporting.superset_gateway.tokens import GUEST_LIFE, sign_guest_token
from reports.catalogue import embed_id, find_report

SITES = {"erp.example.cn": "https://bi.example.cn/", "127.0.0.1": ""}
INFO = find_report("BestSellerInfo")


def build_address(**changed):
    whole = {
        "base": "",
        "report": INFO,
        "tab": INFO.first_tab,
        "sees_cost": False,
        "role_id": 7,
    }
    return frame_address(**{**whole, **changed})


class TestSite:
    def test_listed_hostname(self):
        assert report_site("erp.example.cn", SITES) == "https://bi.example.cn"

    def test_own_origin(self):
        assert report_site("127.0.0.1", SITES) == ""

    @pytest.mark.parametrize("host", ["ERP.Example.CN", "erp.example.cn.", " erp.example.cn "])
    def test_spelling(self, host):
        assert report_site(host, SITES) == "https://bi.example.cn"

    @pytest.mark.parametrize(
        "host",
        [
            "",
            "evil.cn",
            "erp.example.cn.evil.cn",
            "erp.example.cn@evil.cn",
            "erp.example.cn:80",
            "a.erp.example.cn",
        ],
    )
    def test_unlisted_hostname_has_none(self, host):
        assert report_site(host, SITES) is None


class TestAddress:
    def test_ends_with_the_role(self):
        assert build_address().endswith("&role_id=7")

    def test_names_the_board_by_its_fixed_id(self):
        assert build_address(base="https://bi.cn").startswith(
            f"https://bi.cn/embedded/{embed_id('BestSellerInfo', INFO.first_tab, False)}?"
        )

    def test_cost_board_only_for_roles_that_see_cost(self):
        assert build_address(sees_cost=True).split("?")[0] != build_address().split("?")[0]

    def test_report_without_cost_has_one_board(self):
        report = find_report("accountsReceivable")
        plain, cost = (
            build_address(report=report, tab=report.first_tab, sees_cost=sees) for sees in (False, True)
        )
        assert plain == cost


class TestToken:
    def test_carries_one_board_and_one_rule(self):
        claims = jwt.decode(
            sign_guest_token("s" * 32, "board", 7, "张伟", files=False, now=1000),
            "s" * 32,
            algorithms=["HS256"],
            audience="erp-report-frames",
            options={"verify_exp": False, "verify_iat": False},
        )
        assert claims["resources"] == [{"type": "dashboard", "id": "board"}]
        assert claims["rls_rules"] == [{"clause": "role_id = 7"}]
        assert claims["files"] is False
        assert claims["exp"] - claims["iat"] == GUEST_LIFE <= 300

    def test_takes_no_rule_as_role(self):
        with pytest.raises(ValueError):
            sign_guest_token("s" * 32, "board", "7 or 1 = 1", "张伟", files=False)
