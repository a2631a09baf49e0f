"""A role without any right, over every call that asks none: masters' names and what tells them apart, what is one's own,
and nothing more. The others refuse it (test_route_rights).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from api.kit.declaration import registry
from api.kit.declaration.resource import Resource
from api.kit.http.routing import ANY_USER
from api.kit.storage.projection import MASK, column_names
from api.master.lookups.lookup_rights import list_entry_rights, list_lookup_resources, list_public_fields
from tests.identity.call_queries import build_queries, ensure_seeded
from tests.identity.test_route_rights import Call, list_calls
from tests.support.client import Caller
from tests.support.fixtures import Site
from tests.support.role_editor import changed_role

NAMES = {
    f"/{path}": registry.get_resource(name)
    for name in list_lookup_resources()
    if not registry.get_resource(name).declaration.names_confidential
    and registry.get_resource(name).bill is None
    for path in (
        f"{registry.get_resource(name).declaration.api}/getDropdown",
        registry.get_resource(name).declaration.lookup,
    )
    if path
}
"""The dropdowns and lookups of what anybody may choose among."""
OWN = {
    "/Upload/UploadFile/delReceiptImg": "files of one's own",
    "/open/BillSetting/getSettingInfo": "what forms do in one's company",
    "/open/BillSetting/getSettingInfoOption": "what forms do in one's company",
    "/open/Chain/getChainList": "names of stations, and who answers there",
    "/open/GoodsType/getGoodsTypeList": "names of types",
    "/open/RequestOpen/getRequestOpenList": "one's rights",
    "/open/Warehouse/getWarehouseFocus": "names of warehouses",
    "/open/company/getErpCompanyList": "names of one's companies",
    "/openapi.json": "how to call, to a program's token",
    "/purchase_center/Open/Customer/getCustomerList": "names",
    "/purchase_center/Open/Employee/getEmployeeList": "names",
    "/purchase_center/Open/PaymentMethod/getPaymentMethodList": "names",
    "/purchase_center/Open/Supplier/getSupplierList": "names",
    "/purchase_center/Open/Warehouse/getWarehouseList": "names",
    "/system/Supplier/getStoreList": "names",
    "/system/user/isTokenInvalid": "one's session",
    "/v2/Open/LineSheet/getFailures": "what was sent, as a file",
    "/v2/inventory/StockEarlyWarning/checkStock": "whether what one enters is there",
    "/v2/open/BroadcastVoice/getBroadcastVoice": "one's choice",
    "/v2/open/Company/getSon2CompanyInfo": "how far one's company is",
    "/v2/open/ExportLog/getExportLogList": "files of one's own",
    "/v2/open/GoodsPrice/getGoodsChainPriceNumber": "counts of what one may list",
    "/v2/open/Map/getRegions": "the country's places",
    "/v2/open/Message/getNoticeMessageList": "one's messages",
    "/v2/open/Message/getNoticeUnreadQuantity": "one's messages",
    "/v2/open/Message/getPopUplogList": "one's messages",
    "/v2/open/Message/getUserMessageCount": "one's messages",
    "/v2/open/Message/getUserMessageList": "one's messages",
    "/v2/open/Questionnaire/getQuestionnaireCount": "questions to oneself",
    "/v2/open/SalesOutstock/getSalesOutListByType": "counts of what one may list",
    "/v2/open/SalesOutstock/getSalesOutTimeoutCount": "counts of what one may list",
    "/v2/open/SalesOutstock/getSalesOutstocksList": "counts of what one may list",
    "/v2/open/ShoppingCart/newGetCartTabCount": "counts of what one may list",
    "/v2/open/SuperStation/getCustomerService": "whom stations turn to",
    "/v2/open/SuperStation/getDownloads": "programs",
    "/v2/open/Survey/createJumpNewUrl": "questions to oneself",
    "/v2/open/Survey/createJumpUrl": "questions to oneself",
    "/v2/open/Survey/getSatisfactionStatus": "questions to oneself",
    "/v2/open/TotalPrice/checkoutGoodsTotalPrice": "sums of what was sent",
    "/v2/open/UserPreference/get": "one's preferences",
    "/v2/report/Frame/getRoutes": "where reports stand, each of which asks its right",
    "/v2/report/Frame/getRefreshedAt": "how old the figures are",
    "/v2/report/Subscription/getMine": "one's subscriptions",
}
"""What else is answered, and what it tells. A call that asks no right stands here, names masters, or refuses."""


ENDING = {"/v2/user/Login/logout", "/repo_logout", "/v2/user/Login/endImitate"}
"""They end the session that asks."""


@pytest.fixture(scope="module")
def secrets(site: Site) -> list[str]:
    """Figures and contacts that are in the database; none of them is anybody's."""
    return ensure_seeded(site).figures


@pytest.fixture(scope="module")
def nobody(site: Site, secrets: list[str]) -> Caller:
    return site.as_("nobody")


def list_open_calls() -> list[Call]:
    return [call for call in list_calls() if call.right == ANY_USER and call.path not in ENDING]


def is_empty(data: Any) -> bool:
    return not data or (
        isinstance(data, dict) and not any(data.get(name) for name in ("data", "list")) and "data" in data
    )


def list_identifying_columns(cls: type[Resource]) -> set[str]:
    """Return the columns that identify a record of a class."""
    kept = [item for item in cls.fields() if item.name in list_public_fields(cls)]
    names = {name for item in kept for name in column_names(item)} | {item.label_field or "" for item in kept}
    return names | {cls.key().key} | set(cls.declaration.also_named)


def test_dropdowns_tell_names_and_what_tells_them_apart(site: Site, nobody: Caller) -> None:
    found: dict[str, set[str]] = {}
    for path, cls in NAMES.items():
        answer = nobody.get(path)
        assert answer.ok, (path, answer)
        rows = answer.data["data"] if isinstance(answer.data, dict) else answer.data
        for row in rows:
            assert row[cls.declaration.title] is not None
            found.setdefault(cls.name(), set()).update(row)
    assert {
        "customer",
        "supplier",
        "goods",
        "employee",
        "user_account",
        "warehouse",
        "company",
    } <= found.keys()
    assert {
        name: more
        for name, row in found.items()
        if (more := row - list_identifying_columns(registry.get_resource(name)))
    } == {}


def test_users_are_told_apart_by_what_they_are_not_by_what_they_log_in_with(
    site: Site, nobody: Caller
) -> None:
    """A name to log in by is half of what a guesser needs, and with it he locks its owner out."""
    [path] = [path for path, cls in NAMES.items() if cls.name() == "user_account" and "Dropdown" in path]
    rows = nobody.get(path, per_page=500).data["data"]
    assert not {row.get("user_name") for row in rows} - {None, MASK}
    assert {"realname", "company_name", "employee_name", "department_name"} <= rows[0].keys()
    with site.engine.begin() as conn:
        conn.exec_driver_sql("update user_account set realname = '王小明' where user_name = 'own2_a'")
    found = [nobody.get(path, keyword=word).data["total"] for word in ("own2_a", "王小明")]
    assert found == [0, 1], "nor is a user found by it"
    with changed_role(site.as_("admin"), site.world.role_nobody, rights=["user_account:list"]):
        assert "own2_a" in {row["user_name"] for row in site.as_("nobody").get(path).data["data"]}


def test_only_what_is_referred_to_has_a_dropdown() -> None:
    having = {call.path for call in list_calls() if call.path.endswith("/getDropdown")}
    assert having == {
        f"/{registry.get_resource(name).declaration.api}/getDropdown" for name in list_lookup_resources()
    }
    assert list_lookup_resources().isdisjoint(
        {"sales_detail", "login_log", "cost_detail", "business_log", "company_goods"}
    )


def test_every_open_call_refuses_or_tells_what_is_ones_own(
    site: Site, nobody: Caller, secrets: list[str]
) -> None:
    unnamed, told_too_much = [], []
    for call in list_open_calls():
        for query in build_queries(site, call):
            response = nobody.raw(call.method, call.path, call.body, query=query)
            # The document of all calls is a file, though of JSON.
            is_json = "json" in response.headers.get("content-type", "") and call.path != "/openapi.json"
            found = response.json() if is_json else {"code": response.status_code, "data": "file"}
            if found["code"] == 200 and not is_empty(found["data"]) and call.path not in {*NAMES, *OWN}:
                unnamed.append((call.path, str(found["data"])[:200]))
            if leaks := [secret for secret in secrets if secret in response.text]:
                told_too_much.append((call.path, query, leaks))
    assert (unnamed, told_too_much) == ([], [])


def list_rights_with_keys() -> Iterator[tuple[str, str]]:
    yield "customer", "sales_order:add"
    yield "supplier", "purchase_order:edit"
    yield "allocation", "other_inbound:add"


@pytest.mark.parametrize(("name", "right"), list(list_rights_with_keys()))
def test_who_keys_what_refers_to_it_is_told_its_list(site: Site, name: str, right: str) -> None:
    cls = registry.get_resource(name)
    assert right in list_entry_rights(name)
    path, listed = f"{cls.declaration.api}/getDropdown", {item.name for item in cls.fields() if item.list}
    listed |= {one.field.name for one, _ in cls.choice_fields}
    admin, role = site.as_("admin"), site.world.role_nobody
    for rights, more in ((["unit:list"], False), ([right], True), ([cls.right("list")], True)):
        with changed_role(admin, role, rights=rights):
            rows = site.as_("nobody").get(path).data["data"]
            assert (listed <= rows[0].keys()) is more, rights


def test_names_that_are_confided_are_refused_without_a_right(site: Site, nobody: Caller) -> None:
    confided = [
        registry.get_resource(name)
        for name in list_lookup_resources()
        if registry.get_resource(name).declaration.names_confidential
    ]
    assert {"customer_address", "potential_customer"} <= {cls.name() for cls in confided}
    for cls in confided:
        assert nobody.get(f"{cls.declaration.api}/getDropdown").code == 403
    with changed_role(site.as_("admin"), site.world.role_nobody, rights=["sales_delivery:add"]):
        assert site.as_("nobody").get("v2/custom/CustomerAddress/getDropdown").ok


def test_a_keyword_finds_by_names_alone_what_one_may_but_name(site: Site, nobody: Caller) -> None:
    path, mobile = "v2/custom/Customer/getDropdown", ensure_seeded(site).mobile
    assert site.as_("admin").get(path, keyword=mobile).data["total"] == 1
    assert nobody.get(path, keyword=mobile).data["total"] == 0
