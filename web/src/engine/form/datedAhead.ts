import type { HookAPI } from 'antd/es/modal/useModal';
import { today } from '../../lib/businessClock';
import { isWritable } from '../fields/fieldRules';
import type { Field, Screen } from '../types';
import type { FormModel } from './formModel';

/** The days of a bill that have come, as is thought, and lie after today. */
function ahead(screen: Screen, form: FormModel): { field: Field; date: string }[] {
  const { values } = form.header.get();
  const now = today();
  return screen.fields
    .filter((field) => field.happened && isWritable(field))
    .map((field) => ({ field, date: String(values[field.name] ?? '') }))
    .filter(({ date }) => date > now);
}

export type Meant = 'undated' | 'meant' | 'slip';

/** Whether a bill may be saved under its date: one after today is nearly always a slip, so the user is asked, and Enter leads back to it. */
export async function askWhetherMeant(modal: HookAPI, screen: Screen, form: FormModel): Promise<Meant> {
  const found = ahead(screen, form);
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
    afterClose: () => !meant && enter(first.field.name),
  });
  const problems = Object.fromEntries(found.map(({ field }) => [field.name, '晚于今天']));
  if (!meant) form.header.set((before) => ({ ...before, problems: { ...before.problems, ...problems } }));
  return meant ? 'meant' : 'slip';
}

/** Into the date of the page that is shown; others are kept out of sight. */
function enter(name: string): void {
  const inputs = document.querySelectorAll<HTMLInputElement>(`.header-fields [data-field=${name}] input`);
  [...inputs].find(({ offsetHeight }) => offsetHeight > 0)?.focus();
}
