import { useQueryClient } from '@tanstack/react-query';
import { App, Input } from 'antd';
import type { HookAPI } from 'antd/es/modal/useModal';
import { useCallback, useState } from 'react';
import { api } from '../lib/api';
import { ApiError, NETWORK, reportError, showFailures, showMessage, type Failure } from '../lib/errors';
import {
  confirmBatch,
  filterUnconfirmed,
  confirmRefusal,
  isConfirmationRequest,
  type Confirmations,
} from './confirmation';
import { ActionFields } from './ActionFields';
import { confirmAct, type Consequence } from './consequenceDialog';
import { isEmptyRef } from './fields/fieldValue';
import { removeRefusals, addRefusals, parseReasons, type RefusedRecord } from './refusals';
import { isRef, recordKey, type Action, type BatchAnswer, type Field, type Row, type Screen } from './types';

/** Deleting and moving bills through their states: confirmation, reason, stock warnings, and who failed and why. */

export interface ActionOutcome {
  /** False when the user changed his mind or nothing went through. */
  done: boolean;
  failed: Set<number>;
  /** Why the server would not do it for a single record. */
  refusal?: string;
}

/** Status codes of refusals (spec/3-rules.md 8). */
const REFUSAL_CODES = new Set([400, 402, 403]);
/** Display time of a deletion's message (spec/3-rules.md 8 and 9). */
const DELETION_SECONDS = 5;
const NO_OUTCOME: ActionOutcome = { done: false, failed: new Set() };

export function useActions(screen: Screen) {
  const { modal } = App.useApp();
  const client = useQueryClient();
  const [running, setRunning] = useState<string | null>(null);

  const run = useCallback(
    async (action: Action, rows: Row[], options: { unasked?: boolean } = {}): Promise<ActionOutcome> => {
      if (rows.length === 0) {
        showMessage('warning', action.name === 'del' ? '请选择要删除的信息' : `请选择要${action.label}的信息`);
        return NO_OUTCOME;
      }
      const answer = options.unasked ? {} : await promptForInput(modal, screen, action, rows);
      if (answer === null) {
        showMessage('info', action.name === 'del' ? '已取消删除' : '已取消此操作');
        return NO_OUTCOME;
      }
      setRunning(action.name);
      try {
        return await sendAction(modal, screen, action, rows, answer);
      } finally {
        setRunning(null);
        // Stock, balances and other bills move with an audit, so everything read so far is stale, but for what is read once.
        await client.invalidateQueries({ predicate: ({ queryKey: [kind] }) => kind !== 'screen' && kind !== 'form' });
      }
    },
    [modal, client, screen],
  );
  return { run, running };
}

async function sendAction(
  modal: HookAPI,
  screen: Screen,
  action: Action,
  rows: Row[],
  input: ActionInput,
): Promise<ActionOutcome> {
  let left = rows;
  // Of bills: nobody passes what somebody else changed since it was read.
  const read = rows
    .filter((row) => typeof row.revision === 'number')
    .map((row) => [recordKey(screen, row), row.revision] as const);
  const revisions = read.length > 0 ? { revisions: Object.fromEntries(read) } : {};
  let answers: Confirmations = { confirmed: false };
  for (;;) {
    const ids = left.map((row) => recordKey(screen, row));
    let more: Confirmations | null;
    try {
      const answer = await api.post<BatchAnswer>(`${screen.api}/${action.name}`, {
        ids,
        reason: input.reason,
        ...answers,
        ...revisions,
        ...input.values,
      });
      const failures = answer.failures ?? [];
      more = await confirmBatch(modal, answers, filterUnconfirmed(failures));
      if (more === null) return applyAnswer(screen, action, left, answer);
      left = pickFailedRows(left, failures);
    } catch (error) {
      const waiting = ids.length === 1 ? [] : filterUnconfirmed(parseFailures(error));
      more =
        waiting.length > 0 ? await confirmBatch(modal, answers, waiting) : await confirmRefusal(modal, answers, error);
      if (more === null) return applyRefusal(screen, action, left, error);
    }
    answers = more;
  }
}

function applyAnswer(screen: Screen, action: Action, rows: Row[], answer: BatchAnswer): ActionOutcome {
  const failures = answer.failures ?? [];
  removeRefusals(screen.name, answer.success);
  if (failures.length === 0) {
    showMessage('success', `${action.label}成功`, action.name === 'del' ? DELETION_SECONDS : undefined);
    if (answer.notes?.length) showMessage('warning', answer.notes.join('\n'), 15);
    return { done: true, failed: new Set() };
  }
  return { done: true, failed: showActionFailures(screen, action, rows, failures) };
}

function applyRefusal(screen: Screen, action: Action, rows: Row[], error: unknown): ActionOutcome {
  const failures = parseFailures(error);
  const ids = rows.map((row) => recordKey(screen, row));
  if (failures.length > 0 && ids.length > 1)
    return { done: false, failed: showActionFailures(screen, action, rows, failures) };
  if (!isConfirmationRequest(error) && showRefusal(screen, action, rows, error) && action.name === 'del')
    showDeletionResult(ids.length, 0);
  const refusal = error instanceof ApiError && error.code !== NETWORK ? error.msg : undefined;
  return { done: false, failed: action.name === 'del' ? new Set(ids) : new Set(), refusal };
}

/** A refusal stays on the page; what is no refusal, as a broken line, is a message. */
function showRefusal(screen: Screen, action: Action, [row]: Row[], error: unknown): boolean {
  if (!(error instanceof ApiError) || !REFUSAL_CODES.has(error.code) || row === undefined) {
    reportError(error);
    return false;
  }
  addRefusals(screen.name, [{ ...describeRecord(screen, action, row), reasons: parseReasons(error.data, error.msg) }]);
  return true;
}

/** Why each of the others stays stands in the panel of what was refused. */
function showDeletionResult(chosen: number, deleted: number): void {
  showMessage('error', `选择${chosen}条，成功删除${deleted}条，被引用的数据不能删除`, DELETION_SECONDS);
}

/** A record as the panel of what was refused names it. */
function describeRecord(screen: Screen, action: Action, row: Row): Omit<RefusedRecord, 'reasons'> {
  return {
    id: recordKey(screen, row),
    serial: String(row[screen.title_field] ?? screen.label),
    action: action.label,
    revision: row.revision,
  };
}

function showActionFailures(screen: Screen, action: Action, rows: Row[], failures: Failure[]): Set<number> {
  const passed = rows.length - failures.length;
  if (action.name === 'del') showDeletionResult(rows.length, passed);
  else showFailures(`选择${rows.length}条，成功${action.label}${passed}条，失败${failures.length}条`, failures, passed);
  addRefusals(
    screen.name,
    failures.flatMap((failure) => {
      const row = rows[failure.index - 1];
      return row === undefined
        ? []
        : [
            {
              ...describeRecord(screen, action, row),
              serial: failure.serial,
              reasons: parseReasons(failure, failure.msg),
            },
          ];
    }),
  );
  return new Set(pickFailedRows(rows, failures).map((row) => recordKey(screen, row)));
}

function pickFailedRows(rows: Row[], failures: Failure[]): Row[] {
  return failures.map((failure) => rows[failure.index - 1]).filter((row) => row !== undefined);
}

function parseFailures(error: unknown): Failure[] {
  const data = error instanceof ApiError ? error.data : null;
  if (typeof data !== 'object' || data === null || !('failures' in data) || !Array.isArray(data.failures)) return [];
  return data.failures as Failure[];
}

interface ActionInput {
  reason?: string;
  /** Values of the fields that the action asks for. */
  values?: Row;
}

/** Null when the user declines. */
async function promptForInput(
  modal: HookAPI,
  screen: Screen,
  action: Action,
  rows: Row[],
): Promise<ActionInput | null> {
  const fields = screen.fields.filter((field) => action.asks?.includes(field.name));
  if (!action.confirm && !action.reason && fields.length === 0) return {};
  const count = rows.length;
  const question = action.confirm ?? `确定${action.label}所选的 {count} 条？`;
  let reason = '';
  let values: Row = {};
  const agreed = await confirmAct(modal, {
    title: question.replace('{count}', String(count)),
    danger: action.danger,
    about: action.foreseen
      ? () =>
          api.post<Consequence>(`${screen.api}/getConsequence`, {
            action: action.name,
            ids: rows.map((row) => recordKey(screen, row)),
          })
      : null,
    content: (
      <>
        {count > 1 && !question.includes('{count}') && <p>共选择 {count} 条</p>}
        {fields.length > 0 && <ActionFields fields={fields} row={rows[0] ?? {}} onChange={(next) => (values = next)} />}
        {action.reason && (
          <Input.TextArea
            autoFocus
            aria-label={`${action.label}原因`}
            placeholder={`请填写${action.label}原因`}
            maxLength={200}
            rows={3}
            onChange={(event) => (reason = event.target.value)}
          />
        )}
      </>
    ),
    missingReason: () => {
      const missing = fields.find((field) => isEmptyInput(field, values[field.name]));
      if (missing) return `请选择${missing.label}`;
      return action.reason && reason.trim() === '' ? `请填写${action.label}原因` : null;
    },
  });
  if (!agreed) return null;
  const entered = Object.fromEntries(fields.map((field) => [field.name, values[field.name]]));
  return { reason: action.reason ? reason.trim() : undefined, values: entered };
}

function isEmptyInput(field: Field, value: unknown): boolean {
  return isRef(field) ? isEmptyRef(value) : value === undefined || value === null || value === '';
}
