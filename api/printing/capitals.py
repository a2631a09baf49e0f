"""Amounts in Chinese capitals (大写金额), for bills."""

from __future__ import annotations

from decimal import Decimal

from api.kit.bills.pricing import round_money

DIGITS = "零壹贰叁肆伍陆柒捌玖"
UNITS = ("", "拾", "佰", "仟")
GROUPS = ("", "万", "亿", "万亿")


def format_capitals(amount: Decimal) -> str:
    """Format 1234.50 as 壹仟贰佰叁拾肆元伍角整; rounded half up to the cent. Empty where no bill could have the
    amount."""
    rounded = round_money(amount)
    whole, fraction = f"{abs(rounded):.2f}".split(".")
    if len(whole) > len(UNITS) * len(GROUPS):
        return ""
    yuan = _format_whole(whole.lstrip("0"))
    tail = _format_fraction(int(fraction[0]), int(fraction[1]), bool(yuan))
    if not yuan and not tail:
        return "零元整"
    return f"{'负' if rounded < 0 else ''}{yuan + '元' if yuan else ''}{tail or '整'}"


def _format_whole(digits: str) -> str:
    """Format digits in groups of four; zeros between digits are written once, those at a group's end not at
    all."""
    words, zero = "", False
    for group in range((len(digits) - 1) // 4, -1, -1):
        four = digits[max(0, len(digits) - group * 4 - 4) : len(digits) - group * 4]
        text = ""
        for at, digit in enumerate(four):
            if digit == "0":
                zero = zero or bool(words or text)
                continue
            text += ("零" if zero else "") + DIGITS[int(digit)] + UNITS[len(four) - 1 - at]
            zero = False
        words += text + GROUPS[group] if text else ""
    return words


def _format_fraction(jiao: int, fen: int, after_yuan: bool) -> str:
    if not jiao and not fen:
        return ""
    tenth = f"{DIGITS[jiao]}角" if jiao else ("零" if after_yuan else "")
    return tenth + (f"{DIGITS[fen]}分" if fen else "整")
