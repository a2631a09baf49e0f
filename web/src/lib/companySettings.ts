/** 单据设置 of the user's own company, kept under the names of spec/1-shell.md 3 as the server told them. */
import type { SettingOption } from '@/gen';

const OPERATIONS = 'Documents_operation';
const AUDITED_PRINTS = 'hasAuditorStatusPrint';
const LEDGER = 'FDBName_business';

const HELD: Record<string, string> = {
  price_mode: '低于最低售价或高于采购价',
  overdue_mode: '客户有逾期欠款',
  credit_mode: '客户超信用额度',
};
const MODES: Record<number, string> = { 1: '禁止审核', 2: '提示后可继续' };
/** 已审核、已关闭、已锁定 */
const POSTED = new Set([2, 4, 5]);

export function keepSettings(told: SettingOption[]): void {
  localStorage.setItem(LEDGER, told[0]?.ledger_name ?? '');
  localStorage.setItem(OPERATIONS, JSON.stringify(Object.assign({}, ...told.map((one) => one.operations))));
  localStorage.setItem(AUDITED_PRINTS, JSON.stringify(told.flatMap((one) => one.audited_prints)));
}

/** What the audit of an own bill minds, for whoever is about to press the button; null where it minds nothing. */
export function auditNotice(billType: string, companyId: unknown): string | null {
  if (!isOwn(companyId)) return null;
  const modes = read<Record<string, Record<string, number>>>(OPERATIONS)?.[billType] ?? {};
  const told = Object.entries(modes).flatMap(([name, mode]) => (MODES[mode] ? [`${HELD[name]}：${MODES[mode]}`] : []));
  return told.length > 0 ? `${localStorage.getItem(LEDGER) ?? ''}单据设置：${told.join('；')}` : null;
}

interface Printed {
  company_id?: unknown;
  status?: unknown;
}

/** Whether an own bill waits for its audit before it may be printed; other companies' bills are the server's to refuse. */
export function awaitsAudit(billType: string, { company_id, status }: Printed): boolean {
  return isOwn(company_id) && !POSTED.has(Number(status)) && (read<string[]>(AUDITED_PRINTS) ?? []).includes(billType);
}

function isOwn(companyId: unknown): boolean {
  return String(companyId) === localStorage.getItem('company_id');
}

function read<T>(key: string): T | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') as T | null;
  } catch {
    return null;
  }
}
