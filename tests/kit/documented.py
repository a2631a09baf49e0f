"""The document of all calls, made once, and what breaks it."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import orjson

from tests.kit.client import Answer
from tests.kit.once import PROJECT, made_once

GIVE = """
import shutil, sys
from tests.kit import documented
shutil.copyfile(documented.file(), sys.argv[1])
"""
"""What servers that tests start run instead of writing a document of their own."""
OWN = """
from api.shell import document_calls
exec(document_calls.WRITE + document_calls.PACK)
"""
"""What the product's own call runs, in a process in which no test has put `GIVE` in its place."""


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document, as the product's call gives it."""
    found: dict[str, Any] = orjson.loads(file().read_bytes())
    return found


def file() -> Path:
    """Where the document lies."""
    return made_once("document", _write) / "openapi.json"


def _write(place: Path) -> None:
    # Not behind others: all tests of calls wait for it.
    written = [sys.executable, "-c", OWN, place / "openapi.json", "0"]
    subprocess.run(written, cwd=PROJECT, check=True, stdout=subprocess.DEVNULL)


def answers_of(method: str, path: str) -> Any:
    """Validates what a call answers."""
    return _validator(method.lower(), path)


@cache
def _components() -> jsonschema_rs.Registry:
    schemas = {"components": document()["components"]}
    return jsonschema_rs.Registry([("urn:calls", schemas)], draft=jsonschema_rs.Draft202012)


@cache
def _validator(method: str, path: str) -> Any:
    operation = document()["paths"][path][method]
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    told = orjson.loads(orjson.dumps(schema).replace(b'"#/components/', b'"urn:calls#/components/'))
    return jsonschema_rs.validator_for({"$schema": DIALECT, **told}, registry=_components())


DIALECT = "https://json-schema.org/draft/2020-12/schema"


def conforms(method: str, path: str, answer: Answer) -> list[str]:
    """Where an answer breaks its documented schema."""
    sent = {"code": answer.code, "msg": answer.msg, "data": answer.data}
    found = answers_of(method, f"/{path}").iter_errors(sent)
    return [f"{'/'.join(map(str, error.instance_path))}: {error.message[:200]}" for error in found]
