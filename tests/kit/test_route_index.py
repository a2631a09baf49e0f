"""The directory knows every call, so that none is found by trying the others."""

from __future__ import annotations

from starlette.routing import Match

from api.kit.context import Context
from api.kit.http import routing
from api.kit.http.route_index import RouteIndex
from api.main import app
from tests.support.api_document import load_document
from tests.support.fixtures import Site


def test_every_call_stands_in_it() -> None:
    directory = app.router.routes[0]
    assert isinstance(directory, RouteIndex)
    assert {path for path in load_document()["paths"] if "{" not in path} == directory.routes.keys()
    for path, methods in load_document()["paths"].items():
        held = {method.lower() for route in directory.routes.get(path, ()) for method in route.methods}
        assert methods.keys() <= held or "{" in path


def test_a_method_that_a_call_lacks_and_an_unknown_path_answer_alike(site: Site) -> None:
    for method, path in (("DELETE", "v2/system/Unit/getList"), ("GET", "v2/system/Unit/nothing")):
        answer = site.as_("admin").send(method, path)
        assert (answer.status, answer.msg) == (404, "请求的地址不存在")


def test_a_call_is_made_out_when_it_is_first_asked_for() -> None:
    on = routing.build_router()

    @routing.call(on, "GET", "v2/system/One/getOne", right=routing.PUBLIC, returns=int)
    def get_one(ctx: Context) -> int:
        return 1

    [route] = on.routes
    asked = {"type": "http", "method": "GET"}
    assert route.matches({**asked, "path": "/v2/system/One/getTwo"})[0] is Match.NONE
    assert "response_model" not in vars(route)
    assert route.matches({**asked, "path": "/v2/system/One/getOne"})[0] is Match.FULL
    assert vars(route)["response_model"] is routing.Envelope[int]


def test_the_status_of_an_answer_is_its_code_unless_it_asks() -> None:
    codes = (200, 400, 401, 402, 403, 404, 405, 413, 362, 363)
    assert [routing.build_response(None, code=code).status_code for code in codes] == [*codes[:-2], 200, 200]
