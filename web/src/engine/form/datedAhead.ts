import type { HookAPI } from 'antd/es/modal/useModal';
import { today } from '../../lib/format';
import { isWritable } from '../fields/fieldRules';
import type { Screen } from '../types';
import type { FormModel } from './formModel';

const DATE = 'business_date';

/** Whether a bill may be saved under its date: one after today is nearly always a slip, so the user is asked, and Enter leads back to it. */
export async function isDateMeant(modal: HookAPI, screen: Screen, form: FormModel): Promise<boolean> {
  const field = screen.fields.find(({ name }) => name === DATE);
  const [date, now] = [String(form.header.get().values[DATE] ?? ''), today()];
  if (screen.family !== 'bill' || !field || !isWritable(field) || date <= now) return true;
  let meant = false;
  meant = await modal.confirm({
    title: '提示',
    content: `${field.label} ${date} 晚于今天（${now}），确定按此日期保存？`,
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
