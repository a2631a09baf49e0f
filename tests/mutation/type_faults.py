"""Faults in what all declared types share, which the rules of every type must find."""

from __future__ import annotations

from tests.mutation.mutant import Mutant

MATRIX = "tests/kit/test_bill_matrix.py"
CALLS, LISTS = "tests/kit/test_declared_calls.py", "tests/kit/test_declared_lists.py"
SCREENS, LISTING = "tests/kit/test_declared_screens.py", "tests/kit/test_listing.py"
BAD, SCOPE = "tests/kit/test_bad_values.py", "tests/identity/test_data_scope.py"
HIDDEN, ROUTES = "tests/identity/test_every_hidden_field.py", "tests/identity/test_route_rights.py"
ELSEWHERE = f"{SCOPE}::TestAnotherCompany"


def contract_fault(name: str, file: str, old: str, new: str, *asked: str) -> Mutant:
    return Mutant(name, f"api/{file}", old, new, asked, contract=True)


CONTRACT = (
    # Companies
    contract_fault(
        "record of another company",
        "kit/storage/records.py",
        "mine = (scope_condition(cls.table(), ctx.principal),)",
        "mine = ()",
        f"{ELSEWHERE}::test_no_call_reaches_it",
    ),
    contract_fault(
        "list without company scope",
        "kit/storage/listing.py",
        "found: list[ColumnElement[bool]] = [scope_condition(cls.table(), principal)]",
        "found: list[ColumnElement[bool]] = []",
        f"{ELSEWHERE}::test_filters_do_not_reach_it",
    ),
    contract_fault(
        "transition of another company's bill",
        "kit/bills/transitions.py",
        "mine = (table.c.bill_id == key) & scope_condition(table, ctx.principal)",
        "mine = table.c.bill_id == key",
        f"{ELSEWHERE}::test_no_call_reaches_it",
    ),
    contract_fault(
        "company by warehouse not asked",
        "kit/scope.py",
        'select(owner.columns["warehouse_id"]).where(owner.columns["company_id"].in_(companies))',
        'select(owner.columns["warehouse_id"])',
        f"{ELSEWHERE}::test_no_call_reaches_it",
    ),
    contract_fault(
        "reference into another company",
        "kit/storage/validation.py",
        "key.in_(sorted(keys)), scope_condition(table, principal), target.selectable_condition()",
        "key.in_(sorted(keys)), target.selectable_condition()",
        f"{ELSEWHERE}::test_nothing_is_added_to_it",
    ),
    contract_fault(
        "count without the filter",
        "kit/storage/listing.py",
        "chosen, params = build_conditions(cls, query, principal), query.model_dump()",
        "chosen, params = list[ColumnElement[bool]](), query.model_dump()",
        f"{ELSEWHERE}::test_it_is_not_counted",
    ),
    # Hidden fields
    contract_fault(
        "bill without masks",
        "kit/http/endpoints.py",
        "return mask_row(row, masked_names(cls, cls.name(), ctx.principal)) | child_rows",
        "return dict(row._mapping) | child_rows",
        f"{HIDDEN}::test_lists_and_details",
    ),
    contract_fault(
        "record without masks",
        "kit/storage/records.py",
        "return mask_row(row, masked_names(cls, cls.name(), ctx.principal)) | child_rows",
        "return dict(row._mapping) | child_rows",
        f"{HIDDEN}::test_lists_and_details",
    ),
    contract_fault(
        "lines without masks",
        "kit/storage/child_rows.py",
        "[mask_row(row, hidden) for row in ctx.conn.execute(ordered)]",
        "[dict(row._mapping) for row in ctx.conn.execute(ordered)]",
        f"{HIDDEN}::test_lists_and_details",
    ),
    contract_fault(
        "screen without masks",
        "kit/http/screens.py",
        "masked=item.name in hidden",
        "masked=False",
        f"{HIDDEN}::test_forms_and_screens",
    ),
    contract_fault(
        "paper without masks",
        "printing/bill_layout.py",
        "return [item for item in fields if item.name not in hidden]",
        "return [item for item in fields if item.name]",
        f"{HIDDEN}::test_prints",
    ),
    contract_fault(
        "export with hidden columns",
        "shell/files/export_job.py",
        "            shown = list_export_columns(cls, principal)\n",
        "            shown = [item for item in shown_fields(cls) if item.list]\n",
        f"{HIDDEN}::test_exports",
    ),
    # Rights
    contract_fault(
        "a right not asked",
        "kit/http/routing.py",
        "if right != ANY_USER:\n        ctx.require_right(right)",
        'if right != ANY_USER and right != "customer:export":\n        ctx.require_right(right)',
        f"{ROUTES}::TestEveryCall::test_a_role_without_rights_gets_nowhere",
    ),
    contract_fault(
        "totals for any user",
        "kit/http/endpoints.py",
        '/getTotals", right=right,',
        '/getTotals", right="*any",',
        f"{SCREENS}::TestDocument",
        "tests/identity/test_matrix.py::test_no_route_is_without_a_right",
    ),
    contract_fault(
        "transition by the right to look",
        "kit/http/endpoints.py",
        "right=cls.right(name), returns=BatchAnswer",
        'right=cls.right("list"), returns=BatchAnswer',
        f"{SCREENS}::TestDocument::test_every_call_is_documented_with_its_right",
    ),
    # Bills
    contract_fault(
        "status not asked",
        "kit/bills/transitions.py",
        "where(mine, table.c.status == before, table.c.status.in_(step.source), as_read)",
        "where(mine, as_read)",
        f"{MATRIX}::TestTransition::test_from_another_status_each_is_refused_and_changes_nothing",
    ),
    contract_fault(
        "revision stays",
        "kit/bills/transitions.py",
        '"revision": cls.table().c.revision + 1}',
        '"revision": cls.table().c.revision + 0}',
        f"{MATRIX}::TestTransition::test_each_moves_the_bill_and_is_logged",
    ),
    contract_fault(
        "un-audit reverses nothing",
        "kit/bills/transitions.py",
        "        get_ledgers().reverse(ctx, cls.reference(doc.header))",
        "        pass",
        f"{MATRIX}::TestUnaudit::test_it_restores_every_balance",
    ),
    contract_fault(
        "key ignored",
        "kit/bills/transitions.py",
        "fresh, _ = idempotency.claim_part(ctx, key)",
        "fresh, _ = True, idempotency.claim_part(ctx, key)",
        f"{MATRIX}::TestAudit::test_twice_under_one_key_has_one_effect",
    ),
    contract_fault(
        "key for another content",
        "kit/storage/idempotency.py",
        "where user_id = %(user)s and key = %(key)s and request_hash <> %(hash)s",
        "where user_id = %(user)s and key = %(key)s and part = %(part)s and request_hash <> %(hash)s",
        f"{MATRIX}::TestAudit::test_a_key_is_not_reused_for_another_bill",
    ),
    contract_fault(
        "stale edit",
        "kit/bills/drafts.py",
        'if str(payload["revision"]) != str(stored.revision):',
        'if str(payload["revision"]) > str(stored.revision):',
        f"{MATRIX}::TestEdit::test_an_old_revision_is_refused",
    ),
    contract_fault(
        "edit of an audited bill",
        "kit/bills/drafts.py",
        '    if stored.status != UNAUDITED:\n        raise Refusal(f"单据{STATUSES[stored.status]}，不能修改")',
        '    if stored.status > 2:\n        raise Refusal(f"单据{STATUSES[stored.status]}，不能修改")',
        f"{MATRIX}::TestEdit::test_other_statuses_refuse_it_and_deletion",
    ),
    contract_fault(
        "closed period not asked",
        "ledger/sql/20_guards.sql",
        "p.period = month and p.status = 1",
        "p.period = month and p.status = 2",
        f"{MATRIX}::TestClosedPeriod",
    ),
    # Values
    contract_fault(
        "cap not held",
        "kit/declaration/validation_rules.py",
        "if abs(value) >= CAP:",
        "if abs(value) > CAP:",
        f"{BAD}::TestAdd::test_each_bad_header_value_is_refused",
    ),
    contract_fault(
        "prices of eight decimals",
        "kit/declaration/validation_rules.py",
        '"price": 6, "rate": 4',
        '"price": 8, "rate": 4',
        f"{BAD}::TestAdd::test_each_bad_line_value_is_refused",
    ),
    contract_fault(
        "required field left out",
        "kit/storage/validation.py",
        "if value is None and item.required and len(problems.failures) == found:",
        'if value is None and item.required and item.kind != "text" and len(problems.failures) == found:',
        f"{BAD}::TestAdd::test_all_mistakes_are_told_at_once",
    ),
    contract_fault(
        "digits of other scripts",
        "kit/storage/validation.py",
        "return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else None",
        "return int(text) if text.isdigit() and len(text) <= 18 else None",
        f"{BAD}::TestAdd::test_each_bad_header_value_is_refused",
    ),
    contract_fault(
        "false is nothing",
        "kit/storage/validation.py",
        '    if sent is None or sent == "":\n        return None\n',
        "    if not sent:\n        return None\n",
        "tests/kit/test_round_trip.py",
    ),
    # Lists
    contract_fault(
        "filter ignored",
        "kit/storage/listing.py",
        "            found.append(column.in_(include_descendants(owner, item, chosen) if item.ref else chosen))",
        "            include_descendants(owner, item, chosen)",
        f"{LISTS}::TestList::test_every_search_field_takes_a_value",
    ),
    contract_fault(
        "last day left out",
        "kit/storage/listing.py",
        "column < bound + timedelta(days=1) if whole_day",
        "column < bound if whole_day",
        f"{LISTING}::TestOrder",
    ),
    contract_fault(
        "order without tie-breaker",
        "kit/storage/sort_order.py",
        "by = [*first, *(cls.table().columns[name] for name in then), cls.key()]",
        "by = [*first, *(cls.table().columns[name] for name in then)] or [cls.key()]",
        f"{LISTING}::TestOrder",
    ),
    contract_fault(
        "keyword not escaped",
        "kit/storage/listing.py",
        "column.icontains(text, autoescape=True)",
        "column.icontains(text)",
        f"{LISTS}::TestList::test_a_keyword_that_fits_nothing_finds_nothing",
        f"{LISTING}::TestKeyword",
    ),
    contract_fault(
        "flag without filter",
        "kit/declaration/fields.py",
        'return flag_field("启用", default=True, search=True)',
        'return flag_field("启用", default=True)',
        f"{LISTING}::TestEnabled",
    ),
    # Answers
    contract_fault(
        "answer beside its schema",
        "kit/http/endpoints.py",
        '"at": row.at,',
        '"at": None,',
        f"{CALLS}::TestReading::test_the_log_says_who_added",
    ),
    contract_fault(
        "disabled ones offered",
        "master/lookups/dropdowns.py",
        'elif "enabled" in table.c:\n        conditions.append(table.c.enabled)',
        'elif "enabled" in table.c and query.disabled:\n        conditions.append(table.c.enabled)',
        f"{CALLS}::TestReading::test_the_dropdown_finds_a_record_by_its_key",
    ),
    contract_fault(
        "exports of everybody",
        "shell/files/export_calls.py",
        "mine = task.c.user_id == ctx.principal.user_id\n    rows",
        "mine = task.c.user_id > 0\n    rows",
        f"{CALLS}::TestExport",
    ),
    contract_fault(
        "forms nest nothing",
        "kit/http/form_encoding.py",
        'if value[:1] not in ("[", "{"):',
        'if value[:1] not in ("{",):',
        f"{CALLS}::TestForm",
    ),
    contract_fault(
        "one row too many told",
        "shell/files/export_job.py",
        "            _write_summary(book, about, heading)\n    return count\n",
        "            _write_summary(book, about, heading)\n    return count + 1\n",
        "tests/shell/test_every_export.py",
    ),
    contract_fault(
        "first sum out of sight",
        "money/fund_transfer.py",
        '"转出金额", required=True, rule="positive", total=True, width=130, sort=-50',
        '"转出金额", required=True, rule="positive", total=True, width=1300, sort=-50',
        "tests/kit/test_columns.py",
    ),
)
