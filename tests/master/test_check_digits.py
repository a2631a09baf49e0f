"""校验码: vectors of GB 11643 and GB 32100, and what a misread number becomes."""

from __future__ import annotations

import pytest

from api.master.recognition.check_digits import (
    correct_credit_code,
    correct_id_number,
    has_valid_organization_code,
    is_credit_code,
    is_id_number,
)


class TestIdNumbers:
    @pytest.mark.parametrize(
        "number",
        ["11010519491231002X", "440524188001010014", "34052419800101001X", "110101199003070011"],
    )
    def test_the_standards_examples_and_others_fit(self, number: str) -> None:
        assert is_id_number(number)

    @pytest.mark.parametrize(
        "number",
        [
            "110105194912310021",  # another check digit
            "110105194912130022",  # another day
            "11010519491331002X",  # no such month
            "11010519490229002X",  # no such day
            "010105194912310021",
            "110105194912310",
            "",
        ],
    )
    def test_others_do_not(self, number: str) -> None:
        assert not is_id_number(number)

    @pytest.mark.parametrize(
        ("read", "mended"),
        [
            ("11010519491231002x", "11010519491231002X"),
            ("1101O51949I231002X", "11010519491231002X"),
            ("IIOIOS194912310OZX", "11010519491231002X"),
            ("44O524188001010014", "440524188001010014"),
            ("44O524188001010015", "44O524188001010015"),  # nothing proves it
            ("110105194912310021", "110105194912310021"),  # no digit is taken for another
            ("1101O5", "1101O5"),
        ],
    )
    def test_letters_become_digits_where_the_check_digit_proves_it(self, read: str, mended: str) -> None:
        assert correct_id_number(read) == mended


class TestCreditCodes:
    @pytest.mark.parametrize(
        "code",
        [
            "91350100M000100Y43",  # the standard's example
            "91440300708461136T",
            "91330100799655058B",
            "91110000802100433B",
            "91440101231247350J",
            "91110108551385082Q",
        ],
    )
    def test_known_companies_fit_both_checks(self, code: str) -> None:
        assert (is_credit_code(code), has_valid_organization_code(code)) == (True, True)

    @pytest.mark.parametrize(
        "code",
        [
            "91350100M000100Y44",
            "91440300708461163T",
            "91440300708461136O",
            "914403007084611361",
            "9144030070846113",
            "",
        ],
    )
    def test_others_do_not(self, code: str) -> None:
        assert not is_credit_code(code)

    @pytest.mark.parametrize(
        ("read", "mended"),
        [
            ("9135OIOOMOOOIOOY43", "91350100M000100Y43"),
            ("9I350100m000100y43", "91350100M000100Y43"),
            ("91110108S5138S082Q", "91110108551385082Q"),
            ("91110108551385082O", "91110108551385082O"),
            ("9144O3OO708461136T", "91440300708461136T"),
            ("9144O3OO708461136U", "9144O3OO708461136U"),  # nothing proves it
            ("9144030070B461136T", "9144030070B461136T"),  # both may stand there
            ("IIIIIIIIIIIIIIIIII", "IIIIIIIIIIIIIIIIII"),
            ("9144O3OO70846113", "9144O3OO70846113"),
        ],
    )
    def test_impossible_letters_are_mended_where_both_checks_prove_it(self, read: str, mended: str) -> None:
        assert correct_credit_code(read) == mended
