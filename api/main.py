"""The application (应用入口): declared and hand-written calls, the frame proxy and the built web on one port."""

from __future__ import annotations

from fastapi import FastAPI

from api import catalogue
from api.customers import calls as customer_calls
from api.exporting import calls as exporting_calls
from api.figures import alert_calls, comment_calls, explaining
from api.identity import calls as identity_calls
from api.identity import imitation, role_calls, user_calls
from api.identity.holders import holders
from api.identity.sessions import authenticate
from api.importing import count_sheets, initialisation, line_sheets, record_sheets
from api.inventory import conversions, stock_calls
from api.kit import attachments, calls, endpoints, reasons, registry, transitions
from api.kit.directory import Directory
from api.kit.failures import answer_failures
from api.kit.settings import settings
from api.master import calls as master_calls
from api.master import (
    due_calls,
    filling_calls,
    goods_calls,
    map_service,
    number_templates,
    open_lookups,
    rebate_calls,
    setting_calls,
    supplier_resource_calls,
    total_price,
)
from api.master.ledgers import Books
from api.messaging import calls as messaging_calls
from api.money import calls as money_calls
from api.printing import bill_calls, label_calls, setup_calls
from api.purchase import calls as purchase_calls
from api.reporting import calls as reporting_calls
from api.reporting import (
    console_calls,
    data_dictionary,
    data_state,
    explore,
    metrics,
    published_boards,
    report_visits,
    stock_overview_calls,
)
from api.reporting.explore_door import ExploreDoor
from api.reporting.proxy import FrameProxy
from api.risk import calls as risk_calls
from api.sales import calls as sales_calls
from api.shell import (
    backup_calls,
    bill_addresses,
    bill_effects,
    business_logs,
    call_titles,
    cart_calls,
    cleanup_calls,
    document_calls,
    integrity_screen,
    message_calls,
    pay_center,
    pending,
    planned,
    popup_logs,
    preferences,
    recalculation_job,
    station_calls,
    survey_calls,
    upload_calls,
    upload_use,
    wake,
)
from api.shell import calls as shell_calls
from api.shell.export_tasks import enqueue
from api.shell.site import Site
from api.subscribing import calls as subscribing_calls

assert catalogue.__all__

HAND_WRITTEN = (
    identity_calls,
    role_calls,
    user_calls,
    imitation,
    master_calls,
    supplier_resource_calls,
    goods_calls,
    map_service,
    number_templates,
    due_calls,
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
    explaining,
    published_boards,
    report_visits,
    data_dictionary,
    data_state,
    explore,
    console_calls,
    stock_overview_calls,
    shell_calls,
    count_sheets,
    line_sheets,
    initialisation,
    upload_calls,
    backup_calls,
    cleanup_calls,
    recalculation_job,
    integrity_screen,
    messaging_calls,
    bill_calls,
    label_calls,
    setup_calls,
    pending,
    planned,
    bill_addresses,
    bill_effects,
    preferences,
    station_calls,
    cart_calls,
    survey_calls,
    pay_center,
    message_calls,
    popup_logs,
    business_logs,
    document_calls,
)


def build() -> FastAPI:
    """Wire the parts together; nothing above this module knows all of them."""
    calls.set_authenticator(authenticate)
    transitions.set_ledgers(Books())
    transitions.on_posted(wake.warehouse)
    endpoints.set_export(enqueue)
    reasons.set_holders(holders)
    attachments.set_judge(upload_use.problem)
    # FastAPI doesn't serve its document: it takes longer to make than anybody's next click may wait.
    app = FastAPI(title="汽配轮胎商贸 ERP", version="1.0.0", openapi_url=None)
    described = app.openapi
    app.openapi = lambda: call_titles.name_all(described())  # type: ignore[method-assign]
    answer_failures(app)
    declared = calls.router()
    for cls in registry.declared():
        endpoints.mount(declared, cls)
        if "import" in cls.declaration.actions:
            record_sheets.mount(declared, cls)
        filling_calls.mount(declared, cls)
    bill_calls.mount_all()
    for router in (declared, *(module.api for module in HAND_WRITTEN)):
        app.router.routes.extend(router.routes)  # as they are: included, each would be made again
    app.router.routes.insert(0, Directory(app.router.routes))
    app.add_route(metrics.PATH, metrics.metrics, include_in_schema=False)
    app.mount("/", Site(report_sites=settings().report_sites.values()))
    app.add_middleware(FrameProxy, upstream=settings().report_upstream)
    app.add_middleware(ExploreDoor, upstream=settings().report_upstream, port=settings().explore_port)
    return app


app = build()
