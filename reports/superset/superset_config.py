"""Superset's configuration (配置): Chinese, theme, security of embedding, read-only snapshots.

Loaded by Superset itself (`SUPERSET_CONFIG_PATH`), so every upper-case name here is a Superset setting.
"""

import logging
import os
import sqlite3
import time
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, FileSystemLoader
from sqlalchemy import event
from sqlalchemy.engine import Engine
from superset.utils.log import StdOutEventLogger

from api.kit.settings import read_settings
from reports.catalogue import GUEST_AUDIENCE, GUEST_ROLE
from reports.superset.explore_access import install_owner_restriction
from reports.superset.security import GUEST_HEADER, ReportSecurityManager, stored_columns
from reports.superset.snapshot import connect_to_snapshot, install_default_schema
from reports.superset.theme import COLOR_SCHEMES, NAME, SEQUENTIAL_SCHEMES, THEME
from reports.superset_patches.explore_defaults import install_explore_defaults
from reports.superset_patches.guest_responses import (
    install_chart_postprocessing,
    install_file_responses,
    install_pivot_limit,
    install_reader_states,
    install_sql_hiding,
)
from reports.superset_patches.link_access import install_link_hiding
from reports.superset_patches.login_middleware import LoginMiddleware
from reports.superset_patches.mobile_layout import install_mobile_layout
from reports.superset_patches.query_fast_path import install_query_fast_path, own_dataset
from reports.superset_patches.request_validation import install_request_validation
from reports.superset_patches.response_cache import install_response_cache
from reports.superset_patches.table_search import install_table_search
from reports.superset_patches.translations import install_translations

_SETTINGS = read_settings()
# Ranges such as this month are of the business's today.
os.environ["TZ"] = "Asia/Shanghai"
time.tzset()
# A site whose frames come from another address than its own must be named; the others are 'self'.
_FRAMING_SITES = sorted(
    f"{scheme}://{host}:*"
    for host, address in _SETTINGS.report_sites.items()
    if address
    for scheme in ("http", "https")
)

SECRET_KEY = _SETTINGS.secrets["superset_secret_key"]
SQLALCHEMY_DATABASE_URI = f"sqlite:///{_SETTINGS.superset_dir / 'metadata.db'}?check_same_thread=false"
DATA_DIR = str(_SETTINGS.superset_dir)

# 语言与样式
BABEL_DEFAULT_LOCALE = "zh"
LANGUAGES = {"zh": {"flag": "cn", "name": "简体中文"}}
APP_NAME = NAME
D3_FORMAT = {"decimal": ".", "thousands": ",", "grouping": [3], "currency": ["¥", ""]}
D3_TIME_FORMAT = {
    "dateTime": "%Y-%m-%d %H:%M:%S",
    "date": "%Y-%m-%d",
    "time": "%H:%M:%S",
    "periods": ["上午", "下午"],
    "days": ["星期日", "星期一", "星期二", "星期三", "星期四", "星期五", "星期六"],
    "shortDays": ["周日", "周一", "周二", "周三", "周四", "周五", "周六"],
    "months": [f"{month}月" for month in range(1, 13)],
    "shortMonths": [f"{month}月" for month in range(1, 13)],
}
THEME_DEFAULT = THEME
THEME_DARK = None
ENABLE_UI_THEME_ADMINISTRATION = False
# Drawn by an older way of asking for data, which is closed here, or upon maps that are fetched from elsewhere; or no
# charts at all: templates to be written, and controls of dashboards.
VIZ_TYPE_DENYLIST = [
    *("cartodiagram", "handlebars"),
    *("chart_customization_deckgl_layer_visibility", "chart_customization_dynamic_groupby"),
    *("chart_customization_timecolumn", "chart_customization_timegrain"),
    *("bubble", "bullet", "cal_heatmap", "chord", "compare", "country_map", "horizon", "mapbox"),
    *("paired_ttest", "para", "partition", "rose", "time_pivot", "time_table", "world_map"),
    *("deck_arc", "deck_contour", "deck_geojson", "deck_grid", "deck_heatmap", "deck_hex", "deck_multi"),
    *("deck_path", "deck_polygon", "deck_scatter", "deck_screengrid"),
]
EXTRA_CATEGORICAL_COLOR_SCHEMES = COLOR_SCHEMES
EXTRA_SEQUENTIAL_COLOR_SCHEMES = SEQUENTIAL_SCHEMES

# 嵌入与权限
FEATURE_FLAGS = {
    "EMBEDDED_SUPERSET": True,
    # Charts out of sight are asked for when a reader comes to them.
    "DASHBOARD_VIRTUALIZATION_DEFER_DATA": True,
    "DASHBOARD_RBAC": False,
    "DRILL_TO_DETAIL": False,
    "DRILL_BY": False,
    # Of explorers, whose account is the shell's and whose charts are their own.
    "CSS_TEMPLATES": False,
    "EMBEDDABLE_CHARTS": False,
    "MENU_HIDE_USER_INFO": True,
    "ENABLE_TEMPLATE_PROCESSING": False,
    "ALLOW_ADHOC_SUBQUERY": False,
}
CUSTOM_SECURITY_MANAGER = ReportSecurityManager
GUEST_ROLE_NAME = GUEST_ROLE
GUEST_TOKEN_JWT_SECRET = _SETTINGS.secrets["guest_token_secret"]
GUEST_TOKEN_JWT_AUDIENCE = GUEST_AUDIENCE
GUEST_TOKEN_JWT_EXP_SECONDS = 300
GUEST_TOKEN_HEADER_NAME = GUEST_HEADER
# People and reports come with our API's word; Superset's own login is for maintenance.
ADDITIONAL_MIDDLEWARE = [LoginMiddleware]
AUTH_ROLE_PUBLIC = "Public"
PUBLIC_ROLE_LIKE = None
WTF_CSRF_ENABLED = True
SESSION_COOKIE_NAME = "superset_session"
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_HTTPONLY = True
# Superset by itself lets a map site read its answers.
ENABLE_CORS = False
PERMANENT_SESSION_LIFETIME = timedelta(hours=8)
ENABLE_PROXY_FIX = True
PROXY_FIX_CONFIG = {"x_for": 1, "x_proto": 1, "x_host": 1, "x_port": 0, "x_prefix": 0}
TALISMAN_ENABLED = True
TALISMAN_CONFIG = {
    "content_security_policy": {
        "base-uri": ["'self'"],
        "default-src": ["'self'"],
        "img-src": ["'self'", "blob:", "data:"],
        "worker-src": ["'self'", "blob:"],
        "connect-src": ["'self'"],
        "object-src": "'none'",
        "style-src": ["'self'", "'unsafe-inline'"],
        "font-src": ["'self'", "data:"],
        "script-src": ["'self'", "'strict-dynamic'"],
        "frame-ancestors": ["'self'", *_FRAMING_SITES],
    },
    "content_security_policy_nonce_in": ["script-src"],
    "frame_options": None,
    "force_https": False,
    "session_cookie_secure": False,
}
CONTENT_SECURITY_POLICY_WARNING = False

# 数据：只读快照；结果按快照号、角色规则和查询缓存，快照换新即不再命中
DB_CONNECTION_MUTATOR = connect_to_snapshot
PREVENT_UNSAFE_DB_CONNECTIONS = False
# What every page says of Superset itself.
CACHE_CONFIG = {"CACHE_TYPE": "SimpleCache", "CACHE_DEFAULT_TIMEOUT": 60}
THUMBNAIL_CACHE_CONFIG = {"CACHE_TYPE": "NullCache"}
# Filter states are shared by all workers: files on one machine, Redis when several machines run Superset.
_REDIS_URL = os.environ.get("ERP_REDIS_URL", "")
_STATE_STORE: dict[str, str | int] = (
    {"CACHE_TYPE": "RedisCache", "CACHE_REDIS_URL": _REDIS_URL}
    if _REDIS_URL
    else {
        "CACHE_TYPE": "FileSystemCache",
        "CACHE_DIR": str(_SETTINGS.superset_dir / "state"),
        "CACHE_THRESHOLD": 20_000,
    }
)
_STATE_CACHE = {**_STATE_STORE, "CACHE_DEFAULT_TIMEOUT": int(timedelta(days=7).total_seconds())}
FILTER_STATE_CACHE_CONFIG = {**_STATE_CACHE, "CACHE_KEY_PREFIX": "filter_state_"}
EXPLORE_FORM_DATA_CACHE_CONFIG = {**_STATE_CACHE, "CACHE_KEY_PREFIX": "form_data_"}
# Answers are dropped with their snapshot: to make room among them one by one would cost more than to ask again.
_RESULT_STORE = (
    _STATE_STORE if _REDIS_URL else {**_STATE_STORE, "CACHE_DIR": str(_SETTINGS.superset_dir / "results")}
)
DATA_CACHE_CONFIG = {
    **_RESULT_STORE,
    "CACHE_DEFAULT_TIMEOUT": int(timedelta(minutes=30).total_seconds()),
    "CACHE_KEY_PREFIX": "result_",
}
ROW_LIMIT = 10_000
SQL_MAX_ROW = 100_000
# Above so many rows Superset would write a file line by line by a way of its own, in which texts may be formulas.
CSV_STREAMING_ROW_THRESHOLD = 1_000_000_000
NATIVE_FILTER_DEFAULT_ROW_LIMIT = 1_000
SUPERSET_WEBSERVER_TIMEOUT = 60
DISALLOWED_SQL_FUNCTIONS = {
    "duckdb": {
        "getenv",
        "current_setting",
        "read_csv",
        "read_csv_auto",
        "read_text",
        "read_blob",
        "read_parquet",
        "read_json",
        "glob",
        "sniff_csv",
        "duckdb_settings",
        "duckdb_secrets",
        "query",
        "query_table",
    },
}


class QuietEventLogger(StdOutEventLogger):
    """An event logger that writes nothing.

    A row in the metadata file for every chart request would make readers wait.
    """

    def log(self, *args: Any, **kwargs: Any) -> None:
        return None


EVENT_LOGGER = QuietEventLogger()


@event.listens_for(Engine, "connect")
def _use_write_ahead_log(connection: Any, _record: Any) -> None:
    """Switch the metadata file to a write-ahead log: no reader waits for a writer."""
    if isinstance(connection, sqlite3.Connection):
        connection.execute("pragma journal_mode = wal")
        connection.execute("pragma synchronous = normal")


def _is_other_message(text: str, record: logging.LogRecord) -> bool:
    return text not in str(record.msg)


def FLASK_APP_MUTATOR(app: Any) -> None:
    """Install the patches that settings can't express.

    Translations, no SQL for guests, frames, response cache.
    """
    install_translations(app)
    install_sql_hiding(app)
    install_mobile_layout(app)
    install_link_hiding(app)
    # Last of those that bear on answers: what it keeps is what they have not changed yet.
    install_response_cache(app)
    install_owner_restriction(app)
    install_explore_defaults()
    install_chart_postprocessing()
    install_file_responses()
    install_pivot_limit()
    install_request_validation()
    install_reader_states()
    install_default_schema()
    install_query_fast_path()
    install_table_search(own_dataset, stored_columns)
    app.jinja_loader = ChoiceLoader([FileSystemLoader(Path(__file__).with_name("pages")), app.jinja_loader])
    # Said for every request: of a guest, who is no row of the user table, and of a metric that is no plain sum.
    for source, text in (
        (None, "Failed to add user to db session"),
        ("superset.utils.core", "Unexpected metric expression type"),
    ):
        logging.getLogger(source).addFilter(partial(_is_other_message, text))
