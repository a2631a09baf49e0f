"""附件: uploaded files that records hold, who may take, see and delete them, and what cleaning up leaves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import text

from api.shell.files.upload_file import upload_path
from tests.shell.test_cleanup import clear_data, preview_counts
from tests.shell.test_uploads import send_files
from tests.support.client import Answer
from tests.support.fixtures import Site
from tests.support.upload_files import VALID_FILES, build_png

RESOURCES, GROUP = "v2/system/SupplierResourceManagement", "v2/system/GroupInfo"
GET, DELETE = "v2/open/Upload/getFile", "Upload/UploadFile/delReceiptImg"


def send_upload(site: Site, name: str = "a.png", user: str = "admin", scene: str = "contract") -> str:
    """Upload a file and return its name."""
    answer = send_files(site, (name, VALID_FILES[name]), user=user, scene=scene)
    assert answer["code"] == 200, answer
    return str(answer["data"]).split("name=")[1]


def age_uploads(site: Site, *names: str) -> None:
    with site.engine.begin() as conn:
        old = text("update upload_file set made_at = now() - interval '31 days' where name = any(:names)")
        conn.execute(old, {"names": list(names)})


def add_resource(site: Site, papers: str | None, name: str = "证照齐全") -> Answer:
    return site.as_("admin").post(f"{RESOURCES}/add", {"supplier_resource_name": name, "papers": papers})


@pytest.fixture
def none_left(site: Site) -> Iterator[None]:
    yield
    with site.engine.begin() as conn:
        conn.execute(text("delete from supplier_resource where supplier_resource_name = '证照齐全'"))
        conn.execute(text("update group_info set logo = null"))


@pytest.mark.usefixtures("none_left")
class TestHeld:
    def test_it_comes_back_in_list_and_detail(self, site: Site) -> None:
        one, other = send_upload(site), send_upload(site, "a.pdf")
        key = add_resource(site, f"{one}, {other},{one}").data["id"]
        admin = site.as_("admin")
        assert admin.get(f"{RESOURCES}/getInfo", id=key).data["papers"] == f"{one},{other}"
        rows = admin.get(f"{RESOURCES}/getList", supplier_resource_name="证照齐全").data["data"]
        assert [row["papers"] for row in rows] == [f"{one},{other}"]
        screen = admin.get("v2/Open/Screen/getScreen", route="/system/newsupplier").data
        [field] = [item for item in screen["fields"] if item["name"] == "papers"]
        assert (field["type"], field["scene"]) == ("image", "contract")

    def test_cleaning_up_leaves_what_is_held_and_takes_what_was_released(self, site: Site) -> None:
        held, released, free = send_upload(site), send_upload(site), send_upload(site)
        key = add_resource(site, f"{held},{released}").data["id"]
        assert site.as_("admin").post(f"{RESOURCES}/edit", {"id": key, "papers": held}).ok
        before = preview_counts(site)["uploads"]
        age_uploads(site, held, released, free)
        assert preview_counts(site)["uploads"] - before == 2
        assert clear_data(site, "uploads").data[0]["count"] == before + 2
        assert [upload_path(name).is_file() for name in (held, released, free)] == [True, False, False]
        assert site.as_("admin").raw("GET", GET, query={"name": held}).content == VALID_FILES["a.png"]

    def test_a_held_file_is_not_deleted(self, site: Site) -> None:
        name = send_upload(site)
        key = add_resource(site, name).data["id"]
        admin = site.as_("admin")
        assert admin.post(DELETE, {"url": name}).msg == "文件已被单据引用，不能删除"
        assert admin.post(f"{RESOURCES}/edit", {"id": key, "papers": None}).ok
        assert admin.post(DELETE, {"url": name}).ok
        assert not upload_path(name).exists()


@pytest.mark.usefixtures("none_left")
class TestRefused:
    def test_a_file_that_is_not_there_or_not_ones_own(self, site: Site) -> None:
        msg = "“证照”的文件不存在或无权使用，请重新上传"
        assert add_resource(site, "nothing-there.png").msg == msg
        foreign = send_upload(site, user="manager_b")
        own = send_upload(site, user="manager_a")
        body: dict[str, Any] = {"supplier_resource_name": "证照齐全"}
        manager = site.as_("manager_a")
        assert manager.post(f"{RESOURCES}/add", {**body, "papers": foreign}).msg == msg
        added = manager.post(f"{RESOURCES}/add", {**body, "papers": own})
        assert added.ok, added

    def test_a_file_of_other_rules(self, site: Site) -> None:
        assert (
            add_resource(site, send_upload(site, scene="image")).msg
            == "“证照”的文件不存在或无权使用，请重新上传"
        )

    def test_more_than_a_contract_holds(self, site: Site) -> None:
        pictures = [send_upload(site) for _ in range(7)]
        assert add_resource(site, ",".join(pictures)).msg == "“证照”图片最多上传6张"
        papers = [send_upload(site, "a.pdf") for _ in range(4)]
        assert add_resource(site, ",".join(papers)).msg == "“证照”pdf文件最多上传3个"
        assert add_resource(site, ",".join([*pictures[:6], *papers[:3]])).ok

    @pytest.mark.parametrize("name", ["a.bmp", "a.pdf"])
    def test_a_logo_that_is_not_set_on_paper(self, site: Site, name: str) -> None:
        answer = send_files(site, (name, VALID_FILES[name]), user="admin", scene="logo")
        assert (answer["code"], answer["msg"]) == (400, "请上传jpg、jpeg、png格式的文件")
        large = send_files(site, ("a.png", build_png() + b"x" * 1024 * 1024), user="admin", scene="logo")
        assert large["msg"] == "png文件请上传1兆内"


@pytest.mark.usefixtures("none_left")
class TestSeen:
    def test_through_a_record_by_those_who_may_look_at_it(self, site: Site) -> None:
        name = send_upload(site)
        assert site.as_("manager_b").get(GET, name=name).msg == "文件不存在或无权访问"
        add_resource(site, name)
        assert site.as_("manager_b").raw("GET", GET, query={"name": name}).content == VALID_FILES["a.png"]
        assert site.as_("nobody").get(GET, name=name).msg == "文件不存在或无权访问"

    def test_what_another_took_stays_when_one_changes_something_else(self, site: Site) -> None:
        name = send_upload(site)
        key = add_resource(site, name).data["id"]
        changed = site.as_("manager_b").post(
            f"{RESOURCES}/edit", {"id": key, "papers": name, "contact_name": "李四"}
        )
        assert changed.ok, changed
        assert site.as_("admin").get(f"{RESOURCES}/getInfo", id=key).data["papers"] == name
        log = site.as_("admin").get(f"{RESOURCES}/getLog", id=key).data
        assert any((row["after"] or {}).get("contact_name") == "李四" for row in log)


@pytest.mark.usefixtures("none_left")
def test_the_group_has_one_logo(site: Site) -> None:
    admin = site.as_("admin")
    [row] = admin.get(f"{GROUP}/getList").data["data"]
    one, other = send_upload(site, scene="logo"), send_upload(site, scene="logo")
    body = {"id": row["group_info_id"]}
    assert admin.post(f"{GROUP}/edit", {**body, "logo": f"{one},{other}"}).msg == "“标志”只能上传1个文件"
    assert admin.post(f"{GROUP}/edit", {**body, "logo": other}).ok
    assert admin.get(f"{GROUP}/getInfo", id=row["group_info_id"]).data["logo"] == other
