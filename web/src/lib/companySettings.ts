/** 单据设置 of the user's own company, stored under the names of spec/1-shell.md 3 as the server sent them. */
import type { SettingOption } from '@/gen';

const OPERATIONS_KEY = 'Documents_operation';
const AUDITED_PRINTS_KEY = 'hasAuditorStatusPrint';
const LEDGER_NAME_KEY = 'FDBName_business';

const CONTROL_LABELS: Record<string, string> = {
  price_mode: '低于最低售价或高于采购价',
  overdue_mode: '客户有逾期欠款',
  credit_mode: '客户超信用额度',
};
const MODE_LABELS: Record<number, string> = { 1: '禁止审核', 2: '提示后可继续' };
/** 已审核、已关闭、已锁定 */
const POSTED_STATUSES = new Set([2, 4, 5]);

export function storeCompanySettings(settings: SettingOption[]): void {
  localStorage.setItem(LEDGER_NAME_KEY, settings[0]?.ledger_name ?? '');
  localStorage.setItem(OPERATIONS_KEY, JSON.stringify(Object.assign({}, ...settings.map((one) => one.operations))));
  localStorage.setItem(AUDITED_PRINTS_KEY, JSON.stringify(settings.flatMap((one) => one.audited_prints)));
}

/** Describe the controls of an own bill's audit, for whoever is about to press the button; null if there are none. */
export function describeAuditControls(billType: string, companyId: unknown): string | null {
  if (!isOwnCompany(companyId)) return null;
  const modes = readJson<Record<string, Record<string, number>>>(OPERATIONS_KEY)?.[billType] ?? {};
  const texts = Object.entries(modes).flatMap(([name, mode]) =>
    MODE_LABELS[mode] ? [`${CONTROL_LABELS[name]}：${MODE_LABELS[mode]}`] : [],
  );
  return texts.length > 0 ? `${localStorage.getItem(LEDGER_NAME_KEY) ?? ''}单据设置：${texts.join('；')}` : null;
}

interface PrintableBill {
  company_id?: unknown;
  status?: unknown;
}

/**
 * Return whether an own bill has to be audited before it is printed; other companies' bills are refused by the server.
 */
export function requiresAuditToPrint(billType: string, { company_id, status }: PrintableBill): boolean {
  return (
    isOwnCompany(company_id) &&
    !POSTED_STATUSES.has(Number(status)) &&
    (readJson<string[]>(AUDITED_PRINTS_KEY) ?? []).includes(billType)
  );
}

function isOwnCompany(companyId: unknown): boolean {
  return String(companyId) === localStorage.getItem('company_id');
}

function readJson<T>(key: string): T | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') as T | null;
  } catch {
    return null;
  }
}
