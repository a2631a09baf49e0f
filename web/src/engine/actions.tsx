import { useQueryClient } from '@tanstack/react-query';
import { Alert, App, Input } from 'antd';
import type { HookAPI } from 'antd/es/modal/useModal';
import { useCallback, useState } from 'react';
import { api, ApiError } from '../lib/api';
import { NETWORK, reportError, showFailures, showMessage, type Failure } from '../lib/errors';
import { AskedFields } from './AskedFields';
import { toldAhead } from './form/datedAhead';
import { isEmptyRef } from './fields/fieldValue';
import { isRef, keyOf, type Action, type BatchAnswer, type Field, type Row, type Screen } from './types';

/** Deleting and moving bills through their states: confirmation, reason, stock warnings, and who failed and why. */

const BELOW_SAFETY = 362;
const BELOW_SAFETY_MAY_CONTINUE = 363;

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
  let confirmed = false;
  for (;;) {
    try {
      const answer = await api.post<BatchAnswer>(`${screen.api}/${action.name}`, { ids, reason: told.reason, confirmed, ...revisions, ...told.values });
      const asking = confirmed ? [] : askingOf(answer.failures ?? []);
      if (asking.length === 0 || !(await mayPass(modal, asking))) return settle(action, ids, answer);
      confirmed = true;
      ids = idsOf(ids, answer.failures ?? []);
    } catch (error) {
      const asking = confirmed || ids.length === 1 ? [] : askingOf(failuresOf(error));
      if (asking.length > 0 && (await mayPass(modal, asking))) {
        confirmed = true;
        continue;
      }
      if (!confirmed && (await mayContinue(modal, error))) {
        confirmed = true;
        continue;
      }
      return refuse(action, ids, error);
    }
  }
}

function settle(action: Action, ids: number[], answer: BatchAnswer): ActionOutcome {
  const failures = answer.failures ?? [];
  if (failures.length === 0) {
    showMessage('success', `${action.label}成功`);
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

/** The bills of a batch that would fall below a safety stock and may go on. */
function askingOf(failures: Failure[]): Failure[] {
  return failures.filter((failure) => failure.code === BELOW_SAFETY_MAY_CONTINUE);
}

async function mayPass(modal: HookAPI, asking: Failure[]): Promise<boolean> {
  const texts = [...new Set(asking.map((failure) => failure.msg))];
  const content = texts.map((text) => <p key={text}>{text}</p>);
  return modal.confirm({ title: '提示', content, okText: '通过', cancelText: '取消' });
}

function failuresOf(error: unknown): Failure[] {
  const data = error instanceof ApiError ? error.data : null;
  if (typeof data !== 'object' || data === null || !('failures' in data) || !Array.isArray(data.failures)) return [];
  return data.failures as Failure[];
}

function isStockWarning(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.code === BELOW_SAFETY || error.code === BELOW_SAFETY_MAY_CONTINUE);
}

/** What a write answers, once more with `confirmed` where the server asks and the user goes on; null where he doesn't. */
export async function asking<T>(modal: HookAPI, write: (more: { confirmed?: true }) => Promise<T>): Promise<T | null> {
  try {
    return await write({});
  } catch (error) {
    if (!isStockWarning(error)) throw error;
    return (await mayContinue(modal, error)) ? write({ confirmed: true }) : null;
  }
}

/** 362 stops with an alert; 363 asks whether to go on. */
async function mayContinue(modal: HookAPI, error: unknown): Promise<boolean> {
  if (!isStockWarning(error)) return false;
  const text = error.msg || `您好，您的库存 ${warehousesOf(error.data)} 已经低于该仓库的安全库存`;
  if (error.code === BELOW_SAFETY) {
    await modal.warning({ title: '提示', content: text, okText: '确定' });
    return false;
  }
  const question = /继续/.test(text) ? text : `${text}，是否继续？`;
  return modal.confirm({ title: '提示', content: question, okText: '继续', cancelText: '取消' });
}

function warehousesOf(data: unknown): string {
  const one = (item: unknown) =>
    typeof item === 'object' && item !== null && 'warehouse_name' in item ? String(item.warehouse_name) : '';
  return (Array.isArray(data) ? data.map(one) : [one(data)]).filter(Boolean).join('、');
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
  const ahead = action.name === 'auditorPass' ? toldAhead(screen, rows) : null;
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
        {ahead && <Alert type="warning" showIcon title={ahead} />}
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
