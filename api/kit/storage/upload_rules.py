"""Upload rules (上传规则): file types per scene, and checks that a file is what its name says.

spec/3-rules.md 5.5, 5.6. Nothing is decoded: dimensions are read from headers, and a file must end where
its format ends, so that nothing else hides behind a picture.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePath

from api.kit.errors import Refusal

MEGABYTE = 1024 * 1024
MAX_SIDE, MAX_PIXELS = 16_000, 50_000_000
IMAGES = ("jpg", "jpeg", "png", "bmp")
PRINTED = ("jpg", "jpeg", "png")
"""Pictures that the press sets."""
MIME = {
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "png": "image/png",
    "bmp": "image/bmp",
    "pdf": "application/pdf",
}
ACTIVE_PDF = frozenset(
    b"JavaScript JS Launch EmbeddedFile EmbeddedFiles RichMedia OpenAction XFA Rendition SubmitForm ImportData"
    b" GoToE".split()
)
"""Names by which a PDF says that it does something, or has something else in it."""
_NAME = re.compile(rb"/([^\0\t\n\f\r ()<>\[\]{}/%]+)")
_NUMBERED = re.compile(rb"#([0-9A-Fa-f]{2})")
_STREAM = re.compile(rb"(?<!end)stream(?:\r\n|\n|\r)")
MOST_PACKED = 50 * MEGABYTE
"""Most bytes that a PDF's object streams may unpack to."""
PIECE = 64 * 1024


@dataclass(frozen=True, slots=True)
class UploadScene:
    """A use of files: megabytes by extension, and the refusals of what doesn't fit.

    Refused are other types, too large files, and more than so many files of some extensions on one record.
    """

    label: str
    megabytes: dict[str, int]
    only: str
    large: Callable[[str, int], str]
    most: tuple[tuple[tuple[str, ...], int, str], ...] = ()

    def validate_name(self, name: str, size: int) -> str:
        """Validate a file's name and size; return its extension."""
        extension = PurePath(name.replace("\\", "/")).suffix.lstrip(".").lower()
        if extension not in self.megabytes:
            raise Refusal(self.only)
        if size == 0:
            raise Refusal("文件是空的，请重新选择文件")
        limit = self.megabytes[extension]
        if size > limit * MEGABYTE:
            raise Refusal(self.large(extension, limit))
        return extension

    def describe_excess(self, names: list[str]) -> str | None:
        """Describe the problem of too many files together, or return None."""
        for extensions, limit, label in self.most:
            if sum(name.rsplit(".", 1)[-1] in extensions for name in names) > limit:
                return label
        return None


def _contract_size(extension: str, megabytes: int) -> str:
    return f"pdf文件大小不能超过{megabytes}MB" if extension == "pdf" else f"图片大小不能超过{megabytes}MB"


def _generic_size(extension: str, megabytes: int) -> str:
    return f"{extension}文件请上传{megabytes}兆内"


SCENES = {
    "image": UploadScene(
        "图片上传",
        dict.fromkeys((*IMAGES, "pdf"), 10),
        f"请上传{'、'.join((*IMAGES, 'pdf'))}格式的文件",
        _generic_size,
    ),
    "contract": UploadScene(
        "合同附件",
        {**dict.fromkeys(IMAGES, 2), "pdf": 10},
        "只能上传pdf和图片",
        _contract_size,
        ((IMAGES, 6, "图片最多上传6张"), (("pdf",), 3, "pdf文件最多上传3个")),
    ),
    "logo": UploadScene(
        "集团标志",
        dict.fromkeys(PRINTED, 1),
        f"请上传{'、'.join(PRINTED)}格式的文件",
        _generic_size,
        ((PRINTED, 1, "只能上传1个文件"),),
    ),
}
"""`image` is the generic control (5.5), `contract` the attachment of contracts (5.6), `logo` heads printed bills."""


def validate_content(extension: str, content: bytes) -> None:
    """Refuse a file that is not what its name says, or contains more than that."""
    if extension == "pdf":
        _validate_pdf(content)
        return
    reader = {"png": _read_png_size, "bmp": _read_bmp_size}.get(extension, _read_jpeg_size)
    try:
        width, height = reader(content)
    except (struct.error, IndexError, StopIteration):
        raise Refusal("图片已损坏，请重新选择文件") from None
    if width <= 0 or height <= 0:
        raise Refusal("图片已损坏，请重新选择文件")
    if max(width, height) > MAX_SIDE or width * height > MAX_PIXELS:
        raise Refusal(f"图片尺寸过大（{width}×{height}），请缩小后上传")


def _wrong_type(extension: str) -> Refusal:
    return Refusal(f"文件内容不是{extension}，请重新选择文件")


def _read_png_size(content: bytes) -> tuple[int, int]:
    if not content.startswith(b"\x89PNG\r\n\x1a\n"):
        raise _wrong_type("png")
    chunks = _iterate_chunks(content)
    kind, header = next(chunks)
    if kind != b"IHDR" or len(header) != 13:
        raise _wrong_type("png")
    kinds = [kind for kind, _ in chunks]
    if b"IDAT" not in kinds or kinds[-1] != b"IEND":
        raise Refusal("图片已损坏，请重新选择文件")
    width, height = struct.unpack(">II", header[:8])
    return width, height


def _iterate_chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the chunks of a PNG, each proved by its checksum; refuse content after the last one."""
    at = 8
    while at < len(content):
        (length,) = struct.unpack(">I", content[at : at + 4])
        kind, body = content[at + 4 : at + 8], content[at + 8 : at + 8 + length]
        (crc,) = struct.unpack(">I", content[at + 8 + length : at + 12 + length])
        if crc != zlib.crc32(kind + body):
            raise Refusal("图片已损坏，请重新选择文件")
        yield kind, body
        at += 12 + length
        if kind == b"IEND" and at != len(content):
            raise Refusal("图片里夹带了别的内容，已拒绝上传")


def _read_bmp_size(content: bytes) -> tuple[int, int]:
    if not content.startswith(b"BM"):
        raise _wrong_type("bmp")
    (size,) = struct.unpack("<I", content[2:6])
    if size != len(content):
        raise Refusal("图片里夹带了别的内容或已损坏，已拒绝上传")
    header, width, height = struct.unpack("<Iii", content[14:26])
    if header < 40:
        raise _wrong_type("bmp")
    return abs(width), abs(height)


def _read_jpeg_size(content: bytes) -> tuple[int, int]:
    if not content.startswith(b"\xff\xd8\xff"):
        raise _wrong_type("jpg")
    if not content.endswith(b"\xff\xd9"):
        raise Refusal("图片里夹带了别的内容或已损坏，已拒绝上传")
    at = 2
    while True:
        if content[at] != 0xFF:
            raise Refusal("图片已损坏，请重新选择文件")
        mark = content[at + 1]
        if mark == 0xFF:
            at += 1
            continue
        (length,) = struct.unpack(">H", content[at + 2 : at + 4])
        if 0xC0 <= mark <= 0xCF and mark not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", content[at + 5 : at + 9])
            return width, height
        if mark in (0xD9, 0xDA):
            raise Refusal("图片已损坏，请重新选择文件")
        at += 2 + length


def _validate_pdf(content: bytes) -> None:
    if not content.startswith(b"%PDF-"):
        raise _wrong_type("pdf")
    if not content.rstrip(b"\0\r\n\t ").endswith(b"%%EOF"):
        raise Refusal("pdf文件已损坏或夹带了别的内容，已拒绝上传")
    if any(not ACTIVE_PDF.isdisjoint(_find_names(part)) for part in (content, *_packed_objects(content))):
        raise Refusal("pdf文件含有脚本、附件或自动动作，已拒绝上传")


def _find_names(content: bytes) -> set[bytes]:
    """Find the names in a PDF, as a reader parses them: any letter may be written as its number (`/J#53`)."""
    return {
        _NUMBERED.sub(lambda found: bytes((int(found[1], 16),)), name) for name in set(_NAME.findall(content))
    }


def _packed_objects(content: bytes) -> Iterator[bytes]:
    """Yield the unpacked object streams of a PDF.

    Refuse those that can't be read, as in an encrypted file.
    """
    before, left = 0, MOST_PACKED
    for found in _STREAM.finditer(content):
        if b"ObjStm" in _find_names(content[before : found.start()]):
            objects = _unpack_stream(content, found.end(), left)
            left -= len(objects)
            yield objects
        before = found.end()


def _unpack_stream(content: bytes, start: int, most: int) -> bytes:
    unpacker, objects = zlib.decompressobj(), bytearray()
    try:
        for at in range(start, len(content), PIECE):
            objects += unpacker.decompress(content[at : at + PIECE], most + 1 - len(objects))
            if unpacker.eof:
                break
            if len(objects) > most:
                raise Refusal("pdf文件内容过多，无法检查，请拆分后上传")
    except zlib.error:
        raise Refusal("pdf文件已加密或无法检查，请另存为普通pdf后上传") from None
    return bytes(objects)
