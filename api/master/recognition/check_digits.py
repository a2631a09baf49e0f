"""Check digits (校验码) of citizens' numbers (GB 11643) and credit codes (GB 32100); corrects misread ones.

A number is only ever changed where its check digit proves the change.
"""

from __future__ import annotations

import re
from datetime import date

ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
ID_CHECKS = "10X98765432"
CODE_LETTERS = "0123456789ABCDEFGHJKLMNPQRTUWXY"
CODE_WEIGHTS = (1, 3, 9, 27, 19, 26, 16, 17, 20, 29, 25, 13, 8, 24, 10, 30, 28)
BODY_LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
BODY_WEIGHTS = (3, 7, 9, 10, 5, 8, 4, 2)
BODY_CHECKS = "0123456789X0"
AS_DIGIT = {
    "O": "0",
    "Q": "0",
    "D": "0",
    "U": "0",
    "I": "1",
    "L": "1",
    "Z": "2",
    "A": "4",
    "S": "5",
    "G": "6",
}
AS_DIGIT |= {"T": "7", "B": "8"}
"""The digit that a letter is read for, where only a digit can stand."""
NO_LETTERS = {"O": "0", "I": "1", "Z": "2", "S": "5"}
"""Digits by the letters that they are misread as; no credit code has these letters."""


def is_id_number(number: str) -> bool:
    """Return whether a citizen's number of 18 digits has a valid day and a fitting check digit."""
    if not re.fullmatch(r"[1-9][0-9]{16}[0-9X]", number) or parse_birth_date(number) is None:
        return False
    total = sum(weight * int(digit) for weight, digit in zip(ID_WEIGHTS, number, strict=False))
    return ID_CHECKS[total % 11] == number[17]


def parse_birth_date(number: str) -> date | None:
    """Return the day of birth in a citizen's number of 18 digits; None if that is no day."""
    try:
        return date(int(number[6:10]), int(number[10:12]), int(number[12:14]))
    except ValueError:
        return None


def is_female(number: str) -> bool:
    """Return whether a citizen's number is a woman's."""
    return int(number[16]) % 2 == 0


def correct_id_number(read: str) -> str:
    """Replace misread letters of a citizen's number by digits, where the check digit then fits; else leave
    it."""
    number = read.upper()
    if len(number) != 18 or is_id_number(number):
        return number
    last = "X" if number[17] in "XYK" else AS_DIGIT.get(number[17], number[17])
    mended = "".join(AS_DIGIT.get(letter, letter) for letter in number[:17]) + last
    return mended if is_id_number(mended) else number


def is_credit_code(code: str) -> bool:
    """Return whether a unified social credit code of 18 characters fits its check character."""
    if not re.fullmatch(rf"[{CODE_LETTERS}]{{2}}[0-9]{{6}}[{CODE_LETTERS}]{{10}}", code):
        return False
    total = sum(
        weight * CODE_LETTERS.index(letter) for weight, letter in zip(CODE_WEIGHTS, code, strict=False)
    )
    return CODE_LETTERS[(31 - total % 31) % 31] == code[17]


def has_valid_organization_code(code: str) -> bool:
    """Return whether the organization code within a credit code (places 9 to 17) fits its check digit (GB
    11714)."""
    body = code[8:17]
    total = sum(
        weight * BODY_LETTERS.index(letter) for weight, letter in zip(BODY_WEIGHTS, body, strict=False)
    )
    return BODY_CHECKS[11 - total % 11] == body[8]


def correct_credit_code(read: str) -> str:
    """Replace impossible letters of a credit code by the digits they look like, where it then fits both its
    checks.

    A letter or digit that may stand in its place is never taken for another: too many others would fit by
    chance.
    """
    code = read.upper()
    if not re.fullmatch(r"[0-9A-Z]{18}", code) or is_credit_code(code):
        return code
    region = "".join(AS_DIGIT.get(letter, letter) for letter in code[2:8])
    rest = [letter if 2 <= place < 8 else NO_LETTERS.get(letter, letter) for place, letter in enumerate(code)]
    mended = "".join(rest[:2]) + region + "".join(rest[8:])
    return mended if is_credit_code(mended) and has_valid_organization_code(mended) else code
