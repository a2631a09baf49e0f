import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { machineTime, syncClock, today } from '../../lib/businessClock';
import { buildBillScreen } from '../fixtures';
import { stubElementSizes, okAnswer, pageAnswer, renderPage } from '../harness';
import FormPage from './FormPage';

const description = buildBillScreen({ kind: 'add' });
const add = `${description.api}/add`;
const stored = {
  bill_id: 8,
  revision: 3,
  status: 1,
  business_date: '2026-11-20',
  customer_id: 9,
  customer_name: '上海顺达',
  warehouse_id: 5,
  warehouse_name: '中心仓',
  remark: '',
  lines: [
    {
      line_id: 1,
      line_no: 1,
      goods_id: 11,
      goods_name: '米其林',
      goods_num: 'MX205',
      quantity: '4',
      price: '450',
      tax_rate: '13',
      amount: '1800.00',
    },
  ],
};

let view: ReturnType<typeof renderPage>;
const at = (told: string) => act(() => syncClock(`${told}+08:00`, machineTime()));
const day = () => screen.getByLabelText<HTMLInputElement>('业务日期').value;
const open = (props: Partial<Parameters<typeof FormPage>[0]> = {}) => {
  view = renderPage(<FormPage screen={description} id={null} copyOf={null} from={null} {...props} />, {
    'v2/inventory/Goods/getGoodsListPopup': () => pageAnswer([]),
    [`${description.api}/getInfo`]: () => okAnswer(stored),
    [add]: () => okAnswer({ id: 21 }),
  });
};

beforeEach(() => {
  stubElementSizes();
  vi.stubEnv('TZ', 'UTC');
  // The PC is a year behind.
  vi.spyOn(Date, 'now').mockReturnValue(Date.parse('2025-11-20T16:00:00Z'));
  at('2026-11-20T23:59:50');
});
afterEach(() => {
  view.done();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  syncClock(`${new Date(machineTime()).toISOString().slice(0, -1)}+00:00`, machineTime());
});

it('a bill that is open over midnight is dated by the day on which it is saved', async () => {
  open({ copyOf: 8 });
  await screen.findByText('4', { selector: '[data-field=quantity]' });
  expect([today(), day()]).toEqual(['2026-11-20', '2026-11-20']);
  await userEvent.type(screen.getByLabelText('备注'), '急');
  at('2026-11-21T00:00:02');
  await waitFor(() => expect(day()).toBe('2026-11-21'));
  expect(view.told.at(-1)?.msg).toBe('已过零点，业务日期改为 2026-11-21');
  fireEvent.keyDown(window, { key: 's', ctrlKey: true });
  await waitFor(() => expect(view.calls.find(({ path }) => path === add)?.body.business_date).toBe('2026-11-21'));
});

it('one that nobody touched moves silently, and leaves no draft', async () => {
  open();
  at('2026-11-21T00:00:02');
  await waitFor(() => expect(day()).toBe('2026-11-21'));
  view.unmount();
  expect(view.told).toEqual([]);
  expect(Object.keys(localStorage).filter((key) => key.includes('draft:'))).toEqual([]);
});

it('a date that was typed stays, and so does that of a bill which is only changed', async () => {
  open();
  fireEvent.change(screen.getByLabelText('业务日期'), { target: { value: '2026-11-18' } });
  fireEvent.keyDown(screen.getByLabelText('业务日期'), { key: 'Enter' });
  await waitFor(() => expect(day()).toBe('2026-11-18'));
  at('2026-11-21T00:00:02');
  expect(day()).toBe('2026-11-18');
  view.done();
  at('2026-11-20T23:59:50');
  open({ id: 8 });
  await screen.findByText('4', { selector: '[data-field=quantity]' });
  at('2026-11-21T00:00:02');
  expect(day()).toBe('2026-11-20');
});

it('the picker’s own today is the business’s', async () => {
  open();
  at('2026-11-21T00:00:02');
  await userEvent.click(screen.getByLabelText('业务日期'));
  expect(document.querySelector('.ant-picker-cell-today')?.getAttribute('title')).toBe('2026-11-21');
});
