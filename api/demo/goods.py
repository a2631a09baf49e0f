"""The demo group's goods (演示商品): tyres by brand, pattern and size, and car parts."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import count

TYPES = {
    "轮胎": {"乘用车轮胎": ("轿车轮胎", "SUV轮胎", "冬季轮胎"), "商用车轮胎": ("轻卡轮胎", "卡客车轮胎")},
    "汽车配件": {
        "制动系统": ("刹车片", "刹车盘"),
        "滤清系统": ("机油滤清器", "空气滤清器", "空调滤清器"),
        "电气系统": ("蓄电池", "火花塞", "车灯灯泡"),
        "车身附件": ("雨刮片",),
    },
    "油品养护": {"润滑油": ("发动机油", "变速箱油"), "养护用品": ("防冻液", "玻璃水", "制动液")},
}

# brand: (price level, factory code's letters, summer patterns, winter patterns)
TYRE_BRANDS = {
    "米其林": (1.45, "MI", ("PRIMACY 4", "ENERGY XM2+", "PILOT SPORT 4", "CROSSCLIMATE 2"), ("X-ICE SNOW",)),
    "马牌": (1.35, "CO", ("UC6", "MC6", "CC6"), ("VIKINGCONTACT 7",)),
    "普利司通": (1.30, "BS", ("TURANZA 6", "ECOPIA EP300", "POTENZA S007"), ("BLIZZAK VRX",)),
    "固特异": (1.22, "GY", ("ASSURANCE MAXGUARD", "EAGLE F1"), ("ULTRA GRIP ICE",)),
    "倍耐力": (1.40, "PI", ("CINTURATO P7", "P ZERO", "SCORPION VERDE"), ("ICE ZERO",)),
    "邓禄普": (1.12, "DL", ("SP SPORT LM705", "VEURO VE304", "ENASAVE EC300+"), ("WINTER MAXX WM02",)),
    "优科豪马": (1.15, "YO", ("ADVAN DB V552", "BLUEARTH AE50"), ("ICEGUARD IG60",)),
    "韩泰": (1.05, "HK", ("VENTUS PRIME 3 K125", "KINERGY ECO2 K435"), ("WINTER I*CEPT IZ2",)),
    "锦湖": (0.95, "KH", ("SOLUS TA31", "ECSTA HS51"), ("WINTERCRAFT WI31",)),
    "耐克森": (0.93, "NX", ("N'BLUE HD PLUS", "N'FERA SU1"), ("WINGUARD ICE",)),
    "佳通": (0.78, "GT", ("COMFORT 228", "SUV 520", "CHAMPIRO VP1"), ("WINTERPRO2",)),
    "玲珑": (0.70, "LL", ("CROSSWIND R618", "GREEN-MAX HP010"), ("ICE MASTER",)),
    "朝阳": (0.66, "ZC", ("RP18", "SA37", "SU318"), ("SW606",)),
    "三角": (0.68, "TR", ("TR928", "TH201", "TE301"), ("PL02",)),
    "双星": (0.62, "DX", ("DH02", "DS01"), ("DW02",)),
}
# size: (load, speed, yuan at price level 1, type)
TYRE_SIZES = {
    "165/70R14": ("81", "T", 205, "轿车轮胎"),
    "175/65R14": ("82", "T", 215, "轿车轮胎"),
    "185/60R15": ("84", "H", 245, "轿车轮胎"),
    "185/65R15": ("88", "H", 255, "轿车轮胎"),
    "195/55R15": ("85", "V", 275, "轿车轮胎"),
    "195/60R16": ("89", "H", 310, "轿车轮胎"),
    "195/65R15": ("91", "V", 265, "轿车轮胎"),
    "205/50R17": ("93", "W", 420, "轿车轮胎"),
    "205/55R16": ("91", "V", 330, "轿车轮胎"),
    "205/60R16": ("92", "V", 345, "轿车轮胎"),
    "215/45R17": ("91", "W", 450, "轿车轮胎"),
    "215/50R17": ("95", "V", 440, "轿车轮胎"),
    "215/55R17": ("94", "V", 445, "轿车轮胎"),
    "215/60R16": ("95", "V", 390, "轿车轮胎"),
    "225/45R17": ("94", "W", 455, "轿车轮胎"),
    "225/45R18": ("95", "Y", 540, "轿车轮胎"),
    "225/50R17": ("98", "W", 480, "轿车轮胎"),
    "225/55R17": ("101", "W", 490, "轿车轮胎"),
    "235/45R18": ("98", "Y", 590, "轿车轮胎"),
    "245/45R18": ("100", "Y", 640, "轿车轮胎"),
    "245/40R19": ("98", "Y", 760, "轿车轮胎"),
    "215/65R16": ("98", "H", 410, "SUV轮胎"),
    "225/60R17": ("99", "H", 495, "SUV轮胎"),
    "225/65R17": ("102", "H", 505, "SUV轮胎"),
    "235/60R18": ("107", "V", 610, "SUV轮胎"),
    "235/55R19": ("105", "V", 730, "SUV轮胎"),
    "255/50R20": ("109", "Y", 890, "SUV轮胎"),
    "265/65R17": ("112", "T", 680, "SUV轮胎"),
}
TRUCK_BRANDS = ("佳通", "玲珑", "朝阳", "三角", "双星", "米其林")
TRUCK_SIZES = {
    "185R14LT": ("102/100", "R", 300, "轻卡轮胎"),
    "7.00R16LT": ("118/114", "L", 560, "轻卡轮胎"),
    "11R22.5": ("148/145", "M", 1480, "卡客车轮胎"),
    "12R22.5": ("152/149", "M", 1560, "卡客车轮胎"),
    "295/80R22.5": ("154/149", "M", 1650, "卡客车轮胎"),
    "315/80R22.5": ("157/154", "L", 1780, "卡客车轮胎"),
}
TRUCK_PATTERNS = ("GSR225", "D933", "CM998", "TR691", "DSR08", "X MULTI D")

VEHICLES = (
    "大众朗逸",
    "丰田卡罗拉",
    "日产轩逸",
    "本田CR-V",
    "哈弗H6",
    "别克英朗",
    "吉利博越",
    "长安CS75",
    "比亚迪宋",
    "五菱宏光",
    "大众帕萨特",
    "大众途观",
    "丰田凯美瑞",
    "丰田RAV4",
    "本田雅阁",
    "本田思域",
    "日产天籁",
    "日产奇骏",
    "别克君威",
    "福特福克斯",
    "现代伊兰特",
    "起亚智跑",
    "奥迪A4L",
    "宝马3系",
    "奔驰C级",
    "哈弗大狗",
    "吉利帝豪",
    "比亚迪秦",
    "奇瑞瑞虎8",
    "荣威RX5",
)
# ruff: noqa: E501 (a table reads best a row a line)
# kind: (unit, margin, [(brand, price level, code letters)], [(specification, yuan)] or none: one for each vehicle,
# the yuan of the first vehicle)
PARTS: dict[str, tuple[str, float, list[tuple[str, float, str]], Sequence[tuple[str, float]], int]] = {
    "刹车片": ("套", 0.34, [("博世", 1.2, "BP"), ("菲罗多", 1.15, "FDB"), ("天合", 1.0, "GDB"), ("信义", 0.6, "SN")], [], 145),
    "刹车盘": ("只", 0.30, [("博世", 1.2, "BD"), ("布雷博", 1.5, "09"), ("天合", 1.0, "DF")], [], 190),
    "机油滤清器": ("只", 0.42, [("曼牌", 1.3, "W"), ("马勒", 1.2, "OC"), ("博世", 1.1, "OF"), ("豹王", 0.6, "BW")], [], 24),
    "空气滤清器": ("只", 0.42, [("曼牌", 1.3, "C"), ("马勒", 1.2, "LX"), ("博世", 1.1, "AF")], [], 38),
    "空调滤清器": ("只", 0.45, [("曼牌", 1.3, "CU"), ("马勒", 1.2, "LA"), ("博世", 1.1, "CF")], [], 42),
    "蓄电池": ("只", 0.22, [("瓦尔塔", 1.2, "VT"), ("骆驼", 0.85, "CM"), ("风帆", 0.9, "SL"), ("汤浅", 1.05, "YU")],
             [("36B20L 12V36Ah", 265), ("55B24L 12V45Ah", 315), ("L2-400 12V60Ah", 390), ("L3-500 12V70Ah", 455), ("AGM H6 12V70Ah", 820)], 0),
    "火花塞": ("只", 0.40, [("NGK", 1.1, "ILZKR"), ("电装", 1.1, "SK"), ("博世", 1.0, "FR")],
             [("镍合金 14mm", 14), ("铂金 14mm", 32), ("铱金 12mm", 48), ("铱铂金 12mm", 62)], 0),
    "车灯灯泡": ("只", 0.48, [("飞利浦", 1.1, "PH"), ("欧司朗", 1.1, "OS"), ("雷士", 0.7, "NV")],
              [("H1 12V55W", 16), ("H4 12V60/55W", 19), ("H7 12V55W", 21), ("H11 12V55W", 29), ("LED H7 6000K", 168)], 0),
    "雨刮片": ("支", 0.46, [("博世", 1.2, "AR"), ("法雷奥", 1.1, "VM"), ("三力", 0.6, "SL")],
             [("无骨 16寸", 28), ("无骨 18寸", 30), ("无骨 20寸", 33), ("无骨 22寸", 35), ("无骨 24寸", 38), ("无骨 26寸", 41)], 0),
    "发动机油": ("桶", 0.26, [("美孚", 1.2, "MB"), ("壳牌", 1.15, "SH"), ("嘉实多", 1.15, "CA"), ("长城", 0.8, "GW"), ("昆仑", 0.75, "KL")],
              [("10W-40 SN 4L", 118), ("5W-30 SP 4L", 178), ("5W-40 SP 4L", 188), ("0W-20 SP 4L", 238), ("15W-40 CI-4 18L", 360)], 0),
    "变速箱油": ("桶", 0.30, [("美孚", 1.2, "MB"), ("嘉实多", 1.1, "CA"), ("爱信", 1.15, "AW")],
              [("ATF 6速 4L", 260), ("CVT 4L", 285), ("DCT 1L", 98)], 0),
    "防冻液": ("桶", 0.38, [("壳牌", 1.1, "SH"), ("长城", 0.85, "GW"), ("蓝星", 0.8, "LX")],
             [("-25℃ 4L", 52), ("-35℃ 4L", 62), ("-45℃ 10L", 145)], 0),
    "玻璃水": ("瓶", 0.50, [("龟牌", 1.1, "TW"), ("蓝星", 0.8, "LX"), ("车仆", 0.9, "CP")],
             [("0℃ 2L", 8), ("-25℃ 2L", 13), ("-40℃ 2L", 17)], 0),
    "制动液": ("瓶", 0.44, [("博世", 1.1, "BF"), ("壳牌", 1.1, "SH"), ("长城", 0.8, "GW")],
             [("DOT4 500ml", 28), ("DOT4 1L", 45), ("DOT5.1 500ml", 58)], 0),
}  # fmt: skip


@dataclass(slots=True)
class DemoGoods:
    """One goods: its master columns, cost and price with tax (yuan), and its demand.

    `popularity` is its share of sales, `season` the name of its demand curve, `pack` the usual quantity of
    a line, `carton` how many fill one, 0 where they come singly.
    """

    row: dict[str, object]
    type_name: str
    brand_name: str
    unit_name: str
    cost: Decimal
    price: Decimal
    popularity: float
    season: str
    pack: tuple[int, ...]
    is_tyre: bool
    carton: int = 0
    goods_id: int = 0
    extra: dict[str, object] = field(default_factory=dict)


def build_goods(limit: int) -> list[DemoGoods]:
    """Return the first `limit` goods of a fixed, mixed order: always the same ones."""
    chance = random.Random(20240601)
    found = [*_generate_tyres(), *_generate_parts()]
    chance.shuffle(found)
    found = found[:limit]
    for rank, item in enumerate(found):
        item.popularity = 1 / (rank % 97 + 6) ** 0.85 * (0.02 if chance.random() < 0.09 else 1)
    return found


def format_ean13(serial: int) -> str:
    """Return a barcode of the Chinese range: 12 digits and their check digit."""
    digits = f"69{serial:010d}"
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits))
    return f"{digits}{-total % 10}"


def _generate_tyres() -> Iterator[DemoGoods]:
    serial = count(1)
    for brand, (level, letters, summer, winter) in TYRE_BRANDS.items():
        for place, (size, specification) in enumerate(TYRE_SIZES.items()):
            for pattern in summer:
                yield _build_tyre(next(serial), brand, letters, level, pattern, size, specification)
            if place % 3:
                yield _build_tyre(
                    next(serial), brand, letters, level * 1.12, winter[0], size, specification, winter=True
                )
    for place, brand in enumerate(TRUCK_BRANDS):
        level, letters, *_ = TYRE_BRANDS[brand]
        for size, specification in TRUCK_SIZES.items():
            yield _build_tyre(
                next(serial), brand, letters, level * 1.25, TRUCK_PATTERNS[place], size, specification
            )


def _build_tyre(
    serial: int,
    brand: str,
    letters: str,
    level: float,
    pattern: str,
    size: str,
    specification: tuple[str, str, int, str],
    winter: bool = False,
) -> DemoGoods:
    load, speed, base, type_name = specification
    cost = Decimal(round(base * level))
    margin = Decimal("1.11") if base > 1000 else Decimal("1.17") + Decimal(serial % 7) / 100
    digits = "".join(letter for letter in size if letter.isdigit())
    row = {
        "goods_num": f"LT{letters}{serial:04d}",
        "goods_name": f"{brand}轮胎 {size} {load}{speed} {pattern}",
        "specification_type": size,
        "pattern": pattern,
        "load_index": load,
        "speed_index": speed,
        "factory_code": f"{letters}{digits}{serial % 89:02d}",
        "shorthand_code": digits,
        "barcode": format_ean13(serial),
        "is_batch": True,
    }
    truck = base > 1000
    season = "winter_tyre" if winter else "freight" if truck else "tyre"
    pack = (2, 4, 6, 10) if truck else (1, 2, 2, 4, 4, 4, 8)
    kind = "冬季轮胎" if winter else type_name
    price = (cost * margin).quantize(Decimal(1))
    return DemoGoods(row, kind, brand, "条", cost, price, 0.0, season, pack, is_tyre=True)


SEASONS = {
    "蓄电池": "battery",
    "防冻液": "coolant",
    "玻璃水": "winter_water",
    "空调滤清器": "spring",
    "雨刮片": "rain",
}


CARTON_TYPES = {"机油滤清器", "空气滤清器", "发动机油", "变速箱油", "防冻液", "玻璃水", "制动液"}
CARTON = 6
"""What comes by the carton, and how many fill one."""


def _generate_parts() -> Iterator[DemoGoods]:
    serial = count(5001)
    for type_name, (unit, margin, brands, choices, base) in PARTS.items():
        for brand, level, letters in brands:
            variants = choices or [
                (vehicle, base * (0.85 + 0.02 * place)) for place, vehicle in enumerate(VEHICLES)
            ]
            for place, (specification, yuan) in enumerate(variants):
                number = next(serial)
                cost = Decimal(str(round(yuan * level, 1)))
                row: dict[str, object] = {
                    "goods_num": f"PJ{number}",
                    "goods_name": f"{brand}{type_name} {specification}",
                    "specification_type": specification,
                    "factory_code": f"{letters}{number * 37 % 9973:04d}",
                    "shorthand_code": f"{letters}{place + 1:02d}",
                    "barcode": format_ean13(number),
                    "is_batch": False,
                }
                price = (cost * Decimal(str(1 + margin))).quantize(Decimal("0.1"))
                pack = (4, 4, 8) if type_name == "火花塞" else (1, 1, 2, 3, 5, 6, 10)
                season = SEASONS.get(type_name, "even")
                carton = CARTON if type_name in CARTON_TYPES else 0
                yield DemoGoods(row, type_name, brand, unit, cost, price, 0.0, season, pack, False, carton)


CURVES = {
    "even": (0.85, 0.70, 1.0, 1.0, 1.05, 1.0, 1.0, 1.0, 1.05, 1.05, 1.1, 1.2),
    "tyre": (0.85, 0.65, 1.05, 1.15, 1.1, 1.0, 1.05, 1.0, 1.1, 1.05, 0.95, 0.95),
    "winter_tyre": (1.6, 0.5, 0.12, 0.03, 0.02, 0.02, 0.02, 0.05, 0.5, 2.6, 4.2, 3.0),
    "freight": (0.8, 0.55, 1.2, 1.15, 1.05, 0.95, 0.9, 0.95, 1.1, 1.15, 1.2, 1.0),
    "battery": (1.8, 1.1, 0.8, 0.7, 0.7, 0.8, 0.9, 0.9, 0.8, 1.0, 1.4, 1.9),
    "coolant": (1.1, 0.6, 0.7, 0.7, 0.8, 0.9, 1.0, 0.9, 1.0, 1.6, 2.0, 1.5),
    "winter_water": (1.6, 1.1, 0.9, 0.8, 0.7, 0.7, 0.7, 0.7, 0.8, 1.1, 1.6, 1.9),
    "spring": (0.6, 0.6, 1.2, 1.6, 1.7, 1.4, 1.3, 1.1, 0.8, 0.7, 0.6, 0.6),
    "rain": (0.7, 0.7, 1.0, 1.2, 1.3, 1.6, 1.5, 1.2, 0.9, 0.8, 0.7, 0.7),
}
"""Demand of the twelve months against the mean, by season."""
