"""SMS: what is asked for is sent once, in the states told; secrets stay here; the inner network stays out of reach."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from sqlalchemy import text

from api.kit.settings import read_settings
from api.messaging import outbound_http, sms_jobs
from api.messaging.outbound_http import UnreachableError
from api.messaging.sms_channels import fill_placeholders
from api.messaging.tables import FAILED, GATEWAY, SENT, WAITING
from tests.support.fixtures import Site

CHANNEL, TEMPLATE, BILL = "v2/system/SmsChannel", "v2/system/SmsTemplate", "v2/system/SmsBill"
MOBILE = "13800138000"
SECRET = "gateway-secret-1"


class Gateway:
    """An HTTP gateway for tests: records what it receives, answers as configured."""

    def __init__(self) -> None:
        self.status, self.answer, self.taken = 200, '{"code":0}', []  # type: ignore[var-annotated]
        gateway = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                gateway.taken.append((dict(self.headers), json.loads(body)))
                self.send_response(gateway.status)
                self.end_headers()
                self.wfile.write(gateway.answer.encode())

            def log_message(self, *_: Any) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/send?a=1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def gateway(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gateway]:
    monkeypatch.setenv("ERP_OUTSIDE_HOSTS", "127.0.0.1")
    found = Gateway()
    yield found
    found.server.shutdown()
    found.server.server_close()


@pytest.fixture(autouse=True)
def nothing_yet(site: Site) -> None:
    with site.engine.begin() as conn:
        conn.execute(text("truncate sms_bill, sms_template, sms_channel"))


def create_channel(site: Site, **values: Any) -> int:
    body = {"channel_name": "测试平台", "signature": "汽配", "is_default": True, **values}
    answer = site.as_("admin").post(f"{CHANNEL}/add", body)
    assert answer.ok, answer
    key: int = answer.data["id"]
    return key


def create_template(site: Site, content: str = "您好{name}，订单{bill_no}已发货", **values: Any) -> int:
    body = {"template_name": "发货通知", "content": content, **values}
    answer = site.as_("admin").post("v2/system/Sms/addSmsTemplate", body)
    assert answer.ok, answer
    key: int = answer.data["sms_template_id"]
    return key


def post_sms(site: Site, key: int, mobile: str = MOBILE, **values: str) -> Any:
    values = values or {"name": "张三", "bill_no": "XSCK1"}
    body = {"mobile": mobile, "sms_template_id": key, "values": values}
    return site.as_("manager_a").post("v2/system/Sms/sendSms", body)


def send_and_read(site: Site, key: int, mobile: str = MOBILE, **values: str) -> dict[str, Any]:
    """Request a message, run the worker once, and return the row."""
    answer = post_sms(site, key, mobile, **values)
    assert answer.ok, answer
    sms_jobs.send_sms(sms_bill_id=answer.data["sms_bill_id"])
    return read_row(site, answer.data["sms_bill_id"])


def read_row(site: Site, key: int) -> dict[str, Any]:
    found: dict[str, Any] = site.as_("manager_a").get(f"{BILL}/getInfo", id=key).data
    return found


def send_two(site: Site, broken: int) -> list[dict[str, Any]]:
    """Send two waiting messages, the first over a channel that breaks, and return their rows."""
    create_channel(site)
    keys = [
        post_sms(site, create_template(site, template_name="先发", sms_channel_id=broken)).data[
            "sms_bill_id"
        ],
        post_sms(site, create_template(site), "13800138001").data["sms_bill_id"],
    ]
    sms_jobs.send_waiting_sms(timestamp=0)
    return [read_row(site, key) for key in keys]


class TestSending:
    def test_the_file_takes_one_line_a_message(self, site: Site) -> None:
        create_channel(site)
        row = send_and_read(site, create_template(site))
        assert (row["state"], row["tries"], row["failure"]) == (SENT, 1, None)
        lines = (read_settings().data_dir / "sms" / "outbox.jsonl").read_text("utf-8").splitlines()
        last = json.loads(lines[-1])
        assert last["mobile"] == MOBILE
        assert last["content"] == "您好张三，订单XSCK1已发货"
        sms_jobs.send_sms(sms_bill_id=row["sms_bill_id"])
        assert (read_settings().data_dir / "sms" / "outbox.jsonl").read_text("utf-8").splitlines() == lines

    def test_the_gateway_gets_the_declared_body(self, site: Site, gateway: Gateway) -> None:
        body = '{"to": ["{mobile}"], "text": "{content}", "key": "{secret}", "n": 1}'
        create_channel(
            site,
            kind=GATEWAY,
            url=gateway.url,
            body=body,
            header="Authorization: Bearer {secret}",
            secret=SECRET,
        )
        row = send_and_read(site, create_template(site), name='","key":"', bill_no="{secret}")
        assert row["state"] == SENT
        [(headers, taken)] = gateway.taken
        told = '您好","key":"，订单{secret}已发货'
        assert taken == {"to": [MOBILE], "text": told, "key": SECRET, "n": 1}
        assert headers["Authorization"] == f"Bearer {SECRET}"

    def test_a_failing_gateway_is_tried_again_then_given_up(self, site: Site, gateway: Gateway) -> None:
        create_channel(site, kind=GATEWAY, url=gateway.url)
        gateway.status = 503
        found = send_and_read(site, create_template(site))
        assert (found["state"], found["failure"]) == (WAITING, "网关应答 503")
        sms_jobs.send_waiting_sms(timestamp=0)
        assert len(gateway.taken) == 1, "not due yet"
        for _ in range(3):
            with site.engine.begin() as conn:
                conn.execute(text("update sms_bill set next_at = now() where next_at is not null"))
            sms_jobs.send_waiting_sms(timestamp=0)
        found = read_row(site, found["sms_bill_id"])
        assert (found["state"], found["tries"], len(gateway.taken)) == (FAILED, 4, 4)

    def test_a_refusal_is_final(self, site: Site, gateway: Gateway) -> None:
        create_channel(site, kind=GATEWAY, url=gateway.url, success='"code":0', secret=SECRET)
        gateway.answer = f'{{"code":7,"msg":"{SECRET}"}}'
        row = send_and_read(site, create_template(site))
        assert row["state"] == FAILED
        assert '"code":7' in row["failure"]
        assert SECRET not in row["failure"]

    def test_a_message_that_no_gateway_can_be_asked_for_keeps_no_other_waiting(
        self, site: Site, gateway: Gateway
    ) -> None:
        header = {"header": "X-Sign: {sign}", "is_default": False}
        broken = create_channel(site, channel_name="中文签名", kind=GATEWAY, url=gateway.url, **header)
        first, second = send_two(site, broken)
        assert (first["state"], first["failure"]) == (FAILED, "网关的域名和请求头里不能有中文")
        assert second["state"] == SENT

    def test_what_nobody_foresaw_makes_one_message_wait_alone(self, site: Site, gateway: Gateway) -> None:
        """An answer with a sign that no text of the database may hold."""
        gateway.status, gateway.answer = 400, "\0"
        broken = create_channel(site, channel_name="坏网关", kind=GATEWAY, url=gateway.url, is_default=False)
        first, second = send_two(site, broken)
        assert (first["state"], first["tries"], first["failure"]) == (WAITING, 1, "发送时出错，原因见日志")
        assert second["state"] == SENT

    def test_what_a_lost_job_left_is_sent(self, site: Site) -> None:
        create_channel(site)
        key = post_sms(site, create_template(site)).data["sms_bill_id"]
        sms_jobs.send_waiting_sms(timestamp=0)
        assert read_row(site, key)["state"] == SENT


class TestAsking:
    @pytest.mark.parametrize(
        "mobile", ["1380013800", "138001380000", "23800138000", "1380013800a", "", "+8613800138000"]
    )
    def test_only_mainland_mobiles(self, site: Site, mobile: str) -> None:
        """spec/3-rules.md 5.3."""
        create_channel(site)
        assert post_sms(site, create_template(site), mobile).msg == "目前只支持中国大陆的手机号码"

    def test_one_number_is_not_flooded(self, site: Site) -> None:
        create_channel(site)
        key = create_template(site)
        assert post_sms(site, key).ok
        assert post_sms(site, key).msg == "同一手机号一分钟内最多发送1条短信，请稍后再试"
        assert post_sms(site, key, "13800138001").ok
        for hours, told in ((0.1, "一小时内最多发送5条"), (2, "一天内最多发送10条")):
            with site.engine.begin() as conn:
                conn.execute(text("delete from sms_bill"))
                ask_rows = """
                    insert into sms_bill (mobile, sms_template_id, sms_channel_id, content, company_id, user_id, asked_at)
                    select :mobile, t.sms_template_id, c.sms_channel_id, '', :company, :user, now() - make_interval(secs => :ago)
                    from sms_template t, sms_channel c, generate_series(1, 10)
                """
                world = site.world
                values = {
                    "mobile": MOBILE,
                    "company": world.company_a,
                    "user": world.user_admin,
                    "ago": hours * 3600,
                }
                conn.execute(text(ask_rows), values)
            assert told in post_sms(site, key).msg

    def test_a_placeholder_must_be_filled(self, site: Site) -> None:
        create_channel(site)
        assert post_sms(site, create_template(site), name="张三").msg == "请输入短信内容中的“bill_no”"

    def test_without_a_channel_nothing_is_taken(self, site: Site) -> None:
        assert "没有可用的短信平台" in post_sms(site, create_template(site)).msg

    def test_it_takes_the_right(self, site: Site) -> None:
        body = {"mobile": MOBILE, "sms_template_id": 1, "values": {}}
        assert site.as_("nobody").post("v2/system/Sms/sendSms", body).code == 403
        assert site.as_("nobody").get("v2/system/Sms/getSmsTemplate").code == 403

    def test_templates_to_choose_from(self, site: Site) -> None:
        key = create_template(site)
        off = site.as_("admin").post(
            f"{TEMPLATE}/add", {"template_name": "停用", "content": "x", "enabled": False}
        )
        assert off.ok
        [found] = site.as_("manager_a").get("v2/system/Sms/getSmsTemplate").data
        assert found == {
            "sms_template_id": key,
            "template_name": "发货通知",
            "content": "您好{name}，订单{bill_no}已发货",
        }


class TestChannel:
    def test_its_name_is_required(self, site: Site) -> None:
        """spec/3-rules.md 5.3: each required field has its own message."""
        assert site.as_("admin").post(f"{CHANNEL}/add", {"kind": 1}).msg == "请输入短信平台名称"

    def test_the_secret_is_written_only(self, site: Site) -> None:
        key = create_channel(site, kind=GATEWAY, url="https://sms.example.com/send", secret=SECRET)
        admin = site.as_("admin")
        answers = [
            admin.get(f"{CHANNEL}/{name}", id=key).data
            for name in ("getInfo", "getLog", "getList", "getDropdown")
        ]
        assert SECRET not in str(answers)
        with site.engine.connect() as conn:
            secret, sealed = conn.execute(text("select secret, sealed from sms_channel")).one()
            log = conn.execute(text("select string_agg(l::text, '') from business_log l")).scalar_one()
        assert secret is None
        assert sealed
        assert SECRET not in sealed + log
        assert sealed not in str(answers) + log
        assert admin.post(f"{CHANNEL}/edit", {"id": key, "signature": "新签名"}).ok
        with site.engine.connect() as conn:
            assert conn.execute(text("select sealed from sms_channel")).scalar_one() == sealed

    def test_one_default_at_a_time(self, site: Site) -> None:
        first, second = create_channel(site), create_channel(site, channel_name="另一个")
        rows = site.as_("admin").get(f"{CHANNEL}/getList").data["data"]
        assert {row["sms_channel_id"]: row["is_default"] for row in rows} == {first: False, second: True}

    @pytest.mark.parametrize(
        ("values", "told"),
        [
            ({"url": None}, "请输入网关地址"),
            ({"url": "ftp://sms.example.com"}, "网关地址应以 http"),
            ({"url": "http://user:pass@sms.example.com/"}, "网关地址应以 http"),
            ({"url": "https://sms.example.com/", "body": "[1]"}, "请求内容应是 JSON 对象"),
            ({"url": "https://sms.example.com/", "header": "X: a\r\nY: b"}, "认证请求头的格式"),
        ],
    )
    def test_a_gateway_is_checked(self, site: Site, values: dict[str, Any], told: str) -> None:
        answer = site.as_("admin").post(f"{CHANNEL}/add", {"channel_name": "坏", "kind": GATEWAY, **values})
        assert told in answer.msg


class TestOutside:
    @pytest.mark.parametrize(
        "host",
        [
            "127.0.0.1",
            "localhost",
            "10.0.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[64:ff9b::7f00:1]",
            "[2002:7f00:1::]",
            "0.0.0.0",
            "2130706433",
        ],
    )
    def test_the_inner_network_is_out_of_reach(self, site: Site, host: str) -> None:
        create_channel(site, kind=GATEWAY, url=f"http://{host}:9/")
        row = send_and_read(site, create_template(site))
        assert (row["state"], row["failure"]) == (FAILED, "不允许访问内网地址，请联系系统管理员")

    def test_redirects_are_not_followed(self, gateway: Gateway) -> None:
        gateway.status = 302
        assert outbound_http.post_json(gateway.url, {}, {})[0] == 302
        assert len(gateway.taken) == 1

    def test_too_long_an_answer_is_cut_off(self, gateway: Gateway) -> None:
        gateway.answer = "x" * (outbound_http.MOST_READ + 1)
        with pytest.raises(UnreachableError, match="过长"):
            outbound_http.post_json(gateway.url, {}, {})

    def test_placeholders_are_filled_once(self) -> None:
        assert fill_placeholders("{a}{b} {c", {"a": "{b}", "b": "x"}) == "{b}x {c"
