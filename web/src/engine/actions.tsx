import { useQueryClient } from '@tanstack/react-query';
import { App, Input } from 'antd';
import type { HookAPI } from 'antd/es/modal/useModal';
import { useCallback, useState } from 'react';
import { api } from '../lib/api';
import { ApiError, NETWORK, reportError, showFailures, showMessage, type Failure } from '../lib/errors';
import { answered, askingOf, continued, isStockWarning, type Answers } from './asking';
import { AskedFields } from './AskedFields';
import { isEmptyRef } from './fields/fieldValue';
import { isRef, keyOf, type Action, type BatchAnswer, type Field, type Row, type Screen } from './types';

/** Deleting and moving bills through their states: confirmation, reason, stock warnings, and who failed and why. */

export interface ActionOutcome {
  /** False when the user changed his mind or nothing went through. */
  done: boolean;
  failed: Set<number>;
  /** Why the server would not do it for a single record. */
  refusal?: string;
}

const NOTHING: ActionOutcome = { done: false, failed: new Set() };

export function useActions(screen: Screen) {
  const { modal } = App.useApp();
  const client = useQueryClient();
  const [running, setRunning] = useState<string | null>(null);

  const run = useCallback(
    async (action: Action, rows: Row[], options: { unasked?: boolean } = {}): Promise<ActionOutcome> => {
      if (rows.length === 0) {
        showMessage('warning', action.name === 'del' ? '请选择要删除的信息' : `请选择要${action.label}的信息`);
        return NOTHING;
      }
      const answer = options.unasked ? {} : await ask(modal, screen, action, rows);
      if (answer === null) {
        showMessage('info', action.name === 'del' ? '已取消删除' : '已取消此操作');
        return NOTHING;
      }
      setRunning(action.name);
      try {
        return await send(modal, screen, action, rows, answer);
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

async function send(modal: HookAPI, screen: Screen, action: Action, rows: Row[], told: Answer): Promise<ActionOutcome> {
  let ids = rows.map((row) => keyOf(screen, row));
  // Of bills: nobody passes what somebody else changed since it was read.
  const read = rows.filter((row) => typeof row.revision === 'number').map((row) => [keyOf(screen, row), row.revision] as const);
  const revisions = read.length > 0 ? { revisions: Object.fromEntries(read) } : {};
  let answers: Answers = { confirmed: false };
  for (;;) {
    let more: Answers | null;
    try {
      const answer = await api.post<BatchAnswer>(`${screen.api}/${action.name}`, { ids, reason: told.reason, ...answers, ...revisions, ...told.values });
      const failures = answer.failures ?? [];
      more = await answered(modal, answers, askingOf(failures));
      if (more === null) return settle(action, ids, answer);
      ids = idsOf(ids, failures);
    } catch (error) {
      const waiting = ids.length === 1 ? [] : askingOf(failuresOf(error));
      more = waiting.length > 0 ? await answered(modal, answers, waiting) : await continued(modal, answers, error);
      if (more === null) return refuse(action, ids, error);
    }
    answers = more;
  }
}

function settle(action: Action, ids: number[], answer: BatchAnswer): ActionOutcome {
  const failures = answer.failures ?? [];
  if (failures.length === 0) {
    showMessage('success', `${action.label}成功`);
    if (answer.notes?.length) showMessage('warning', answer.notes.join('\n'), 15);
    return { done: true, failed: new Set() };
  }
  return { done: true, failed: tellFailures(action, ids, failures) };
}

function refuse(action: Action, ids: number[], error: unknown): ActionOutcome {
  const failures = failuresOf(error);
  if (failures.length > 0 && ids.length > 1) return { done: false, failed: tellFailures(action, ids, failures) };
  if (!isStockWarning(error)) reportError(error);
  const refusal = error instanceof ApiError && error.code !== NETWORK ? error.msg : undefined;
  return { done: false, failed: action.name === 'del' ? new Set(ids) : new Set(), refusal };
}

function tellFailures(action: Action, ids: number[], failures: Failure[]): Set<number> {
  const passed = ids.length - failures.length;
  const title =
    action.name === 'del'
      ? `选择${ids.length}条，成功删除${passed}条，被引用的数据不能删除`
      : `选择${ids.length}条，成功${action.label}${passed}条，失败${failures.length}条`;
  showFailures(title, failures);
  return new Set(idsOf(ids, failures));
}

function idsOf(ids: number[], failures: Failure[]): number[] {
  return failures.map((failure) => ids[failure.index - 1]).filter((id) => id !== undefined);
}

function failuresOf(error: unknown): Failure[] {
  const data = error instanceof ApiError ? error.data : null;
  if (typeof data !== 'object' || data === null || !('failures' in data) || !Array.isArray(data.failures)) return [];
  return data.failures as Failure[];
}

interface Answer {
  reason?: string;
  /** Values of the fields that the action asks for. */
  values?: Row;
}

/** Null when the user declines. */
async function ask(modal: HookAPI, screen: Screen, action: Action, rows: Row[]): Promise<Answer | null> {
  const fields = screen.fields.filter((field) => action.asks?.includes(field.name));
  if (!action.confirm && !action.reason && fields.length === 0) return {};
  const count = rows.length;
  let reason = '';
  let values: Row = {};
  const agreed = await modal.confirm({
    title: '提示',
    okText: '确定',
    cancelText: '取消',
    okButtonProps: { danger: action.danger },
    content: (
      <>
        <p>{action.confirm ?? `确定${action.label}所选信息？`}</p>
        {count > 1 && <p>共选择 {count} 条</p>}
        {fields.length > 0 && <AskedFields fields={fields} row={rows[0] ?? {}} onChange={(next) => (values = next)} />}
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
    onOk: () => {
      const missing = fields.find((field) => isEmpty(field, values[field.name]));
      if (missing) showMessage('warning', `请选择${missing.label}`);
      else if (action.reason && reason.trim() === '') showMessage('warning', `请填写${action.label}原因`);
      else return undefined;
      return Promise.reject(new Error('answer missing'));
    },
  });
  if (!agreed) return null;
  const asked = Object.fromEntries(fields.map((field) => [field.name, values[field.name]]));
  return { reason: action.reason ? reason.trim() : undefined, values: asked };
}

function isEmpty(field: Field, value: unknown): boolean {
  return isRef(field) ? isEmptyRef(value) : value === undefined || value === null || value === '';
}
