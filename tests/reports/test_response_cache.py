"""What guests ask again or at once is answered once: in the report platform's own environment, over a plain application."""

from __future__ import annotations

import json
import subprocess
from textwrap import dedent

import pytest

from tests.support.superset import PROJECT, PYTHON

ASKING = """
import json, time
from concurrent.futures import ThreadPoolExecutor
from flask import Flask, abort, request
from reports.superset_patches import response_cache

response_cache._build_cache_key = lambda: request.get_data() or None
app = Flask(__name__)
answered = []

@app.post("/")
def answer():
    answered.append(request.get_data().decode())
    time.sleep(0.2)
    {body}

response_cache.install_response_cache(app)

def ask(question):
    said = app.test_client().post("/", data=question)
    return [said.status_code, said.get_data(as_text=True)]

with ThreadPoolExecutor(8) as pool:
    said = list(pool.map(ask, {questions!r}))
print(json.dumps([said, answered]))
"""


def ask_together(questions: list[str], body: str) -> tuple[list[list], list[str]]:
    """Return the answers to simultaneous questions, and the questions that reached the view."""
    script = dedent(ASKING).format(questions=questions, body=body)
    done = subprocess.run(
        [str(PYTHON), "-c", script], cwd=PROJECT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    said, answered = json.loads(done.stdout.splitlines()[-1])
    return said, answered


def test_what_many_ask_at_once_is_worked_out_once():
    said, answered = ask_together(["a"] * 8 + ["b"] * 8, "return {'number': len(answered)}")
    assert sorted(answered) == ["a", "b"]
    assert said[:8] == [said[0]] * 8 and said[8:] == [said[8]] * 8 and said[0] != said[8]


def test_each_question_gets_its_own_answer():
    said, answered = ask_together(["a", "b", "c"], "return {'to': answered and request.get_data().decode()}")
    assert [json.loads(text)["to"] for _, text in said] == ["a", "b", "c"]
    assert sorted(answered) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("body", "status"), [("abort(403)", 403), ("raise OSError()", 500), ("return 'text'", 200)]
)
def test_a_refusal_a_failure_and_what_is_no_data_are_not_kept(body: str, status: int):
    said, answered = ask_together(["a"] * 3, body)
    assert [code for code, _ in said] == [status] * 3
    assert answered == ["a"] * 3


def test_who_is_no_guest_is_answered_anew():
    said, answered = ask_together([""] * 3, "return {'number': len(answered)}")
    assert {code for code, _ in said} == {200}
    assert answered == [""] * 3
