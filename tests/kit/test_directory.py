"""The directory knows every call, so that none is found by trying the others."""

from __future__ import annotations

from api.kit.directory import Directory
from api.main import app
from tests.kit.fixtures import Site


def test_every_call_stands_in_it() -> None:
    directory = app.router.routes[0]
    assert isinstance(directory, Directory)
    assert {path for path in app.openapi()["paths"] if "{" not in path} == directory.routes.keys()
    for path, methods in app.openapi()["paths"].items():
        held = {method.lower() for route in directory.routes.get(path, ()) for method in route.methods}
        assert methods.keys() <= held or "{" in path


def test_a_method_that_a_call_lacks_and_an_unknown_path_answer_alike(site: Site) -> None:
    for method, path in (("DELETE", "v2/system/Unit/getList"), ("GET", "v2/system/Unit/nothing")):
        answer = site.as_("admin").send(method, path)
        assert (answer.status, answer.msg) == (404, "请求的地址不存在")
