import type { HookAPI } from 'antd/es/modal/useModal';
import { today } from '../../lib/format';
import { isWritable } from '../fields/fieldRules';
import type { Row, Screen } from '../types';
import type { FormModel } from './formModel';

const DATE = 'business_date';

/** The bills that are dated after today, told in words; null where there are none. */
export function toldAhead(screen: Screen, bills: Row[]): string | null {
  const field = screen.fields.find(({ name }) => name === DATE);
  const now = today();
  const ahead = bills.map((bill) => String(bill[DATE] ?? '')).filter((date) => date > now);
  if (screen.family !== 'bill' || !field || !isWritable(field) || ahead.length === 0) return null;
  const which = bills.length === 1 ? `${field.label} ${ahead[0]} ` : `其中 ${ahead.length} 张的${field.label}`;
  return `${which}晚于今天（${now}）`;
}

/** Whether a bill may be saved under its date: one after today is nearly always a slip, so the user is asked, and Enter leads back to it. */
export async function isDateMeant(modal: HookAPI, screen: Screen, form: FormModel): Promise<boolean> {
  const told = toldAhead(screen, [form.header.get().values]);
  if (told === null) return true;
  let meant = false;
  meant = await modal.confirm({
    title: '提示',
    content: `${told}，确定按此日期保存？`,
    okText: '仍然保存',
    cancelText: '返回修改',
    focusable: { autoFocusButton: 'cancel' },
    // By then the dialog has given the keyboard back to where it came from.
    afterClose: () => !meant && enter(),
  });
  if (!meant) form.header.set((before) => ({ ...before, problems: { ...before.problems, [DATE]: '晚于今天' } }));
  return meant;
}

/** Into the date of the page that is shown; others are kept out of sight. */
function enter(): void {
  const inputs = document.querySelectorAll<HTMLInputElement>(`.header-fields [data-field=${DATE}] input`);
  [...inputs].find(({ offsetHeight }) => offsetHeight > 0)?.focus();
}
