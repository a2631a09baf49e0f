"""Identity documents (证照): items of identity cards and business licences, from the lines of text on a
picture.

Nothing is taken on trust: what fails its check digit, contradicts another field or is hardly legible is
doubted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from api.kit.errors import Refusal
from api.kit.storage.database import today
from api.master.recognition.check_digits import (
    correct_credit_code,
    correct_id_number,
    is_credit_code,
    is_female,
    is_id_number,
    parse_birth_date,
)
from api.master.recognition.text_labels import LabeledText, read_labeled_text
from api.master.recognition.text_lines import TextLine, turn_upright

LEGIBLE_SCORE = 0.8
"""The engine is right in nearly all that it is surer of."""
HARD_TO_READ = "字迹不清，请核对"
RARE_CHARACTERS = "有生僻字或繁体字，请核对"
WRONG_CHECK = "校验码不符，请对照证件核对"
CORRECTED = "已按校验码更正，请核对"
DAY = re.compile(r"([12][0-9]{3})年([0-9]{1,2})月([0-9]{1,2})日?")


@dataclass(frozen=True, slots=True)
class PaperItem:
    """An item of a document: name, label and value, with a doubt or a note about a correction."""

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
"""Words that are printed on a licence and not on an identity card."""
LICENCE_ORDER = ("营业执照", "名称", "类型", "经营范围", "登记机关")


def read_id_card(lines: list[TextLine]) -> list[PaperItem]:
    """Return the items on the front of an identity card: name, sex, nation, born_on, address, number.

    Raises:
        Refusal: there is no front of an identity card, or it is a licence.
    """
    if _count_words(lines, LICENCE_WORDS) > _count_words(lines, ID_WORDS):
        raise Refusal("这是营业执照，不是身份证，请选择身份证的人像面")
    lines = turn_upright(
        lines, [words[0] for name, words in ID_LABELS.items() if name not in ("sex", "nation")]
    )
    written = read_labeled_text(_split_lines(lines, "民族"), ID_LABELS, long=("address",))
    number = _find_id_number(lines, written)
    if is_credit_code(number) and not is_id_number(number):
        raise Refusal("认出的是统一社会信用代码，不是公民身份号码，请选择身份证的人像面")
    written = _locate_unlabeled(lines, number) | written
    if not number and "name" not in written:
        if any(line.text.startswith("签发机关") for line in lines):
            raise Refusal("这是身份证的国徽面，请选择人像面")
        raise Refusal("没有认出身份证的人像面，请把证件拍正、拍清楚后重试")
    items = [
        _build_text_item("name", "姓名", written),
        _build_text_item("nation", "民族", written),
        _build_text_item("address", "住址", written),
    ]
    return [item for item in (*items, *_build_number_items(number, written)) if item and item.value]


def _count_words(lines: list[TextLine], words: tuple[str, ...]) -> int:
    """Return how many of a document's printed words begin a line."""
    return sum(any(line.text.startswith(word) for line in lines) for word in words)


def _locate_unlabeled(lines: list[TextLine], number: str) -> dict[str, LabeledText]:
    """Find the birth and the address by their position: a poor picture loses their pale labels first."""
    born = next((line for line in lines if DAY.search(line.text)), None)
    end = next((line for line in lines if number and number in line.text.upper().replace("×", "X")), None)
    if born is None or end is None:
        return {}
    between = [line for line in lines if born.bottom <= line.middle <= end.top and line.left < end.right]
    found = {"born_on": LabeledText(born.text, born.score)}
    if between:
        text = "".join(line.text for line in sorted(between, key=lambda line: line.middle))
        found["address"] = LabeledText(text.removeprefix("住址"), min(line.score for line in between))
    return found


def _find_id_number(lines: list[TextLine], written: Mapping[str, LabeledText]) -> str:
    """Return the text under the number's label, else the first that looks like one; empty if there is none."""
    texts = [written["number"].text] if "number" in written else []
    texts += [line.text for line in lines]
    read = [found for text in texts for found in re.findall(r"[0-9A-Z]{17}[0-9A-Z×]", text.upper())]
    return read[0].replace("×", "X") if read else ""


def _build_number_items(number: str, written: Mapping[str, LabeledText]) -> list[PaperItem]:
    """Build the items of the number, and of the sex and day of birth that it contains."""
    mended = correct_id_number(number)
    fits = is_id_number(mended)
    doubt = "" if fits or not number else WRONG_CHECK
    items = [
        PaperItem("number", "公民身份号码", mended, doubt, CORRECTED if fits and mended != number else "")
    ]
    sex = (written["sex"].text[:1] if "sex" in written else "").strip()
    born = _parse_day(written["born_on"].text) if "born_on" in written else None
    if fits:
        sex_text, day = "女" if is_female(mended) else "男", parse_birth_date(mended)
        differs = "与公民身份号码不一致，请核对"
        items.append(PaperItem("sex", "性别", sex or sex_text, differs if sex and sex != sex_text else ""))
        items.append(PaperItem("born_on", "出生", str(born or day), differs if born and born != day else ""))
    else:
        items += [PaperItem("sex", "性别", sex), PaperItem("born_on", "出生", str(born or ""))]
    return items


def read_licence(lines: list[TextLine]) -> list[PaperItem]:
    """Return the items of a business licence, of a company, a branch or a shop.

    They are code, name, kind, legal_person, capital, founded_on, until and address.

    Raises:
        Refusal: there is no licence, or it is an identity card.
    """
    if _count_words(lines, ID_WORDS) > _count_words(lines, LICENCE_WORDS):
        raise Refusal("这是身份证，不是营业执照，请选择营业执照")
    lines = turn_upright(lines, LICENCE_ORDER)
    written = read_labeled_text(
        lines, LICENCE_LABELS, long=("code", "name", "kind", "scope", "capital", "address")
    )
    code = _find_credit_code(lines, written)
    if code is not None and code.doubt and is_id_number(code.value):
        raise Refusal("认出的是公民身份号码，不是统一社会信用代码，请选择营业执照")
    if code is None and "name" not in written:
        raise Refusal("没有认出营业执照，请把证件拍正、拍清楚后重试")
    items = [
        code,
        _build_text_item("name", "名称", written),
        _build_text_item("kind", "类型", written),
        _build_text_item("legal_person", "法定代表人", written),
        _build_text_item("capital", "注册资本", written),
        _build_date_item("founded_on", "成立日期", written),
        _build_expiry_item(written),
        _build_text_item("address", "住所", written),
    ]
    return [item for item in items if item and item.value]


def _find_credit_code(lines: list[TextLine], written: Mapping[str, LabeledText]) -> PaperItem | None:
    """Build the code's item: what fits its check character, else what stands under the label or looks like
    one."""
    texts = [written["code"].text] if "code" in written else []
    texts += [line.text for line in lines]
    read = [
        found
        for text in texts
        for found in re.findall(r"(?<![0-9A-Z])[0-9A-Z]{18}(?![0-9A-Z])", text.upper())
    ]
    for code in read:
        mended = correct_credit_code(code)
        if is_credit_code(mended):
            return PaperItem("code", "统一社会信用代码", mended, note=CORRECTED if mended != code else "")
    return PaperItem("code", "统一社会信用代码", read[0], WRONG_CHECK) if read else None


def _build_expiry_item(written: Mapping[str, LabeledText]) -> PaperItem | None:
    """Build the item of the term's last day; None for a licence without end."""
    if "until" not in written:
        return None
    days = DAY.findall(written["until"].text)
    last = _build_date(days[-1]) if len(days) > 1 else None
    if last is None:
        return None
    doubt = f"营业执照已于{last}到期" if last < today() else _describe_doubt(written["until"])
    return PaperItem("until", "营业执照有效期至", str(last), doubt)


def _build_date_item(name: str, label: str, written: Mapping[str, LabeledText]) -> PaperItem | None:
    if name not in written:
        return None
    return PaperItem(name, label, str(_parse_day(written[name].text) or ""), _describe_doubt(written[name]))


def _build_text_item(name: str, label: str, written: Mapping[str, LabeledText]) -> PaperItem | None:
    return (
        PaperItem(name, label, written[name].text, _describe_doubt(written[name]))
        if name in written
        else None
    )


def _describe_doubt(written: LabeledText) -> str:
    if written.score < LEGIBLE_SCORE:
        return HARD_TO_READ
    try:
        written.text.encode("gb2312")
    except UnicodeEncodeError:
        return RARE_CHARACTERS
    return ""


def _parse_day(text: str) -> date | None:
    found = DAY.search(text)
    return _build_date(found.groups()) if found else None


def _build_date(parts: tuple[str, ...]) -> date | None:
    try:
        return date(*map(int, parts))
    except ValueError:
        return None


def _split_lines(lines: list[TextLine], word: str) -> list[TextLine]:
    """Return the lines; one that contains `word` is cut before it."""
    found = []
    for line in lines:
        at = line.text.find(word)
        cut = line.left + (line.right - line.left) * max(at, 0) / max(len(line.text), 1)
        if at > 0:
            found.append(TextLine(line.text[:at], line.score, line.left, line.top, cut, line.bottom))
            line = TextLine(line.text[at:], line.score, cut, line.top, line.right, line.bottom)
        found.append(line)
    return found
