"""Papers (证照): what identity cards and business licences say, from the lines of text on a picture of one.

Nothing is taken on trust: what fails its check digit, contradicts another field or is hardly legible is doubted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from api.kit.database import today
from api.kit.errors import Refusal
from api.master.check_digits import (
    born_on,
    is_credit_code,
    is_female,
    is_id_number,
    mended_credit_code,
    mended_id_number,
)
from api.master.text_labels import Written, labelled
from api.master.text_lines import Line, upright

LEGIBLE = 0.8
"""The engine is right in nearly all that it is surer of."""
HARDLY = "字迹不清，请核对"
RARE = "有生僻字或繁体字，请核对"
WRONG_CHECK = "校验码不符，请对照证件核对"
MENDED = "已按校验码更正，请核对"
DAY = re.compile(r"([12][0-9]{3})年([0-9]{1,2})月([0-9]{1,2})日?")


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that a paper says: its name, its label, its value, and what is doubtful about it or was mended."""

    name: str
    label: str
    value: str
    doubt: str = ""
    note: str = ""


ID_LABELS = {
    "name": ("姓名",),
    "sex": ("性别",),
    "nation": ("民族",),
    "born_on": ("出生",),
    "address": ("住址",),
    "number": ("公民身份号码", "公民身份证号码"),
}
LICENCE_LABELS = {
    "code": ("统一社会信用代码",),
    "name": ("名称", "字号名称"),
    "kind": ("类型", "主体类型"),
    "legal_person": ("法定代表人", "负责人", "经营者", "投资人", "执行事务合伙人"),
    "scope": ("经营范围",),
    "form": ("组成形式",),
    "capital": ("注册资本", "出资额"),
    "founded_on": ("成立日期", "注册日期"),
    "until": ("营业期限", "合伙期限", "经营期限"),
    "address": ("住所", "主要经营场所", "营业场所", "经营场所"),
    "registrar": ("登记机关",),
}
ID_WORDS = (*(word for words in ID_LABELS.values() for word in words), "居民身份证", "签发机关", "有效期限")
LICENCE_WORDS = ("营业执照", *(word for words in LICENCE_LABELS.values() for word in words))
"""What is printed on the one paper and not on the other."""
LICENCE_ORDER = ("营业执照", "名称", "类型", "经营范围", "登记机关")


def read_id_card(lines: list[Line]) -> list[Item]:
    """What the front of an identity card says: name, sex, nation, born_on, address, number.

    Raises:
        Refusal: there is no front of an identity card, or it is a licence.
    """
    if _count(lines, LICENCE_WORDS) > _count(lines, ID_WORDS):
        raise Refusal("这是营业执照，不是身份证，请选择身份证的人像面")
    lines = upright(lines, [words[0] for name, words in ID_LABELS.items() if name not in ("sex", "nation")])
    written = labelled(_split(lines, "民族"), ID_LABELS, long=("address",))
    number = _id_number(lines, written)
    if is_credit_code(number) and not is_id_number(number):
        raise Refusal("认出的是统一社会信用代码，不是公民身份号码，请选择身份证的人像面")
    written = _without_labels(lines, number) | written
    if not number and "name" not in written:
        if any(line.text.startswith("签发机关") for line in lines):
            raise Refusal("这是身份证的国徽面，请选择人像面")
        raise Refusal("没有认出身份证的人像面，请把证件拍正、拍清楚后重试")
    items = [
        _plain("name", "姓名", written),
        _plain("nation", "民族", written),
        _plain("address", "住址", written),
    ]
    return [item for item in (*items, *_told_by(number, written)) if item and item.value]


def _count(lines: list[Line], words: tuple[str, ...]) -> int:
    """How many of a paper's printed words begin a line."""
    return sum(any(line.text.startswith(word) for line in lines) for word in words)


def _without_labels(lines: list[Line], number: str) -> dict[str, Written]:
    """The birth and the address by where they stand: their pale labels are the first that a poor picture loses."""
    born = next((line for line in lines if DAY.search(line.text)), None)
    end = next((line for line in lines if number and number in line.text.upper().replace("×", "X")), None)
    if born is None or end is None:
        return {}
    between = [line for line in lines if born.bottom <= line.middle <= end.top and line.left < end.right]
    found = {"born_on": Written(born.text, born.score)}
    if between:
        text = "".join(line.text for line in sorted(between, key=lambda line: line.middle))
        found["address"] = Written(text.removeprefix("住址"), min(line.score for line in between))
    return found


def _id_number(lines: list[Line], written: Mapping[str, Written]) -> str:
    """What stands under the number's label, else what looks like one; empty if nothing does."""
    texts = [written["number"].text] if "number" in written else []
    texts += [line.text for line in lines]
    read = [found for text in texts for found in re.findall(r"[0-9A-Z]{17}[0-9A-Z×]", text.upper())]
    return read[0].replace("×", "X") if read else ""


def _told_by(number: str, written: Mapping[str, Written]) -> list[Item]:
    """The number, and the sex and day of birth, which it tells as well."""
    mended = mended_id_number(number)
    fits = is_id_number(mended)
    doubt = "" if fits or not number else WRONG_CHECK
    items = [Item("number", "公民身份号码", mended, doubt, MENDED if fits and mended != number else "")]
    sex = (written["sex"].text[:1] if "sex" in written else "").strip()
    born = _day(written["born_on"].text) if "born_on" in written else None
    if fits:
        told, day = "女" if is_female(mended) else "男", born_on(mended)
        differs = "与公民身份号码不一致，请核对"
        items.append(Item("sex", "性别", sex or told, differs if sex and sex != told else ""))
        items.append(Item("born_on", "出生", str(born or day), differs if born and born != day else ""))
    else:
        items += [Item("sex", "性别", sex), Item("born_on", "出生", str(born or ""))]
    return items


def read_licence(lines: list[Line]) -> list[Item]:
    """What a business licence says, of a company, a branch or a shop: code, name, kind, legal_person, capital,
    founded_on, until, address.

    Raises:
        Refusal: there is no licence, or it is an identity card.
    """
    if _count(lines, ID_WORDS) > _count(lines, LICENCE_WORDS):
        raise Refusal("这是身份证，不是营业执照，请选择营业执照")
    lines = upright(lines, LICENCE_ORDER)
    written = labelled(lines, LICENCE_LABELS, long=("code", "name", "kind", "scope", "capital", "address"))
    code = _credit_code(lines, written)
    if code is not None and code.doubt and is_id_number(code.value):
        raise Refusal("认出的是公民身份号码，不是统一社会信用代码，请选择营业执照")
    if code is None and "name" not in written:
        raise Refusal("没有认出营业执照，请把证件拍正、拍清楚后重试")
    items = [
        code,
        _plain("name", "名称", written),
        _plain("kind", "类型", written),
        _plain("legal_person", "法定代表人", written),
        _plain("capital", "注册资本", written),
        _dated("founded_on", "成立日期", written),
        _until(written),
        _plain("address", "住所", written),
    ]
    return [item for item in items if item and item.value]


def _credit_code(lines: list[Line], written: Mapping[str, Written]) -> Item | None:
    """The code: what fits its check character, else what stands under the label or looks like one."""
    texts = [written["code"].text] if "code" in written else []
    texts += [line.text for line in lines]
    read = [
        found
        for text in texts
        for found in re.findall(r"(?<![0-9A-Z])[0-9A-Z]{18}(?![0-9A-Z])", text.upper())
    ]
    for code in read:
        mended = mended_credit_code(code)
        if is_credit_code(mended):
            return Item("code", "统一社会信用代码", mended, note=MENDED if mended != code else "")
    return Item("code", "统一社会信用代码", read[0], WRONG_CHECK) if read else None


def _until(written: Mapping[str, Written]) -> Item | None:
    """The last day of the term; a licence for good has none."""
    if "until" not in written:
        return None
    days = DAY.findall(written["until"].text)
    last = _as_day(days[-1]) if len(days) > 1 else None
    if last is None:
        return None
    doubt = f"营业执照已于{last}到期" if last < today() else _doubt(written["until"])
    return Item("until", "营业执照有效期至", str(last), doubt)


def _dated(name: str, label: str, written: Mapping[str, Written]) -> Item | None:
    if name not in written:
        return None
    return Item(name, label, str(_day(written[name].text) or ""), _doubt(written[name]))


def _plain(name: str, label: str, written: Mapping[str, Written]) -> Item | None:
    return Item(name, label, written[name].text, _doubt(written[name])) if name in written else None


def _doubt(written: Written) -> str:
    if written.score < LEGIBLE:
        return HARDLY
    try:
        written.text.encode("gb2312")
    except UnicodeEncodeError:
        return RARE
    return ""


def _day(text: str) -> date | None:
    found = DAY.search(text)
    return _as_day(found.groups()) if found else None


def _as_day(parts: tuple[str, ...]) -> date | None:
    try:
        return date(*map(int, parts))
    except ValueError:
        return None


def _split(lines: list[Line], word: str) -> list[Line]:
    """The lines, those that a label stands within cut before it."""
    found = []
    for line in lines:
        at = line.text.find(word)
        cut = line.left + (line.right - line.left) * max(at, 0) / max(len(line.text), 1)
        if at > 0:
            found.append(Line(line.text[:at], line.score, line.left, line.top, cut, line.bottom))
            line = Line(line.text[at:], line.score, cut, line.top, line.right, line.bottom)
        found.append(line)
    return found
