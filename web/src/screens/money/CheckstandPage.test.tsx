import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildBillScreen } from '@/engine/fixtures';
import { stubElementSizes, okAnswer, pageAnswer, pressButton, renderPage } from '@/engine/harness';
import type { Action, Field, Ref } from '@/engine/types';
import CheckstandPage from './CheckstandPage';

const api = 'v2/money/Checkstand';
const collect: Action = {
  name: 'collect',
  label: '收款',
  scope: 'batch',
  from: null,
  confirm: null,
  reason: false,
  danger: false,
};
const [sample] = buildBillScreen().fields;
const choice = (name: string, label: string): Field => {
  const ref: Ref = {
    resource: name,
    api: `v2/${name}`,
    value: `${name}_id`,
    label: `${name}_name`,
    search: [],
    filter_by: [],
    only: {},
  };
  return {
    ...sample!,
    name: `${name}_id`,
    label,
    type: 'ref',
    ref,
    label_field: `${name}_name`,
    list: false,
    search: false,
  };
};
const description = {
  ...buildBillScreen(),
  name: 'checkstand',
  api,
  actions: [collect],
  fields: [choice('customer', '客户'), choice('receivables_mode', '结算方式')],
  blocks: [],
};
const routes = {
  [`${api}/getList`]: () => pageAnswer([]),
  [`${api}/getTotals`]: () => okAnswer({ total: 0, totals: {} }),
  'v2/customer/getDropdown': () => pageAnswer([{ customer_id: 3, customer_name: '上海顺达' }]),
  'v2/receivables_mode/getDropdown': () => pageAnswer([{ receivables_mode_id: 5, receivables_mode_name: '现金' }]),
  'v2/custom/CustomerReceipt/getOpenItems': () =>
    okAnswer({ data: [{ settlement_id: 9, bill_no: 'XSCK9', amount: '100.00', open_amount: '80.00' }], more: true }),
  'v2/custom/CustomerReceipt/print': () => okAnswer({ html: '<p>收款单</p>', shown: 1, pages: 1, templates: [] }),
  [`${api}/collect`]: () => okAnswer([{ id: 41, bill_no: 'KHSK41' }]),
};

let view: ReturnType<typeof renderPage>;
const pick = async (label: string, name: string) => {
  fireEvent.mouseDown(await screen.findByLabelText(label));
  fireEvent.click(await screen.findByText(name, { selector: '.ant-select-item-option-content' }));
};

beforeEach(stubElementSizes);
afterEach(() => view.done());

describe('the checkstand', () => {
  it('takes what is paid for what is chosen, and prints the receipt', async () => {
    view = renderPage(<CheckstandPage screen={description} />, routes);
    await pick('客户', '上海顺达');
    const row = (await screen.findByText('XSCK9')).closest<HTMLElement>('.ant-table-row')!;
    expect(screen.getByText(/只列出最早的 1 条/)).toBeTruthy();
    fireEvent.click(within(row).getByRole('checkbox'));
    await pick('结算方式', '现金');
    expect(screen.getByText('核销 80.00，实收 80.00')).toBeTruthy();
    await pressButton('收款并打印');
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('收款成功：KHSK41'));
    const sent = view.calls.find((call) => call.path === `${api}/collect`);
    expect(sent?.body).toMatchObject({
      customer_id: 3,
      payments: [{ receivables_mode_id: 5, amount: '80.00' }],
      items: [{ settlement_id: 9, amount: '80.00' }],
    });
    await waitFor(() =>
      expect(view.calls.some((call) => call.path === 'v2/custom/CustomerReceipt/print' && call.body.ids)).toBe(true),
    );
  });

  it('waives what is short of the bill', async () => {
    view = renderPage(<CheckstandPage screen={description} />, routes);
    await pick('客户', '上海顺达');
    const row = (await screen.findByText('XSCK9')).closest<HTMLElement>('.ant-table-row')!;
    fireEvent.click(within(row).getByRole('checkbox'));
    const waived = screen.getByLabelText('抹零');
    fireEvent.change(waived, { target: { value: '0.50' } });
    fireEvent.blur(waived);
    await pick('结算方式', '现金');
    expect(screen.getByText('核销 80.00，实收 79.50')).toBeTruthy();
    await pressButton('收款并打印');
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('收款成功：KHSK41'));
    const sent = view.calls.find((call) => call.path === `${api}/collect`);
    expect(sent?.body).toMatchObject({
      waived_amount: '0.50',
      payments: [{ receivables_mode_id: 5, amount: '79.50' }],
    });
  });

  it('asks for a customer, a way and an amount, and shows nothing to who may not receive', async () => {
    view = renderPage(<CheckstandPage screen={description} />, routes);
    await pressButton('收款并打印');
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('请选择客户'));
    view.done();
    view = renderPage(<CheckstandPage screen={{ ...description, actions: [] }} />, routes);
    expect(screen.queryByText('收款并打印')).toBeNull();
  });
});
