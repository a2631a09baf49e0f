"""访客应答：看板的数据集信息里不带取数语句，报表读者不需要知道表结构。"""

from __future__ import annotations

import re

from flask import Flask, Response, json, request

DATASETS = re.compile(r"/api/v1/dashboard/\d+/datasets")
HIDDEN = ("sql", "select_star")


def hide_queries(app: Flask) -> None:
    """Blank the SQL of the datasets that a guest's frame loads."""

    def answer(response: Response) -> Response:
        from superset import security_manager

        if not DATASETS.fullmatch(request.path) or response.status_code != 200:
            return response
        if not security_manager.is_guest_user():
            return response
        content = json.loads(response.get_data())
        for dataset in content["result"]:
            dataset.update({name: None for name in HIDDEN if name in dataset})
        response.set_data(json.dumps(content, ensure_ascii=False))
        return response

    app.after_request(answer)
