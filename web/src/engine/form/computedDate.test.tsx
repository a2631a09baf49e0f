import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { today } from '../../lib/businessClock';
import { buildBillScreen, buildField } from '../fixtures';
import { stubElementSizes, okAnswer, pageAnswer, renderPage, type FakeRoutes } from '../harness';
import { changeHeader, buildCopiedValues, createForm, buildPayload } from './formModel';
import FormPage from './FormPage';

const base = buildBillScreen({ kind: 'edit' });
const description = {
  ...base,
  fields: [
    ...base.fields,
    buildField({
      name: 'due_date',
      label: '到期日',
      type: 'date',
      copied: false,
      since: 'business_date',
      typed_in: 'due_typed',
    }),
    buildField({
      name: 'due_typed',
      label: '到期日为手工指定',
      type: 'bool',
      hidden: true,
      copied: false,
      default: false,
    }),
    buildField({ name: 'delivery_date', label: '交货日期', type: 'date', since: 'business_date' }),
  ],
};
const stored = {
  bill_id: 8,
  revision: 3,
  business_date: '2026-11-01',
  customer_id: 9,
  customer_name: '上海顺达',
  warehouse_id: 5,
  warehouse_name: '中心仓',
  due_date: '2026-11-21',
  due_typed: false,
  delivery_date: '2026-11-05',
  lines: [
    {
      line_id: 1,
      line_no: 1,
      goods_id: 11,
      goods_name: '轮胎',
      goods_num: 'MX205',
      quantity: '4',
      price: '450',
      tax_rate: '13',
      amount: '1800.00',
    },
  ],
};
const routes: FakeRoutes = {
  'v2/inventory/Goods/getGoodsListPopup': () => pageAnswer([]),
  [`${base.api}/getInfo`]: () => okAnswer(stored),
  [`${base.api}/edit`]: () => okAnswer({ id: 8 }),
  'v2/open/DueDate/getDueDate': () => okAnswer({ due_date: '2026-11-16' }),
};

beforeEach(stubElementSizes);
let view: ReturnType<typeof renderPage> | undefined;
afterEach(() => view?.done());

const due = (values: object) => {
  const { due_date, due_typed } = values as Record<string, unknown>;
  return { due_date, due_typed };
};

it('a computed date is shown beside its field and computed again, a typed one is sent', async () => {
  view = renderPage(<FormPage screen={description} id={8} copyOf={null} from={null} />, routes);
  await screen.findByText('不填则为 2026-11-16');
  const input = screen.getByLabelText<HTMLInputElement>('到期日');
  expect(input.value).toBe('');
  const asked = view.calls.filter(({ path }) => path === 'v2/open/DueDate/getDueDate');
  expect(asked).toHaveLength(1);
  fireEvent.keyDown(window, { key: 's', ctrlKey: true });
  const sent = () => view!.calls.filter(({ path }) => path === `${base.api}/edit`);
  await waitFor(() => expect(sent()).toHaveLength(1));
  expect(due(sent()[0]!.body)).toEqual({ due_date: null, due_typed: false });
});

it('a day is typed once it is set and no longer once it is emptied', () => {
  const form = createForm(description, stored);
  expect(due(buildPayload(description, form, 8))).toEqual({ due_date: null, due_typed: false });
  changeHeader(form, description.fields, { due_date: '2026-12-30' });
  expect(due(buildPayload(description, form, 8))).toEqual({ due_date: '2026-12-30', due_typed: true });
  // What is parked and taken up again is still what was typed.
  const again = createForm(description, form.header.get().values);
  expect(due(buildPayload(description, again, 8))).toEqual({ due_date: '2026-12-30', due_typed: true });
  changeHeader(again, description.fields, { due_date: null });
  expect(due(buildPayload(description, again, 8))).toEqual({ due_date: null, due_typed: false });
});

it('a copy has no due date, and no delivery date that is over', () => {
  const copied = buildCopiedValues(description, { ...stored, due_typed: true });
  expect(copied.due_date).toBeUndefined();
  expect(copied.due_typed).toBe(false);
  expect(copied.delivery_date).toBeUndefined();
  expect(copied.business_date).toBe(today());
  expect(buildCopiedValues(description, { ...stored, delivery_date: '2099-01-01' }).delivery_date).toBe('2099-01-01');
});
