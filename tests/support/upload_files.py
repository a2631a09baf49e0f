"""Small valid files of each kind that may be uploaded, made by hand."""

from __future__ import annotations

import struct
import zlib


def build_png(width: int = 1, height: int = 1) -> bytes:
    """Return a PNG that claims this size."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = (chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(b"\0\0")), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def build_jpeg(width: int = 1, height: int = 1) -> bytes:
    """Return a JPEG that claims this size."""
    frame = struct.pack(">HBHHB", 11, 8, height, width, 1) + b"\x01\x11\x00"
    return b"\xff\xd8\xff\xe0\x00\x04\x00\x00\xff\xc0" + frame + b"\xff\xda\x00\x02\x00\xff\xd9"


def build_bmp(width: int = 1, height: int = 1) -> bytes:
    """Return a BMP that claims this size."""
    body = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, 4, 0, 0, 0, 0) + b"\0\0\0\0"
    return b"BM" + struct.pack("<IHHI", 14 + len(body), 0, 0, 54) + body


def build_pdf(more: bytes = b"") -> bytes:
    """Return a PDF with something inside."""
    return b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog " + more + b">>\nendobj\ntrailer << /Root 1 0 R >>\n%%EOF\n"


VALID_FILES = {
    "a.png": build_png(),
    "a.JPG": build_jpeg(),
    "a.jpeg": build_jpeg(),
    "a.bmp": build_bmp(),
    "a.pdf": build_pdf(),
}
