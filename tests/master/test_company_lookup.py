"""企业查询: companies of a table in the data directory, by name or code."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.kit.errors import Refusal
from api.master.partners.company_lookup import CompanyFile, CompanyRecord, get_company_lookup

HEAD = "名称,统一社会信用代码,法定代表人,地址,电话,注册资本,成立日期\n"
ROWS = (
    "杭州顺达汽车配件有限公司,91350100M000100Y43,周建国,杭州市文三路199号,0571-88886666,壹佰万元整,2018-03-15\n"
    "顺达（杭州）轮胎有限公司,91330100799655058B,吴强,,13957112233,,\n"
    "宁波顺风物流有限公司,91440300708461136T,,,,,\n"
)


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ERP_DATA_DIR", str(tmp_path))
    monkeypatch.delenv("ERP_COMPANY_FILE", raising=False)
    path = tmp_path / "companies.csv"
    path.write_text(HEAD + ROWS, "utf-8")
    return path


def find_names(words: str, most: int = 20) -> list[str]:
    return [company.name for company in get_company_lookup().find(words, most)]


class TestFound:
    def test_all_that_is_known_is_answered(self, table: Path) -> None:
        (found,) = get_company_lookup().find("91350100m000100y43", 20)
        assert found == CompanyRecord(
            "杭州顺达汽车配件有限公司",
            "91350100M000100Y43",
            "周建国",
            "杭州市文三路199号",
            "0571-88886666",
            "壹佰万元整",
            "2018-03-15",
        )

    @pytest.mark.parametrize(
        ("words", "found"),
        [
            ("顺达", ["顺达（杭州）轮胎有限公司", "杭州顺达汽车配件有限公司"]),  # what begins with it first
            ("顺达(杭州) 轮胎", ["顺达（杭州）轮胎有限公司"]),
            ("9133", ["顺达（杭州）轮胎有限公司"]),
            ("0100", []),  # a code is known by how it begins
            ("没有的公司", []),
        ],
    )
    def test_by_part_of_a_name_or_the_beginning_of_a_code(
        self, table: Path, words: str, found: list[str]
    ) -> None:
        assert find_names(words) == found

    def test_no_more_than_asked_for(self, table: Path) -> None:
        assert find_names("顺", 2) == ["顺达（杭州）轮胎有限公司", "宁波顺风物流有限公司"]

    def test_as_spreadsheets_save_it(self, table: Path) -> None:
        table.write_bytes((HEAD + ROWS).encode("gb18030"))
        assert find_names("顺风") == ["宁波顺风物流有限公司"]
        table.write_bytes(b"\xef\xbb\xbf" + (HEAD + ROWS).encode())
        assert find_names("顺风") == ["宁波顺风物流有限公司"]

    def test_the_setting_says_where(
        self, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        other = tmp_path / "elsewhere" / "all.csv"
        other.parent.mkdir()
        table.rename(other)
        for given in (str(other), "elsewhere/all.csv"):
            monkeypatch.setenv("ERP_COMPANY_FILE", given)
            assert find_names("顺风") == ["宁波顺风物流有限公司"]

    def test_a_code_that_can_be_none_is_doubted(self) -> None:
        good, bad = CompanyRecord("甲", "91350100M000100Y43"), CompanyRecord("乙", "91350100M000100Y44")
        assert [item.doubt for item in good.list_items()] == ["", ""]
        assert [item.doubt for item in bad.list_items()] == ["", "校验码不符，请核对"]


class TestRefused:
    def test_without_a_table_it_says_what_to_do(self, tmp_path: Path) -> None:
        with pytest.raises(Refusal) as refused:
            CompanyFile(tmp_path / "companies.csv").find("顺达", 20)
        assert refused.value.msg == (
            "没有可查询的企业资料，请让管理员把企业名录（CSV）放到数据目录的 companies.csv，或用 ERP_COMPANY_FILE 指定"
        )
        assert str(tmp_path) not in refused.value.msg

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (
                "公司,代码\n甲,1\n".encode(),
                "企业名录 companies.csv 缺少“名称、统一社会信用代码”列，请让管理员检查文件",
            ),
            (b"", "企业名录 companies.csv 缺少“名称、统一社会信用代码”列，请让管理员检查文件"),
            (b"\xff\xfe\xff", "企业名录 companies.csv 读不出来，请让管理员检查文件"),
        ],
    )
    def test_a_table_that_is_none(self, table: Path, content: bytes, said: str) -> None:
        table.write_bytes(content)
        with pytest.raises(Refusal) as refused:
            get_company_lookup().find("顺达", 20)
        assert refused.value.msg == said

    @pytest.mark.parametrize(
        ("rows", "said"),
        [
            pytest.param(f'甲,"{"x" * 200_000}",,,,,\n', "第 5 行引号没有成对，或一格太长", id="too long"),
            pytest.param('甲,"913\n乙,2,,,,,\n', "第 5 行引号没有成对，或一格太长", id="never closed"),
            pytest.param(
                '甲,"913\n乙,2",,,,,\n',
                "第 5 行有换行或不可见字符，可能是上一格的引号没有成对",
                id="closed in the next row",
            ),
            pytest.param(
                '丙,1,,,,,\n甲,"913\n乙,"2",,,,,\n', "第 6 行引号没有成对，或一格太长", id="another begins"
            ),
            pytest.param(
                "甲\0公司,1,,,,,\n",
                "第 5 行有换行或不可见字符，可能是上一格的引号没有成对",
                id="a name with NUL",
            ),
        ],
    )
    def test_a_row_that_is_broken_names_its_line(self, table: Path, rows: str, said: str) -> None:
        table.write_text(HEAD + ROWS + rows, "utf-8")
        with pytest.raises(Refusal) as refused:
            get_company_lookup().find("顺达", 20)
        assert refused.value.msg == f"企业名录 companies.csv {said}，请让管理员改正这一行"

    def test_line_breaks_of_any_system_end_rows(self, table: Path) -> None:
        table.write_bytes((HEAD + ROWS).replace("\n", "\r\n").encode())
        assert find_names("顺风") == ["宁波顺风物流有限公司"]
