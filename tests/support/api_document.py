"""The OpenAPI document, made once, and validation of answers against it."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import orjson

from tests.support.client import Answer
from tests.support.shared_artifacts import PROJECT, shared_artifact

COPY_SCRIPT = """
import shutil, sys
from tests.support import api_document
shutil.copyfile(api_document.document_file(), sys.argv[1])
"""
"""Script that the tests' servers run instead of writing a document of their own."""
WRITE_SCRIPT = """
from api.shell.workspace import call_document
exec(call_document.WRITE + call_document.PACK)
"""
"""Script of the product's own call, in a process in which no test has replaced it by `COPY_SCRIPT`."""


@cache
def load_document() -> dict[str, Any]:
    """Return the OpenAPI document, as the product's call gives it."""
    found: dict[str, Any] = orjson.loads(document_file().read_bytes())
    return found


def document_file() -> Path:
    """Return the path of the document."""
    return shared_artifact("document", _write_document) / "openapi.json"


def _write_document(place: Path) -> None:
    # Not behind others: all tests of calls wait for it.
    written = [sys.executable, "-c", WRITE_SCRIPT, place / "openapi.json", "0"]
    subprocess.run(written, cwd=PROJECT, check=True, stdout=subprocess.DEVNULL)


def build_answer_validator(method: str, path: str) -> Any:
    """Return a validator of a call's answer."""
    return _build_validator(method.lower(), path)


@cache
def _load_components() -> jsonschema_rs.Registry:
    schemas = {"components": load_document()["components"]}
    return jsonschema_rs.Registry([("urn:calls", schemas)], draft=jsonschema_rs.Draft202012)


@cache
def _build_validator(method: str, path: str) -> Any:
    operation = load_document()["paths"][path][method]
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    told = orjson.loads(orjson.dumps(schema).replace(b'"#/components/', b'"urn:calls#/components/'))
    return jsonschema_rs.validator_for({"$schema": DIALECT, **told}, registry=_load_components())


DIALECT = "https://json-schema.org/draft/2020-12/schema"


def find_schema_errors(method: str, path: str, answer: Answer) -> list[str]:
    """List where an answer breaks its documented schema."""
    sent = {"code": answer.code, "msg": answer.msg, "data": answer.data}
    found = build_answer_validator(method, f"/{path}").iter_errors(sent)
    return [f"{'/'.join(map(str, error.instance_path))}: {error.message[:200]}" for error in found]
