"""证照: what lines of text on a paper say, and what is doubted of it."""

from __future__ import annotations

from math import cos, radians, sin

import pytest

from api.kit.errors import Refusal
from api.master.recognition.identity_documents import PaperItem, read_id_card, read_licence
from api.master.recognition.text_lines import TextLine, build_lines

Row = tuple[float, float, str]
HEIGHT = 30.0


def place_lines(*rows: Row, score: float = 0.99) -> list[TextLine]:
    """Build lines whose letters are as wide as they are high."""
    return [
        TextLine("".join(text.split()), score, left, top, left + HEIGHT * len(text), top + HEIGHT)
        for left, top, text in rows
    ]


def list_values(items: list[PaperItem]) -> dict[str, str]:
    return {item.name: item.value for item in items}


def list_doubts(items: list[PaperItem]) -> dict[str, str]:
    return {item.name: item.doubt for item in items if item.doubt}


def list_notes(items: list[PaperItem]) -> dict[str, str]:
    return {item.name: item.note for item in items if item.note}


def build_card_lines(
    number: str = "11010519491231002X", sex: str = "女", born: str = "1949年12月31日"
) -> list[TextLine]:
    return place_lines(
        (60, 70, "姓名韦小宝"),
        (60, 140, f"性别{sex}民族汉"),
        (60, 210, f"出生{born}"),
        (60, 280, "住址浙江省杭州市西湖区文三路"),
        (120, 325, "199号2幢301室"),
        (60, 520, f"公民身份号码{number}"),
    )


LICENCE = (
    (600.0, 100.0, "营业执照"),
    (90.0, 150.0, "统一社会信用代码"),
    (90.0, 190.0, "91350100M000100Y43"),
    (90.0, 360.0, "名"),
    (170.0, 360.0, "称"),
    (270.0, 361.0, "杭州顺达汽车配件有限公司"),
    (900.0, 360.0, "注册资本"),
    (1060.0, 360.0, "壹佰万元整"),
    (90.0, 430.0, "类型"),
    (270.0, 430.0, "有限责任公司"),
    (900.0, 430.0, "成立日期"),
    (1060.0, 430.0, "2018年03月15日"),
    (90.0, 500.0, "法定代表人"),
    (270.0, 500.0, "周建国"),
    (900.0, 500.0, "营业期限"),
    (1060.0, 500.0, "2018年03月15日至长期"),
    (90.0, 570.0, "经营范围"),
    (270.0, 570.0, "轮胎销售；住所租赁"),
    (270.0, 610.0, "名称登记代理"),
    (900.0, 570.0, "住所"),
    (1060.0, 570.0, "杭州市西湖区文三路199号"),
    (1056.0, 609.0, "2幢301室"),
    (900.0, 880.0, "登记机关"),
)


def build_licence_lines(**swapped: str) -> list[TextLine]:
    """Build the licence's lines with some of its texts replaced."""
    return place_lines(*((left, top, swapped.get(text, text)) for left, top, text in LICENCE))


class TestTheOtherPaper:
    def test_a_licence_is_no_identity_card(self) -> None:
        with pytest.raises(Refusal, match="这是营业执照，不是身份证"):
            read_id_card(build_licence_lines())

    def test_an_identity_card_is_no_licence(self) -> None:
        with pytest.raises(Refusal, match="这是身份证，不是营业执照"):
            read_licence(build_card_lines())

    def test_nor_is_its_back(self) -> None:
        back = place_lines(
            (60, 70, "中华人民共和国"), (60, 110, "居民身份证"), (60, 200, "签发机关杭州市公安局")
        )
        with pytest.raises(Refusal, match="这是身份证，不是营业执照"):
            read_licence(back)

    def test_a_number_tells_its_paper_where_no_label_is_legible(self) -> None:
        with pytest.raises(Refusal, match="认出的是统一社会信用代码，不是公民身份号码"):
            read_id_card(place_lines((90, 190, "91350100M000100Y43"), (90, 360, "2018年03月15日")))
        with pytest.raises(Refusal, match="认出的是公民身份号码，不是统一社会信用代码"):
            read_licence(place_lines((60, 520, "11010519491231002X")))


class TestIdCards:
    def test_every_field_is_read(self) -> None:
        items = read_id_card(build_card_lines())
        assert list_values(items) == {
            "name": "韦小宝",
            "nation": "汉",
            "address": "浙江省杭州市西湖区文三路199号2幢301室",
            "number": "11010519491231002X",
            "sex": "女",
            "born_on": "1949-12-31",
        }
        assert (list_doubts(items), list_notes(items)) == ({}, {})

    def test_a_number_that_fails_its_check_digit_is_given_with_a_doubt(self) -> None:
        items = read_id_card(build_card_lines("110105194912310021"))
        assert list_values(items)["number"] == "110105194912310021"
        assert list_doubts(items) == {"number": "校验码不符，请对照证件核对"}

    def test_a_number_that_its_check_digit_mends_says_so(self) -> None:
        items = read_id_card(build_card_lines("1101O5I949I231002X"))
        assert list_values(items)["number"] == "11010519491231002X"
        assert (list_doubts(items), list_notes(items)) == ({}, {"number": "已按校验码更正，请核对"})

    def test_sex_and_birth_are_held_against_the_number(self) -> None:
        items = read_id_card(build_card_lines(sex="男", born="1948年12月31日"))
        told = "与公民身份号码不一致，请核对"
        assert list_doubts(items) == {"sex": told, "born_on": told}
        assert (list_values(items)["sex"], list_values(items)["born_on"]) == ("男", "1948-12-31")

    def test_what_is_not_legible_on_it_comes_from_the_number(self) -> None:
        items = read_id_card(place_lines((60, 70, "姓名韦小宝"), (60, 520, "公民身份号码440524188001010014")))
        assert list_values(items) == {
            "name": "韦小宝",
            "number": "440524188001010014",
            "sex": "男",
            "born_on": "1880-01-01",
        }

    def test_birth_and_address_are_known_by_where_they_stand(self) -> None:
        pale = ("出生", "住址", "公民身份号码")
        lines = [
            TextLine(
                line.text.removeprefix(label), line.score, line.left + 60, line.top, line.right, line.bottom
            )
            for line in build_card_lines()
            for label in [next((label for label in pale if line.text.startswith(label)), "")]
        ]
        assert list_values(read_id_card(lines)) == list_values(read_id_card(build_card_lines()))

    def test_hardly_legible_and_rare_letters_are_doubted(self) -> None:
        faint = [
            line if "姓名" not in line.text else place_lines((60, 70, line.text), score=0.6)[0]
            for line in build_card_lines()
        ]
        assert list_doubts(read_id_card(faint)) == {"name": "字迹不清，请核对"}
        rare = [
            line if "姓名" not in line.text else place_lines((60, 70, "姓名周玥喆"))[0]
            for line in build_card_lines()
        ]
        assert list_doubts(read_id_card(rare)) == {"name": "有生僻字或繁体字，请核对"}

    def test_the_other_side_and_other_papers_are_refused(self) -> None:
        with pytest.raises(Refusal, match="这是身份证的国徽面，请选择人像面"):
            read_id_card(
                place_lines((230, 480, "签发机关杭州市公安局"), (230, 540, "有效期限2015.03.02-2035.03.02"))
            )
        for lines in ([], place_lines((10, 10, "PASSPORT"), (10, 60, "E12345678"))):
            with pytest.raises(Refusal, match="没有认出身份证的人像面，请把证件拍正、拍清楚后重试"):
                read_id_card(lines)


class TestLicences:
    def test_every_field_is_read_and_columns_stay_apart(self) -> None:
        items = read_licence(build_licence_lines())
        assert list_values(items) == {
            "code": "91350100M000100Y43",
            "name": "杭州顺达汽车配件有限公司",
            "kind": "有限责任公司",
            "legal_person": "周建国",
            "capital": "壹佰万元整",
            "founded_on": "2018-03-15",
            "address": "杭州市西湖区文三路199号2幢301室",
        }
        assert (list_doubts(items), list_notes(items)) == ({}, {})

    @pytest.mark.parametrize(
        ("person", "place"), [("负责人", "营业场所"), ("经营者", "经营场所"), ("投资人", "住所")]
    )
    def test_branches_and_shops_name_the_same_differently(self, person: str, place: str) -> None:
        found = list_values(read_licence(build_licence_lines(法定代表人=person, 住所=place)))
        assert (found["legal_person"], found["address"]) == ("周建国", "杭州市西湖区文三路199号2幢301室")

    def test_a_code_is_mended_where_both_its_checks_prove_it(self) -> None:
        items = read_licence(build_licence_lines(**{"91350100M000100Y43": "9135OI00MOO01OOY43"}))
        assert list_values(items)["code"] == "91350100M000100Y43"
        assert list_notes(items) == {"code": "已按校验码更正，请核对"}

    def test_a_code_that_fails_its_check_is_given_as_read_with_a_doubt(self) -> None:
        items = read_licence(build_licence_lines(**{"91350100M000100Y43": "91350100M000108Y43"}))
        assert list_values(items)["code"] == "91350100M000108Y43"
        assert list_doubts(items) == {"code": "校验码不符，请对照证件核对"}

    def test_the_end_of_its_term_is_told_and_one_that_is_past_is_doubted(self) -> None:
        term = "2018年03月15日至长期"
        items = read_licence(build_licence_lines(**{term: "2018年03月15日至2068年03月14日"}))
        assert (list_values(items)["until"], list_doubts(items)) == ("2068-03-14", {})
        items = read_licence(build_licence_lines(**{term: "2018年03月15日至2020年03月14日"}))
        assert (list_values(items)["until"], list_doubts(items)) == (
            "2020-03-14",
            {"until": "营业执照已于2020-03-14到期"},
        )

    def test_a_paper_of_a_foreign_company_is_refused(self) -> None:
        with pytest.raises(Refusal, match="没有认出营业执照，请把证件拍正、拍清楚后重试"):
            read_licence(
                place_lines((10, 10, "CERTIFICATE OF INCORPORATION"), (10, 60, "Company No. 09876543"))
            )


class TestTurned:
    @pytest.mark.parametrize("quarters", [1, 2, 3])
    @pytest.mark.parametrize("skew", [-8, 0, 8])
    def test_a_paper_is_read_whichever_way_it_lies(self, quarters: int, skew: int) -> None:
        found = [
            [line.text, line.score, turn_corners(line, 90 * quarters + skew)]
            for line in build_licence_lines()
        ]
        assert list_values(read_licence(build_lines(found))) == list_values(
            read_licence(build_licence_lines())
        )


def turn_corners(line: TextLine, degrees: float) -> list[tuple[float, float]]:
    """Return the corners of a line on a picture that was turned."""
    turn = (cos(radians(degrees)), sin(radians(degrees)))
    box = [(line.left, line.top), (line.right, line.top), (line.right, line.bottom), (line.left, line.bottom)]
    return [(x * turn[0] - y * turn[1], x * turn[1] + y * turn[0]) for x, y in box]
