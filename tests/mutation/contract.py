"""Faults in what all declared types share, which the rules of every type must find."""

from __future__ import annotations

from tests.mutation.mutant import Mutant

MATRIX = "tests/kit/test_bill_matrix.py"
CALLS, LISTS = "tests/kit/test_declared_calls.py", "tests/kit/test_declared_lists.py"
SCREENS, LISTING = "tests/kit/test_declared_screens.py", "tests/kit/test_listing.py"
BAD, SCOPE = "tests/kit/test_bad_values.py", "tests/identity/test_data_scope.py"
HIDDEN, ROUTES = "tests/identity/test_every_hidden_field.py", "tests/identity/test_route_rights.py"
ELSEWHERE = f"{SCOPE}::TestAnotherCompany"


def fault(name: str, file: str, old: str, new: str, *asked: str) -> Mutant:
    return Mutant(name, f"api/{file}", old, new, asked, contract=True)


CONTRACT = (
    # Companies
    fault(
        "record of another company",
        "kit/records.py",
        "mine = (within(cls.table(), ctx.principal),)",
        "mine = ()",
        f"{ELSEWHERE}::test_no_call_reaches_it",
    ),
    fault(
        "list without company scope",
        "kit/listing.py",
        "found: list[ColumnElement[bool]] = [within(cls.table(), principal)]",
        "found: list[ColumnElement[bool]] = []",
        f"{ELSEWHERE}::test_filters_do_not_reach_it",
    ),
    fault(
        "transition of another company's bill",
        "kit/transitions.py",
        "mine = (table.c.bill_id == key) & within(table, ctx.principal)",
        "mine = table.c.bill_id == key",
        f"{ELSEWHERE}::test_no_call_reaches_it",
    ),
    fault(
        "company by warehouse not asked",
        "kit/scope.py",
        'select(owner.columns["warehouse_id"]).where(owner.columns["company_id"].in_(companies))',
        'select(owner.columns["warehouse_id"])',
        f"{ELSEWHERE}::test_no_call_reaches_it",
    ),
    fault(
        "reference into another company",
        "kit/validation.py",
        "key.in_(sorted(keys)), within(table, principal), target.choosable()",
        "key.in_(sorted(keys)), target.choosable()",
        f"{ELSEWHERE}::test_nothing_is_added_to_it",
    ),
    fault(
        "count without the filter",
        "kit/listing.py",
        "chosen, asked = conditions(cls, query, principal), query.model_dump()",
        "chosen, asked = list[ColumnElement[bool]](), query.model_dump()",
        f"{ELSEWHERE}::test_it_is_not_counted",
    ),
    # Hidden fields
    fault(
        "bill without masks",
        "kit/endpoints.py",
        "return masked(row, masks(cls, cls.name(), ctx.principal)) | blocks",
        "return dict(row._mapping) | blocks",
        f"{HIDDEN}::test_lists_and_details",
    ),
    fault(
        "record without masks",
        "kit/records.py",
        "return masked(row, masks(cls, cls.name(), ctx.principal)) | blocks",
        "return dict(row._mapping) | blocks",
        f"{HIDDEN}::test_lists_and_details",
    ),
    fault(
        "lines without masks",
        "kit/blocks.py",
        "[masked(row, hidden) for row in ctx.conn.execute(ordered)]",
        "[dict(row._mapping) for row in ctx.conn.execute(ordered)]",
        f"{HIDDEN}::test_lists_and_details",
    ),
    fault(
        "screen without masks",
        "kit/screens.py",
        "masked=item.name in hidden",
        "masked=False",
        f"{HIDDEN}::test_forms_and_screens",
    ),
    fault(
        "paper without masks",
        "printing/sheet.py",
        "return [item for item in fields if item.name not in hidden]",
        "return [item for item in fields if item.name]",
        f"{HIDDEN}::test_prints",
    ),
    fault(
        "export with hidden columns",
        "shell/export_job.py",
        "            shown = columns(cls, principal)\n",
        "            shown = [item for item in shown_fields(cls) if item.list]\n",
        f"{HIDDEN}::test_exports",
    ),
    # Rights
    fault(
        "a right not asked",
        "kit/calls.py",
        "if right != ANY_USER:\n        ctx.require(right)",
        'if right != ANY_USER and right != "customer:export":\n        ctx.require(right)',
        f"{ROUTES}::TestEveryCall::test_a_role_without_rights_gets_nowhere",
    ),
    fault(
        "totals for any user",
        "kit/endpoints.py",
        '/getTotals", right=right,',
        '/getTotals", right="*any",',
        f"{SCREENS}::TestDocument",
        "tests/identity/test_matrix.py::test_no_route_is_without_a_right",
    ),
    fault(
        "transition by the right to look",
        "kit/endpoints.py",
        "right=cls.right(name), returns=BatchAnswer",
        'right=cls.right("list"), returns=BatchAnswer',
        f"{SCREENS}::TestDocument::test_every_call_is_documented_with_its_right",
    ),
    # Bills
    fault(
        "status not asked",
        "kit/transitions.py",
        "where(mine, table.c.status == before, table.c.status.in_(step.source), as_read)",
        "where(mine, as_read)",
        f"{MATRIX}::TestTransition::test_from_another_status_each_is_refused_and_changes_nothing",
    ),
    fault(
        "revision stays",
        "kit/transitions.py",
        '"revision": cls.table().c.revision + 1}',
        '"revision": cls.table().c.revision + 0}',
        f"{MATRIX}::TestTransition::test_each_moves_the_bill_and_is_logged",
    ),
    fault(
        "un-audit reverses nothing",
        "kit/transitions.py",
        "        ledgers().reverse(ctx, cls.reference(doc.header))",
        "        pass",
        f"{MATRIX}::TestUnaudit::test_it_restores_every_balance",
    ),
    fault(
        "key ignored",
        "kit/transitions.py",
        "fresh, _ = idempotency.claim(ctx, key)",
        "fresh, _ = True, idempotency.claim(ctx, key)",
        f"{MATRIX}::TestAudit::test_twice_under_one_key_has_one_effect",
    ),
    fault(
        "key for another content",
        "kit/idempotency.py",
        "where user_id = %(user)s and key = %(key)s and request_hash <> %(hash)s",
        "where user_id = %(user)s and key = %(key)s and part = %(part)s and request_hash <> %(hash)s",
        f"{MATRIX}::TestAudit::test_a_key_is_not_reused_for_another_bill",
    ),
    fault(
        "stale edit",
        "kit/drafts.py",
        'if str(payload["revision"]) != str(stored.revision):',
        'if str(payload["revision"]) > str(stored.revision):',
        f"{MATRIX}::TestEdit::test_an_old_revision_is_refused",
    ),
    fault(
        "edit of an audited bill",
        "kit/drafts.py",
        '    if stored.status != UNAUDITED:\n        raise Refusal(f"单据{STATUSES[stored.status]}，不能修改")',
        '    if stored.status > 2:\n        raise Refusal(f"单据{STATUSES[stored.status]}，不能修改")',
        f"{MATRIX}::TestEdit::test_other_statuses_refuse_it_and_deletion",
    ),
    fault(
        "closed period not asked",
        "ledger/sql/20_guards.sql",
        "p.period = month and p.status = 1",
        "p.period = month and p.status = 2",
        f"{MATRIX}::TestClosedPeriod",
    ),
    # Values
    fault(
        "cap not held",
        "kit/rules.py",
        "if abs(value) >= CAP:",
        "if abs(value) > CAP:",
        f"{BAD}::TestAdd::test_each_bad_header_value_is_refused",
    ),
    fault(
        "prices of eight decimals",
        "kit/rules.py",
        '"price": 6, "rate": 4',
        '"price": 8, "rate": 4',
        f"{BAD}::TestAdd::test_each_bad_line_value_is_refused",
    ),
    fault(
        "required field left out",
        "kit/validation.py",
        "if value is None and item.required and len(problems.failures) == found:",
        'if value is None and item.required and item.kind != "text" and len(problems.failures) == found:',
        f"{BAD}::TestAdd::test_all_mistakes_are_told_at_once",
    ),
    fault(
        "digits of other scripts",
        "kit/validation.py",
        "return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else None",
        "return int(text) if text.isdigit() and len(text) <= 18 else None",
        f"{BAD}::TestAdd::test_each_bad_header_value_is_refused",
    ),
    fault(
        "false is nothing",
        "kit/validation.py",
        '    if sent is None or sent == "":\n        return None\n',
        "    if not sent:\n        return None\n",
        "tests/kit/test_round_trip.py",
    ),
    # Lists
    fault(
        "filter ignored",
        "kit/listing.py",
        "            found.append(column.in_(with_those_below(owner, item, chosen) if item.ref else chosen))",
        "            with_those_below(owner, item, chosen)",
        f"{LISTS}::TestList::test_every_search_field_takes_a_value",
    ),
    fault(
        "last day left out",
        "kit/listing.py",
        "column < bound + timedelta(days=1) if whole_day",
        "column < bound if whole_day",
        f"{LISTING}::TestOrder",
    ),
    fault(
        "order without tie-breaker",
        "kit/ordering.py",
        "by = [*first, *(cls.table().columns[name] for name in then), cls.key()]",
        "by = [*first, *(cls.table().columns[name] for name in then)] or [cls.key()]",
        f"{LISTING}::TestOrder",
    ),
    fault(
        "keyword not escaped",
        "kit/listing.py",
        "column.icontains(text, autoescape=True)",
        "column.icontains(text)",
        f"{LISTS}::TestList::test_a_keyword_that_fits_nothing_finds_nothing",
        f"{LISTING}::TestKeyword",
    ),
    fault(
        "flag without filter",
        "kit/fields.py",
        'return flag("启用", default=True, search=True)',
        'return flag("启用", default=True)',
        f"{LISTING}::TestEnabled",
    ),
    # Answers
    fault(
        "answer beside its schema",
        "kit/endpoints.py",
        '"at": row.at,',
        '"at": None,',
        f"{CALLS}::TestReading::test_the_log_says_who_added",
    ),
    fault(
        "disabled ones offered",
        "master/lookups.py",
        'elif "enabled" in table.c:\n        conditions.append(table.c.enabled)',
        'elif "enabled" in table.c and query.disabled:\n        conditions.append(table.c.enabled)',
        f"{CALLS}::TestReading::test_the_dropdown_finds_a_record_by_its_key",
    ),
    fault(
        "exports of everybody",
        "shell/calls.py",
        "mine = task.c.user_id == ctx.principal.user_id\n    rows",
        "mine = task.c.user_id > 0\n    rows",
        f"{CALLS}::TestExport",
    ),
    fault(
        "forms nest nothing",
        "kit/forms.py",
        'if value[:1] not in ("[", "{"):',
        'if value[:1] not in ("{",):',
        f"{CALLS}::TestForm",
    ),
    fault(
        "one row too many told",
        "shell/export_job.py",
        "            _about(book, about, heading)\n    return count\n",
        "            _about(book, about, heading)\n    return count + 1\n",
        "tests/shell/test_every_export.py",
    ),
    fault(
        "first sum out of sight",
        "money/fund_transfer.py",
        '"转出金额", required=True, rule="positive", total=True, width=130, sort=-50',
        '"转出金额", required=True, rule="positive", total=True, width=1300, sort=-50',
        "tests/kit/test_columns.py",
    ),
)
