"""文件上传 (spec/3-rules.md 5.5, 5.6): what is taken, how it is shown, whose it is, and the log of it all."""

from __future__ import annotations

import zlib
from typing import Any

import orjson
import pytest
from sqlalchemy import text

from api.shell.files import upload_file
from tests.support.fixtures import Site
from tests.support.upload_files import VALID_FILES, build_bmp, build_jpeg, build_pdf, build_png

PATH = "/v2/open/Upload/uploadImg"
MEGABYTE = 1024 * 1024


def pack_objects(objects: bytes, kind: bytes = b"/ObjStm") -> bytes:
    """Return objects of a PDF in a compressed stream, as most programs write them today."""
    data = zlib.compress(objects)
    return (
        b">> endobj 2 0 obj << /Type "
        + kind
        + b" /Filter /FlateDecode >> stream\r\n"
        + data
        + b"\nendstream <<"
    )


def send_files(site: Site, *files: tuple[str, bytes], user: str = "clerk_a", **form: str) -> dict[str, Any]:
    response = site.http.post(
        PATH,
        data=form,
        files=[("file", file) for file in files],
        headers={"token": site.world.tokens[user]},
    )
    found: dict[str, Any] = orjson.loads(response.content)
    return found


def upload_accepted(site: Site, name: str = "a.png", user: str = "clerk_a") -> str:
    answer = send_files(site, (name, VALID_FILES[name]), user=user)
    assert answer["code"] == 200, answer
    url: str = answer["data"]
    return url


class TestTaken:
    @pytest.mark.parametrize("name", VALID_FILES)
    @pytest.mark.parametrize("scene", ["image", "contract"])
    def test_each_kind_is_shown_as_it_was_sent(self, site: Site, name: str, scene: str) -> None:
        answer = send_files(site, (name, VALID_FILES[name]), scene=scene)
        shown = site.as_("clerk_a").raw("GET", answer["data"])
        assert (shown.status_code, shown.content) == (200, VALID_FILES[name])

    def test_it_is_served_so_that_nothing_in_it_runs(self, site: Site) -> None:
        headers = site.as_("clerk_a").raw("GET", upload_accepted(site)).headers
        assert headers["content-type"] == "image/png"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["content-security-policy"] == "default-src 'none'; sandbox"
        assert headers["content-disposition"].startswith("inline")
        assert headers["cache-control"].startswith("private")

    def test_names_are_random_and_say_nothing(self, site: Site) -> None:
        one, other = upload_accepted(site), upload_accepted(site)
        assert one != other
        assert "a.png" not in one.split("name=")[1][:-4]


class TestRefused:
    """spec/3-rules.md 5.5: {types} by name, case-insensitive; {ext} by size; 5.6: contracts have their own."""

    @pytest.mark.parametrize(
        ("name", "content", "scene", "msg"),
        [
            ("a.exe", b"MZ", "image", "请上传jpg、jpeg、png、bmp、pdf格式的文件"),
            ("a.svg", b"<svg onload='x'/>", "image", "请上传jpg、jpeg、png、bmp、pdf格式的文件"),
            ("png", build_png(), "image", "请上传jpg、jpeg、png、bmp、pdf格式的文件"),
            ("a.png", build_png() + b"x" * 10 * MEGABYTE, "image", "png文件请上传10兆内"),
            ("a.PDF", build_pdf(b"x" * 10 * MEGABYTE), "image", "pdf文件请上传10兆内"),
            ("a.png", b"", "image", "文件是空的，请重新选择文件"),
            ("a.gif", b"GIF89a", "contract", "只能上传pdf和图片"),
            ("a.bmp", build_bmp() + b"x" * 2 * MEGABYTE, "contract", "图片大小不能超过2MB"),
            ("a.pdf", build_pdf(b"x" * 10 * MEGABYTE), "contract", "pdf文件大小不能超过10MB"),
            ("a.png", build_jpeg(), "image", "文件内容不是png，请重新选择文件"),
            ("a.jpg", b"<html>", "image", "文件内容不是jpg，请重新选择文件"),
            ("a.bmp", build_png(), "image", "文件内容不是bmp，请重新选择文件"),
            ("a.pdf", b"<html>%PDF-1.4", "image", "文件内容不是pdf，请重新选择文件"),
            ("a.png", build_png() + b"PK\x03\x04", "image", "图片里夹带了别的内容，已拒绝上传"),
            ("a.jpg", build_jpeg() + b"<script>", "image", "图片里夹带了别的内容或已损坏，已拒绝上传"),
            ("a.bmp", build_bmp() + b"PK", "image", "图片里夹带了别的内容或已损坏，已拒绝上传"),
            ("a.pdf", build_pdf() + b"PK\x03\x04", "image", "pdf文件已损坏或夹带了别的内容，已拒绝上传"),
            (
                "a.pdf",
                build_pdf(b"/OpenAction << /JS (x) >>"),
                "image",
                "pdf文件含有脚本、附件或自动动作，已拒绝上传",
            ),
            *(
                ("a.pdf", build_pdf(hidden), "image", "pdf文件含有脚本、附件或自动动作，已拒绝上传")
                for hidden in (
                    b"/AcroForm << /S /J#61vaScript >>",
                    b"/#4a#53 (x)",
                    b"/Open#41ction 3 0 R",
                    pack_objects(b"<< /S /JavaScript >>"),
                    pack_objects(b"<< /#4cau#6ech 1 >>", b"/Obj#53tm"),
                )
            ),
            (
                "a.pdf",
                build_pdf(b"/Type /ObjStm >> stream\nnot packed\nendstream <<"),
                "image",
                "pdf文件已加密或无法检查，请另存为普通pdf后上传",
            ),
            ("a.png", build_png(60000, 60000), "image", "图片尺寸过大（60000×60000），请缩小后上传"),
            ("a.jpg", build_jpeg(65535, 1000), "image", "图片尺寸过大（65535×1000），请缩小后上传"),
            ("a.bmp", build_bmp(15000, 15000), "image", "图片尺寸过大（15000×15000），请缩小后上传"),
            ("a.png", build_png()[:40], "image", "图片已损坏，请重新选择文件"),
            ("a.jpg", b"\xff\xd8\xff\xd9", "image", "图片已损坏，请重新选择文件"),
            ("a.png", build_png(), "virus", "上传的用途不正确"),
        ],
    )
    def test_it_says_why(self, site: Site, name: str, content: bytes, scene: str, msg: str) -> None:
        answer = send_files(site, (name, content), scene=scene)
        assert (answer["code"], answer["msg"]) == (400, msg)

    def test_one_at_a_time(self, site: Site) -> None:
        answer = send_files(site, ("a.png", build_png()), ("b.png", build_png()))
        assert (answer["code"], answer["msg"]) == (400, "只能上传1个文件")

    def test_an_ordinary_pdf_is_taken(self, site: Site) -> None:
        """Objects are packed, a name has a number in it, and the picture's bytes look like a script's name."""
        harmless = (
            pack_objects(b"<< /Type /Page /Lime#20Green 1 >>")
            + b">> stream\n\x00/JSx\x01/JavaScripted\nendstream <<"
        )
        assert send_files(site, ("a.pdf", build_pdf(harmless)))["code"] == 200


class TestQuota:
    @pytest.fixture(autouse=True)
    def few(self, monkeypatch: pytest.MonkeyPatch, site: Site) -> None:
        monkeypatch.setattr(upload_file, "MOST_FILES", 2)
        with site.engine.begin() as conn:
            conn.execute(text("update upload_file set made_at = made_at - interval '2 days'"))

    def test_so_many_a_day_and_user(self, site: Site) -> None:
        for _ in range(2):
            upload_accepted(site, user="keeper_a")
        answer = send_files(site, ("a.png", build_png()), user="keeper_a")
        told = "您24小时内上传的文件已达上限（2 个、1024 MB），请稍后再传或删除不用的"
        assert (answer["code"], answer["msg"]) == (400, told)
        upload_accepted(site, user="clerk_a")
        with site.engine.begin() as conn:
            conn.execute(text("update upload_file set made_at = made_at - interval '25 hours'"))
        upload_accepted(site, user="keeper_a")

    def test_so_many_bytes(self, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(upload_file, "MOST_BYTES", len(build_png()) + 1)
        upload_accepted(site, user="keeper_a")
        assert send_files(site, ("a.png", build_png()), user="keeper_a")["code"] == 400


class TestWhose:
    def test_another_company_does_not_see_it(self, site: Site) -> None:
        url = upload_accepted(site)
        assert site.as_("manager_a").raw("GET", url).headers["content-type"] == "image/png"
        assert site.as_("manager_b").get(url.split("?")[0], name=url.split("name=")[1]).code == 400
        assert site.anonymous().get(url.split("?")[0], name=url.split("name=")[1]).code == 401

    def test_it_is_deleted_by_who_sent_it_alone(self, site: Site) -> None:
        url = upload_accepted(site)
        path = "Upload/UploadFile/delReceiptImg"
        assert site.as_("manager_a").post(path, {"url": url}).msg == "文件不存在或无权访问"
        assert site.as_("clerk_a").post(path, {"url": url}).ok
        assert site.as_("clerk_a").get(url.split("?")[0], name=url.split("name=")[1]).code == 400
        assert site.as_("clerk_a").post(path, {"url": url}).code == 400

    def test_a_path_is_no_name(self, site: Site) -> None:
        for name in ("../../secrets.json", "..%2f..%2fsecrets.json", "/etc/passwd"):
            assert site.as_("admin").get("v2/open/Upload/getFile", name=name).msg == "文件不存在或无权访问"


class TestLog:
    """/system/jybdlog: who uploaded which file when, and the result."""

    def test_taken_and_refused_ones_are_listed(self, site: Site) -> None:
        upload_accepted(site, "a.bmp")
        send_files(site, ("..\\..\\坏.exe", b"MZ"))
        rows = site.as_("admin").get("v2/system/UploadLog/getList", order_key="upload_log_id").data["data"]
        refused, sent = rows[0], rows[1]
        assert (sent["file_name"], sent["result"], sent["purpose"]) == ("a.bmp", 1, "图片上传")
        assert (refused["file_name"], refused["result"]) == ("坏.exe", 2)
        assert refused["message"] == "请上传jpg、jpeg、png、bmp、pdf格式的文件"
        assert refused["user_realname"]
        assert refused["company_name"] == "A分公司"

    def test_another_companys_uploads_are_not(self, site: Site) -> None:
        upload_accepted(site, "a.pdf", user="manager_b")
        rows = site.as_("manager_a").get("v2/system/UploadLog/getList", per_page=500).data["data"]
        assert {row["company_name"] for row in rows} == {"A分公司"}
