"""The application (应用入口): declared and hand-written calls, the frame proxy and the built web on one port."""

from __future__ import annotations

from fastapi import FastAPI

from api import catalogue
from api.customers import calls as customer_calls
from api.exporting import calls as exporting_calls
from api.figures import alert_calls, comment_calls, figure_explanation
from api.identity import impersonation, role_calls, user_calls
from api.identity import login_calls as identity_calls
from api.identity.right_lookup import list_right_holders
from api.identity.sessions import authenticate_token
from api.importing import count_sheets, initialisation_calls, line_sheets, record_sheets
from api.inventory import conversions, stock_calls
from api.kit.bills import refusal_causes, transitions
from api.kit.declaration import registry
from api.kit.http import endpoints, routing
from api.kit.http.error_handlers import install_error_handlers
from api.kit.http.route_index import RouteIndex
from api.kit.settings import read_settings
from api.kit.storage import attachments
from api.master.goods import goods_calls
from api.master.lookups import lookup_calls as master_calls
from api.master.lookups import open_lookups
from api.master.organization import map_service
from api.master.partners import supplier_resource_calls
from api.master.pricing import total_price
from api.master.rebates import rebate_calls
from api.master.recognition import autofill_calls
from api.master.settings import number_templates, setting_calls
from api.master.settlements import due_date_calls
from api.master.stock.ledger_gateway import LedgerGateway
from api.messaging import sms_calls as messaging_calls
from api.money import calls as money_calls
from api.printing import bill_calls, label_calls, setup_calls
from api.purchase import calls as purchase_calls
from api.reporting.dashboards import console_calls, stock_overview_calls
from api.reporting.snapshot import data_dictionary, data_state, monitoring
from api.reporting.superset_gateway import dashboard_calls, explore
from api.reporting.superset_gateway import frame_calls as reporting_calls
from api.reporting.superset_gateway.explore_gateway import ExploreGateway
from api.reporting.superset_gateway.frame_proxy import FrameProxy
from api.reporting.usage import report_visits
from api.risk import calls as risk_calls
from api.sales import calls as sales_calls
from api.shell.files import export_calls as shell_calls
from api.shell.files import upload_calls, upload_references
from api.shell.files.export_tasks import enqueue_list_export
from api.shell.operations import (
    backup_calls,
    cleanup_calls,
    integrity_screen,
    recalculation_job,
    refresh_notifier,
)
from api.shell.workspace import (
    announcement_calls,
    bill_addresses,
    bill_effects,
    business_logs,
    call_document,
    call_titles,
    cart_calls,
    payment_links,
    pending_items,
    preferences,
    reminders,
    screen_plan,
    station_calls,
    survey_calls,
)
from api.shell.workspace.web_assets import WebAssets
from api.subscribing import subscription_calls as subscribing_calls

assert catalogue.__all__

HAND_WRITTEN = (
    identity_calls,
    role_calls,
    user_calls,
    impersonation,
    master_calls,
    supplier_resource_calls,
    goods_calls,
    map_service,
    number_templates,
    due_date_calls,
    open_lookups,
    setting_calls,
    total_price,
    rebate_calls,
    purchase_calls,
    customer_calls,
    stock_calls,
    conversions,
    money_calls,
    sales_calls,
    risk_calls,
    reporting_calls,
    exporting_calls,
    subscribing_calls,
    alert_calls,
    comment_calls,
    figure_explanation,
    dashboard_calls,
    report_visits,
    data_dictionary,
    data_state,
    explore,
    console_calls,
    stock_overview_calls,
    shell_calls,
    count_sheets,
    line_sheets,
    initialisation_calls,
    upload_calls,
    backup_calls,
    cleanup_calls,
    recalculation_job,
    integrity_screen,
    messaging_calls,
    bill_calls,
    label_calls,
    setup_calls,
    pending_items,
    screen_plan,
    bill_addresses,
    bill_effects,
    preferences,
    station_calls,
    cart_calls,
    survey_calls,
    payment_links,
    announcement_calls,
    reminders,
    business_logs,
    call_document,
)


def build() -> FastAPI:
    """Wire the parts together; nothing above this module knows all of them."""
    routing.set_authenticator(authenticate_token)
    transitions.set_ledgers(LedgerGateway())
    transitions.register_waker(refresh_notifier.notify_refresh_worker)
    endpoints.set_export(enqueue_list_export)
    refusal_causes.set_holders(list_right_holders)
    attachments.set_access_check(upload_references.describe_upload_problem)
    # FastAPI doesn't serve its document: it takes longer to make than anybody's next click may wait.
    app = FastAPI(title="汽配轮胎商贸 ERP", version="1.0.0", openapi_url=None)
    described = app.openapi
    app.openapi = lambda: call_titles.add_call_titles(described())  # type: ignore[method-assign]
    install_error_handlers(app)
    declared = routing.build_router()
    for cls in registry.list_resources():
        endpoints.mount_endpoints(declared, cls)
        if "import" in cls.declaration.actions:
            record_sheets.mount_import(declared, cls)
        autofill_calls.mount_autofill(declared, cls)
    bill_calls.mount_all()
    for router in (declared, *(module.api for module in HAND_WRITTEN)):
        app.router.routes.extend(router.routes)  # as they are: included, each would be made again
    app.router.routes.insert(0, RouteIndex(app.router.routes))
    app.add_route(monitoring.PATH, monitoring.serve_metrics, include_in_schema=False)
    app.mount("/", WebAssets(report_sites=read_settings().report_sites.values()))
    app.add_middleware(FrameProxy, upstream=read_settings().report_upstream)
    app.add_middleware(
        ExploreGateway, upstream=read_settings().report_upstream, port=read_settings().explore_port
    )
    return app


app = build()
