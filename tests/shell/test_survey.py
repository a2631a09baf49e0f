"""Questionnaires for whom they are meant, answered once, and the satisfaction survey's rules on the server."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.client import Answer
from tests.support.fixtures import Site

LIST, COUNT = "v2/open/Questionnaire/getQuestionnaireList", "v2/open/Questionnaire/getQuestionnaireCount"
INFO, ANSWER = "v2/open/Questionnaire/getQuestionnaireInfo", "v2/open/Questionnaire/saveQuestionnaireAnswer"
STATUS, SAVE = "v2/open/Survey/getSatisfactionStatus", "v2/open/Survey/save"
GOOD = {
    "q1": "满意",
    "q2": "采购,销售",
    "q3": "一般",
    "q4": "非常满意",
    "q5": "操作步骤,希望有暗色界面",
    "q6": "95",
    "q7": "继续努力",
}


def create_questionnaire(site: Site, title: str, **values: Any) -> int:
    """Create a published questionnaire of four questions and return its key."""
    body = {
        "questionnaire_title": title,
        "show_msg": "邀请您填写",
        "expire_time": "2099-01-01",
        "is_published": True,
    }
    answer = site.as_("admin").post("v2/system/Questionnaire/add", {**body, **values})
    assert answer.ok, answer
    key: int = answer.data["id"]
    for sort, (question, kind, options) in enumerate(
        (("满意吗", 1, "是\n否"), ("喜欢什么", 2, "快\n稳"), ("打几分", 3, None), ("说说", 4, None)), 1
    ):
        row = {"questionnaire_id": key, "question": question, "kind": kind, "options": options, "sort": sort}
        assert site.as_("admin").post("v2/system/QuestionnaireQuestion/add", row).ok
    return key


def list_waiting(site: Site, user: str) -> dict[str, dict[str, Any]]:
    return {item["questionnaire_title"]: item for item in site.as_(user).get(LIST).data}


class TestQuestionnaires:
    def test_they_wait_for_whom_they_are_meant_until_they_expire(self, site: Site) -> None:
        create_questionnaire(site, "后台问卷", target=2)
        create_questionnaire(site, "服务站问卷", target=3)
        create_questionnaire(site, "过期问卷", expire_time="2020-01-01")
        create_questionnaire(site, "草稿问卷", is_published=False)
        assert set(list_waiting(site, "clerk_a")) == {"后台问卷"}
        assert site.as_("clerk_a").get(COUNT).data == {"count": 1}

    def test_an_answer_counts_once_and_takes_it_off_the_list(self, site: Site) -> None:
        create_questionnaire(site, "一次问卷")
        item = list_waiting(site, "own_a")["一次问卷"]
        which = {name: item[name] for name in ("questionnaire_id", "questionnaire_hash")}
        form = site.as_("own_a").get(INFO, **which).data
        assert [question["kind_name"] for question in form["questions"]] == ["单选", "多选", "打分", "填空"]
        keys = [question["question_id"] for question in form["questions"]]
        bad = [["也许"], [], ["101"], [" "]]
        refused = self.send_answer(site, which, keys, bad)
        assert [row["msg"] for row in refused.data["failures"]] == [
            "请选择",
            "请选择",
            "请输入0-100",
            "请填写",
        ]
        good = [["是"], ["快", "稳"], ["88"], ["好用"]]
        assert self.send_answer(site, which, keys, good).ok
        assert self.send_answer(site, which, keys, good).msg == "您已填写过该问卷"
        assert "一次问卷" not in list_waiting(site, "own_a")
        assert "一次问卷" in list_waiting(site, "own2_a")

    def send_answer(
        self, site: Site, which: dict[str, Any], keys: list[int], given: list[list[str]]
    ) -> Answer:
        answers = [{"question_id": key, "answer": parts} for key, parts in zip(keys, given, strict=True)]
        return site.as_("own_a").post(ANSWER, {**which, "answers": answers})

    @pytest.mark.parametrize("call", ["createJumpUrl", "createJumpNewUrl"])
    def test_the_forms_address(self, site: Site, call: str) -> None:
        """spec/1-shell.md 5: "A survey without questionnaire_id gives the warning questionnaire_id 不能为空!." """
        path = f"v2/open/Survey/{call}"
        clerk = site.as_("manager_b")
        assert clerk.get(path, action="survey_collect").msg == "questionnaire_id 不能为空!"
        create_questionnaire(site, f"地址问卷{call}")
        item = list_waiting(site, "manager_b")[f"地址问卷{call}"]
        sent = {
            name: str(item[name]) for name in ("questionnaire_id", "questionnaire_hash", "id", "show_msg")
        }
        found = clerk.get(path, action="survey_collect", **sent).data["jump_url"]
        assert found == item["jump_url"] and item["questionnaire_hash"] in found
        assert clerk.get(path, **{**sent, "questionnaire_hash": "guess"}).msg == "问卷不存在或已结束"


class TestSatisfaction:
    """spec/1-shell.md 5: "q1, q3, q4 required single choices (message 请选择); q2 and q5 required multi-choice arrays
    (请选择); q5 may add a free-text other entry; q6 required score, and if empty, not numeric or outside 0 to 100 the
    message is 请输入0-100; q7 required text (请填写). On submit q2 and q5 are joined by commas."
    """

    @pytest.mark.parametrize(
        ("name", "value", "msg"),
        [
            ("q1", "", "请选择"),
            ("q1", "还行", "请选择"),
            ("q2", "", "请选择"),
            ("q2", "采购,别的", "请选择"),
            ("q3", "", "请选择"),
            ("q4", "", "请选择"),
            ("q5", ",", "请选择"),
            ("q6", "", "请输入0-100"),
            ("q6", "九十", "请输入0-100"),
            ("q6", "100.5", "请输入0-100"),
            ("q6", "-1", "请输入0-100"),
            ("q6", "NaN", "请输入0-100"),
            ("q7", "  ", "请填写"),
        ],
    )
    def test_a_broken_answer_is_told(self, site: Site, name: str, value: str, msg: str) -> None:
        refused = site.as_("keeper_a").post(SAVE, {**GOOD, name: value})
        assert (refused.code, refused.msg) == (400, msg)
        assert site.as_("keeper_a").get(STATUS).data["status"] == 1

    def test_it_waits_until_it_is_answered(self, site: Site) -> None:
        user = site.as_("department_a")
        assert user.get(STATUS).data["status"] == 1
        assert user.post(SAVE, GOOD).ok
        assert user.get(STATUS).data["status"] == 0
        assert site.as_("manager_b").get(STATUS).data["status"] == 1
