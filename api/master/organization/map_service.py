"""Map service (地图): the provider's map page behind a key, and the regions to choose from where there is none."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

from fastapi import Response
from pydantic import BaseModel
from pydantic import Field as Described
from sqlalchemy import Row, select

from api.kit.context import Context
from api.kit.errors import Refusal
from api.kit.http.routing import ANY_USER, build_router, call
from api.kit.http.sandbox_pages import sandbox_headers
from api.kit.settings import read_settings
from api.master.organization.geography import Area, City, Province

api = build_router()

PLUGINS = (
    *("AMap.PlaceSearch", "AMap.Driving", "AMap.Geocoder"),
    *("AMap.MouseTool", "AMap.DistrictSearch", "AMap.Geolocation"),
)
"""Search, route, geocoding, drawing, district and geolocation (spec/3-rules.md 9)."""
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'nonce-{nonce}' 'unsafe-eval' https://*.amap.com",
        "worker-src blob:",
        "connect-src https://*.amap.com https://*.autonavi.com",
        "img-src https://*.amap.com https://*.autonavi.com data: blob:",
        "style-src 'unsafe-inline' https://*.amap.com",
        "font-src https://*.amap.com data:",
        "base-uri 'none'",
        "form-action 'none'",
    )
)
"""Content security policy of the page: it reaches its provider alone, which draws by styles and workers."""
PAGE = Path(__file__).with_name("map_page.html")


class AreaPlace(BaseModel):
    id: int
    name: str = Described(description="名称")
    initials: str = Described(description="拼音首字母")
    code: str | None = Described(description="行政区划代码")


class CityPlace(AreaPlace):
    areas: list[AreaPlace] = Described(description="区县")


class ProvincePlace(AreaPlace):
    cities: list[CityPlace] = Described(description="市")


@call(api, "GET", "v2/open/Map/getPage", right=ANY_USER)
def get_page(ctx: Context) -> Any:
    """地图页面: the provider's map with its key, for users alone."""
    given = read_settings()
    if not given.map_key:
        raise Refusal("没有配置地图服务")
    policy = POLICY.format(nonce=(nonce := secrets.token_urlsafe(16)))
    page = PAGE.read_text("utf-8")
    words = {"policy": policy, "nonce": nonce, "key": given.map_key, "code": given.map_code}
    for name, word in {**words, "plugins": ",".join(PLUGINS)}.items():
        page = page.replace(f"{{{{{name}}}}}", word)
    return Response(page, media_type="text/html", headers=sandbox_headers(policy))


@call(api, "GET", "v2/open/Map/getRegions", right=ANY_USER, returns=list[ProvincePlace])
def get_regions(ctx: Context) -> Any:
    """地区: all provinces, cities and districts that may be chosen, by which an address is found without a map."""
    cities: dict[int, list[Any]] = {}
    areas: dict[int, list[Any]] = {}
    area, city, province = Area.table(), City.table(), Province.table()
    for row in ctx.conn.execute(select(area).where(area.c.enabled).order_by(area.c.area_id)):
        areas.setdefault(row.city_id, []).append(_build_region(row, "area"))
    for row in ctx.conn.execute(select(city).where(city.c.enabled).order_by(city.c.city_id)):
        place = _build_region(row, "city") | {"areas": areas.get(row.city_id, [])}
        cities.setdefault(row.province_id, []).append(place)
    return [
        _build_region(row, "province") | {"cities": cities.get(row.province_id, [])}
        for row in ctx.conn.execute(
            select(province).where(province.c.enabled).order_by(province.c.province_id)
        )
    ]


def _build_region(row: Row[Any], level: str) -> dict[str, Any]:
    key, name = getattr(row, f"{level}_id"), getattr(row, f"{level}_name")
    return {"id": key, "name": name, "initials": row.logogram or "", "code": row.code}
