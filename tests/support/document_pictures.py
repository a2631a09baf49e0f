"""Pictures of identity documents, drawn as they are printed: nobody's identity card, nobody's licence."""

from __future__ import annotations

import io
import random
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFilter, ImageFont

INK, BLUE = (25, 25, 35), (60, 110, 170)


def _load_font(size: int) -> Any:
    spec = find_spec("pylopdf_fonts_zh_cn")
    assert spec and spec.origin
    return ImageFont.truetype(str(Path(spec.origin).with_name("NotoSansSC-Regular.otf")), size)


def _write_text(
    draw: Any, at: tuple[int, int], text: str, size: int, ink: tuple[int, int, int] = INK
) -> None:
    draw.text(at, text, font=_load_font(size), fill=ink)


def draw_id_card(
    number: str = "11010519491231002X",
    *,
    name: str = "韦小宝",
    sex: str = "女",
    born: str = "1949 年 12 月 31 日",
) -> Image.Image:
    """Draw the front of an identity card, 856 × 540 as on paper."""
    card = Image.new("RGB", (1070, 675), (226, 236, 244))
    draw = ImageDraw.Draw(card)
    for row in range(0, 675, 9):
        draw.line([(0, row), (1070, row + 40)], fill=(214, 228, 240))
    rows = (("姓 名", name, 75), ("出 生", born, 230), ("住 址", "浙江省杭州市西湖区文三路", 310))
    for label, value, top in rows:
        _write_text(draw, (60, top), label, 28, BLUE)
        _write_text(draw, (190, top - 4), value, 36)
    for left, label, value in ((60, "性 别", sex), (330, "民 族", "汉")):
        _write_text(draw, (left, 152), label, 28, BLUE)
        _write_text(draw, (left + 130, 148), value, 36)
    _write_text(draw, (190, 360), "199号2幢301室", 36)
    draw.rectangle([720, 90, 1000, 440], fill=(190, 196, 205))
    _write_text(draw, (60, 570), "公民身份号码", 28, BLUE)
    _write_text(draw, (340, 560), " ".join((number[:6], number[6:14], number[14:])), 42)
    return card


def draw_card_back() -> Image.Image:
    """Draw the side with the emblem."""
    card = Image.new("RGB", (1070, 675), (226, 236, 244))
    draw = ImageDraw.Draw(card)
    for top, size, text in ((120, 70, "中华人民共和国"), (240, 84, "居民身份证")):
        _write_text(draw, (330, top), text, size)
    _write_text(draw, (230, 480), "签发机关  杭州市公安局西湖分局", 34)
    _write_text(draw, (230, 550), "有效期限  2015.03.02-2035.03.02", 34)
    return card


COMPANY: dict[str, str] = {
    "code": "91350100M000100Y43",
    "name": "杭州顺达汽车配件有限公司",
    "kind": "有限责任公司(自然人投资或控股)",
    "person": "法定代表人",
    "legal_person": "周建国",
    "capital": "壹佰万元整",
    "founded": "2018年03月15日",
    "term": "2018年03月15日至2068年03月14日",
    "place": "住所",
    "address": "浙江省杭州市西湖区文三路199号",
    "more": "创业中心2幢301室",
}


def draw_licence(**given: str) -> Image.Image:
    """Draw a business licence, two columns under a code in the corner."""
    said = COMPANY | given
    sheet = Image.new("RGB", (1600, 1130), (250, 248, 238))
    draw = ImageDraw.Draw(sheet)
    draw.rectangle([30, 30, 1570, 1100], outline=(180, 150, 90), width=6)
    _write_text(draw, (90, 150), "统一社会信用代码", 24)
    _write_text(draw, (90, 190), said["code"], 34)
    _write_text(draw, (580, 120), "营 业 执 照", 88)
    _write_text(draw, (740, 240), "(副 本)", 34)
    left = (("名  称", said["name"]), ("类  型", said["kind"]), (said["person"], said["legal_person"]))
    scope = (
        "一般项目：汽车零配件批发；轮胎销售；润滑油",
        "销售；机动车修理和维护(依法须经批准的项目，",
        "经相关部门批准后方可开展经营活动)。",
    )
    for row, (label, value) in enumerate((*left, ("经营范围", scope[0]))):
        _write_text(draw, (90, 360 + 75 * row), label, 28)
        _write_text(draw, (270, 360 + 75 * row), value, 28)
    for row, text in enumerate(scope[1:]):
        _write_text(draw, (270, 625 + 40 * row), text, 28)
    right = (
        ("注册资本", said["capital"]),
        ("成立日期", said["founded"]),
        ("营业期限", said["term"]),
        (said["place"], said["address"]),
    )
    filled = [pair for pair in right if pair[1]]
    for row, (label, value) in enumerate(filled):
        _write_text(draw, (900, 360 + 75 * row), label, 28)
        _write_text(draw, (1060, 360 + 75 * row), value, 28)
    _write_text(draw, (1060, 325 + 75 * len(filled)), said["more"], 28)
    _write_text(draw, (900, 880), "登记机关", 34)
    _write_text(draw, (1060, 960), "2023 年 06 月 08 日", 30)
    _write_text(
        draw,
        (90, 1050),
        "市场主体应当于每年1月1日至6月30日通过国家企业信用信息公示系统报送公示年度报告。",
        20,
    )
    return sheet


def add_noise(picture: Image.Image, seed: int = 1) -> Image.Image:
    """Blur, dim and roughen a picture as a cheap camera does in poor light."""
    chance = random.Random(seed)
    blurred = picture.filter(ImageFilter.GaussianBlur(1.2)).point(lambda value: int(value * 0.75))
    grain = Image.frombytes("L", picture.size, chance.randbytes(picture.width * picture.height))
    return Image.blend(blurred, Image.merge("RGB", (grain, grain, grain)), 0.12)


def encode_jpeg(picture: Image.Image, quality: int = 85) -> bytes:
    """Return the picture as a JPEG file."""
    target = io.BytesIO()
    picture.save(target, "JPEG", quality=quality)
    return target.getvalue()


def encode_png(picture: Image.Image) -> bytes:
    """Return the picture as a PNG file."""
    target = io.BytesIO()
    picture.save(target, "PNG")
    return target.getvalue()
