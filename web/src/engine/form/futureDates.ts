import type { HookAPI } from 'antd/es/modal/useModal';
import { today } from '../../lib/businessClock';
import { isWritable } from '../fields/fieldRules';
import type { Field, Screen } from '../types';
import type { FormModel } from './formModel';

/** Return the bill's dates of past events that lie after today. */
function findFutureDates(screen: Screen, form: FormModel): { field: Field; date: string }[] {
  const { values } = form.header.get();
  const now = today();
  return screen.fields
    .filter((field) => field.happened && isWritable(field))
    .map((field) => ({ field, date: String(values[field.name] ?? '') }))
    .filter(({ date }) => date > now);
}

export type FutureDateAnswer = 'undated' | 'meant' | 'slip';

/**
 * Ask whether a bill may be saved under a future date, which is nearly always a slip; Enter returns to the date field.
 */
export async function confirmFutureDates(modal: HookAPI, screen: Screen, form: FormModel): Promise<FutureDateAnswer> {
  const found = findFutureDates(screen, form);
  const [first] = found;
  if (!first) return 'undated';
  let meant = false;
  meant = await modal.confirm({
    title: '提示',
    content: `${found.map(({ field, date }) => `${field.label} ${date}`).join('、')} 晚于今天（${today()}），确定按此日期保存？`,
    okText: '仍然保存',
    cancelText: '返回修改',
    focusable: { autoFocusButton: 'cancel' },
    // By then the dialog has given the keyboard back to where it came from.
    afterClose: () => !meant && focusDate(first.field.name),
  });
  const problems = Object.fromEntries(found.map(({ field }) => [field.name, '晚于今天']));
  if (!meant) form.header.set((before) => ({ ...before, problems: { ...before.problems, ...problems } }));
  return meant ? 'meant' : 'slip';
}

/** Into the date of the page that is shown; others are kept out of sight. */
function focusDate(name: string): void {
  const inputs = document.querySelectorAll<HTMLInputElement>(`.header-fields [data-field=${name}] input`);
  [...inputs].find(({ offsetHeight }) => offsetHeight > 0)?.focus();
}
