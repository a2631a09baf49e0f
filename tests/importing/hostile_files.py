"""Sixty hostile files (恶意文件), each a name with its content; none of them may be taken by any upload."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import cache

import xlwt

from tests.support.upload_files import build_bmp, build_jpeg, build_pdf, build_png
from tests.support.workbooks import build_workbook

MEGABYTE = 1024 * 1024
TYPES = "[Content_Types].xml"
SHEET = "xl/worksheets/sheet1.xml"
MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
EICAR = rb"X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"


def replace_part(name: str, body: bytes) -> bytes:
    """Return a workbook with one part added or replaced."""
    content = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(build_workbook())) as source, zipfile.ZipFile(content, "w") as target:
        for part in source.infolist():
            if part.filename != name:
                target.writestr(part.filename, source.read(part), zipfile.ZIP_DEFLATED)
        target.writestr(name, body, zipfile.ZIP_DEFLATED)
    return content.getvalue()


def build_sheet(rows: str) -> bytes:
    """Return a workbook whose sheet has these rows of XML."""
    body = f'<?xml version="1.0"?><worksheet {MAIN}><sheetData>{rows}</sheetData></worksheet>'
    return replace_part(SHEET, body.encode())


def build_entity_bomb() -> str:
    """Return the entities of a billion laughs."""
    lines = ['<!ENTITY a "ha">'] + [
        f'<!ENTITY a{n} "{"&a" + str(n - 1) + ";" if n > 1 else "&a;"}">' for n in range(1, 10)
    ]
    return f"<!DOCTYPE x [{''.join(lines)}]>"


def build_entity_sheet(doctype: str) -> bytes:
    """Return a workbook whose sheet declares entities."""
    body = f'<?xml version="1.0"?>{doctype}<worksheet {MAIN}><sheetData/></worksheet>'
    return replace_part(SHEET, body.encode())


def nest_zips(depth: int) -> bytes:
    """Return ZIPs in each other, as many as `depth`."""
    body = b"x" * 1000
    for _ in range(depth):
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as archive:
            archive.writestr("inner.zip", body)
        body = content.getvalue()
    return body


def fake_part_size(size: int) -> bytes:
    """Return a workbook whose directory says that a part has this size."""
    content = bytearray(build_workbook())
    at = content.index(b"PK\x01\x02")
    content[at + 24 : at + 28] = struct.pack("<I", size)
    return bytes(content)


def build_encrypted_zip() -> bytes:
    """Return a workbook whose parts are marked as encrypted."""
    content = bytearray(build_workbook())
    at = 0
    while (at := content.find(b"PK\x01\x02", at)) >= 0:
        content[at + 8] |= 1
        at += 4
    return bytes(content)


def build_far_xls() -> bytes:
    """Return an old workbook with one cell at the far end, and nothing in its heading."""
    book, content = xlwt.Workbook(), io.BytesIO()
    book.add_sheet("a").write(65535, 255, "far")
    book.save(content)
    return content.getvalue()


def build_gap_png() -> bytes:
    """Return a PNG with megabytes of nothing packed into a text chunk, that says it is huge."""
    body = b"x\0\0" + zlib.compress(b"\0" * 5 * MEGABYTE)
    return build_png(50_000, 50_000) + struct.pack(">I", len(body)) + b"zTXt" + body


def list_files() -> Iterator[tuple[str, str, Callable[[], bytes]]]:
    """Yield description, name, and a function that builds the content: that takes seconds, and collecting
    tests needs none."""
    good = build_workbook()
    yield "empty", "a.xlsx", lambda: b""
    yield "empty xls", "a.xls", lambda: b""
    yield "one byte", "a.xlsx", lambda: b"P"
    yield "exe", "a.exe", lambda: b"MZ" + b"\0" * 5000
    yield "exe as xlsx", "a.xlsx", lambda: b"MZ" + b"\0" * 5000
    yield "exe as xls", "a.xls", lambda: b"MZ" + b"\0" * 5000
    yield "exe as png", "a.png", lambda: b"MZ" + b"\0" * 5000
    yield "elf as xls", "a.xls", lambda: b"\x7fELF" + b"\0" * 5000
    yield "script as xlsx", "a.xlsx", lambda: b"#!/bin/sh\nrm -rf /\n"
    yield "html as xls", "a.xls", lambda: b"<html><table><tr><td>1</td></tr></table></html>"
    yield "html as jpg", "a.jpg", lambda: b"<html><script>alert(1)</script></html>"
    yield "php as jpg", "a.php.jpg", lambda: b"\xff\xd8\xff<?php system($_GET[0]); ?>"
    yield "two endings", "a.xlsx.exe", lambda: good
    yield "no ending", "xlsx", lambda: good
    yield "ending hidden by NUL", "a.xlsx\0.png", lambda: b"\0" * 100
    yield "path in the name", "../../../etc/passwd", lambda: b"root:x:0:0"
    yield "windows path in the name", "..\\..\\boot.ini", lambda: b"x"
    yield "long name", "a" * 5000 + ".exe", lambda: b"MZ"
    yield "eicar", "a.xlsx", lambda: EICAR
    yield "NUL bytes", "a.xlsx", lambda: b"\0" * MEGABYTE
    yield "random", "a.xls", lambda: bytes(range(256)) * 400
    yield "csv as xlsx", "a.xlsx", lambda: "商品编码,数量\n1,2\n".encode()
    yield "gzip as xlsx", "a.xlsx", lambda: b"\x1f\x8b\x08" + b"\0" * 100
    yield "rar as xlsx", "a.xlsx", lambda: b"Rar!\x1a\x07\x00" + b"\0" * 100
    yield "docx as xlsx", "a.xlsx", lambda: nest_zips(1)
    yield "nested zip", "a.xlsx", lambda: nest_zips(12)
    yield "zip in the workbook", "a.xlsx", lambda: replace_part("xl/media/inner.zip", nest_zips(3))
    yield "workbook in the workbook", "a.xlsx", lambda: replace_part("xl/embeddings/a.xlsx", good)
    yield "truncated", "a.xlsx", lambda: good[: len(good) // 2]
    yield "head cut off", "a.xlsx", lambda: good[100:]
    yield "broken directory", "a.xlsx", lambda: good[:-10]
    yield "broken deflate", "a.xlsx", lambda: good.replace(good[60:90], b"\xff" * 30)
    yield "bomb", "a.xlsx", lambda: replace_part("xl/media/bomb.bin", bytes(200 * MEGABYTE))
    yield "bomb in the sheet", "a.xlsx", lambda: replace_part(SHEET, b" " * 100 * MEGABYTE)
    yield (
        "bomb in the strings",
        "a.xlsx",
        lambda: replace_part("xl/sharedStrings.xml", b"<si/>" * 20 * MEGABYTE),
    )
    yield "says 4 GB", "a.xlsx", lambda: fake_part_size(0xFFFFFFFE)
    yield "says 700 MB", "a.xlsx", lambda: fake_part_size(700 * MEGABYTE)
    yield "many parts", "a.xlsx", lambda: _build_many_parts()
    yield "parts of one name", "a.xlsx", lambda: _duplicate_part()
    yield "part outside", "a.xlsx", lambda: replace_part("../../../tmp/x.xml", b"<x/>")
    yield "part at the root", "a.xlsx", lambda: replace_part("/etc/cron.d/x", b"x")
    yield "encrypted zip", "a.xlsx", lambda: build_encrypted_zip()
    yield (
        "encrypted office",
        "a.xlsx",
        lambda: OLE + b"\0" * 500 + "EncryptedPackage".encode("utf-16-le") + b"\0" * 500,
    )
    yield "broken xls", "a.xls", lambda: OLE + b"\0" * 5000
    yield "looping xls", "a.xls", lambda: OLE + b"\xff" * 5000
    yield "far cell xls", "a.xls", lambda: build_far_xls()
    yield "macro", "a.xlsx", lambda: replace_part("xl/vbaProject.bin", OLE + b"\0" * 100)
    yield "control", "a.xlsx", lambda: replace_part("xl/activeX/activeX1.bin", b"\0" * 100)
    yield (
        "dde",
        "a.xlsx",
        lambda: replace_part("xl/externalLinks/externalLink1.xml", b'<x><ddeLink ddeService="cmd"/></x>'),
    )
    yield "billion laughs", "a.xlsx", lambda: build_entity_sheet(build_entity_bomb())
    yield (
        "external entity",
        "a.xlsx",
        lambda: build_entity_sheet('<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'),
    )
    yield (
        "remote entity",
        "a.xlsx",
        lambda: build_entity_sheet('<!DOCTYPE x SYSTEM "http://127.0.0.1:1/x.dtd">'),
    )
    yield "entity in two bytes", "a.xlsx", lambda: replace_part(SHEET, build_utf16_sheet())
    yield (
        "far cell",
        "a.xlsx",
        lambda: build_sheet('<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>x</t></is></c></row>'),
    )
    yield "20,000 columns", "a.xlsx", lambda: _build_wide_sheet()
    yield (
        "10 MB in a cell",
        "a.xlsx",
        lambda: build_sheet(
            f'<row r="1"><c r="A1" t="inlineStr"><is><t>{_random_text(10)}</t></is></c></row>'
        ),
    )
    yield (
        "formulas only",
        "a.xlsx",
        lambda: build_workbook(["=1+1", "=cmd|'/c calc'!A0"], ["=2+2", "=HYPERLINK(1)"]),
    )
    yield "deep xml", "a.xlsx", lambda: replace_part(SHEET, b"<a>" * 300_000)
    yield (
        "svg with script",
        "a.svg",
        lambda: b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
    )
    yield (
        "svg as png",
        "a.png",
        lambda: b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
    )
    yield "pixel flood png", "a.png", lambda: build_png(60_000, 60_000)
    yield "pixel flood jpg", "a.jpg", lambda: build_jpeg(65_535, 65_535)
    yield "pixel flood bmp", "a.bmp", lambda: build_bmp(2_000_000, 2_000_000)
    yield "packed text png", "a.png", lambda: build_gap_png()
    yield "polyglot pdf", "a.pdf", lambda: build_pdf() + nest_zips(1)
    yield (
        "pdf with script",
        "a.pdf",
        lambda: build_pdf(b"/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>"),
    )
    yield "pdf behind html", "a.pdf", lambda: b"<html>" + build_pdf()
    yield "polyglot png", "a.png", lambda: build_png() + good
    yield "polyglot jpg", "a.jpg", lambda: build_jpeg()[:-2] + b"<?php ?>" + nest_zips(1)
    yield "12 MB picture", "a.png", lambda: build_png() + b"\0" * 12 * MEGABYTE


def build_utf16_sheet() -> bytes:
    """Return a sheet whose entities are hidden from a search byte by byte."""
    return f'<?xml version="1.0" encoding="utf-16"?>{build_entity_bomb()}<worksheet {MAIN}/>'.encode("utf-16")


def _random_text(megabytes: int) -> str:
    """Return text that does not pack well."""
    words = (f"{zlib.crc32(str(n).encode()):08x}" for n in range(megabytes * MEGABYTE // 8))
    return "".join(words)


def _build_wide_sheet() -> bytes:
    cells = "".join(
        f'<c t="inlineStr"><is><t>{zlib.crc32(str(n).encode()):x}</t></is></c>' for n in range(20_000)
    )
    return build_sheet(f'<row r="1">{cells}</row>')


def _build_many_parts() -> bytes:
    content = io.BytesIO(build_workbook())
    with zipfile.ZipFile(content, "a") as archive:
        for number in range(3000):
            archive.writestr(f"xl/x{number}.xml", b"<x/>")
    return content.getvalue()


def _duplicate_part() -> bytes:
    content = io.BytesIO(build_workbook())
    with zipfile.ZipFile(content, "a") as archive:
        archive.writestr(SHEET, b"<x/>")
    return content.getvalue()


FILES = {what: (name, make) for what, name, make in list_files()}


@cache
def read_content(what: str) -> bytes:
    """Return the content of a file."""
    _, make = FILES[what]
    return make()
