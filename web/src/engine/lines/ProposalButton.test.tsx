import { act, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { goodsLineFields as fields, pricing } from '../fixtures';
import { stubElementSizes, okAnswer, pressButton, renderPage, type FakeRoutes } from '../harness';
import type { Proposal } from '../types';
import { createLineStore, type LineStore } from './lineStore';
import { goodsField, newLine } from './lineModel';
import { ProposalButton } from './ProposalButton';

const API = 'v2/purchase/Plan/getSalesProposal';
const proposal = { label: '按销量生成', api: API, by: ['company_id', 'warehouse_id', 'sales_days'] };
const goods = goodsField({ name: 'lines', label: '计划明细', fields, required: true, source: null });
const row = (id: number, quantity: string) => ({
  goods_id: id,
  goods_name: `商品${id}`,
  quantity,
  price: '10',
  tax_rate: '13',
});

let store: LineStore;
let view: ReturnType<typeof renderPage>;
const open = (header: Record<string, unknown>, routes: FakeRoutes = {}, asked: Proposal = proposal) => {
  store = createLineStore(fields, [newLine(fields, row(11, '1'))]);
  const context = { bill: 'purchase_plan', header: () => header };
  view = renderPage(
    <ProposalButton proposal={asked} store={store} context={context} pricing={pricing} goods={goods} />,
    routes,
  );
};
const click = async () => {
  await pressButton(proposal.label);
  await act(() => store.whenIdle());
};

beforeEach(stubElementSizes);
afterEach(() => {
  view.done();
  vi.restoreAllMocks();
});

describe('proposed lines', () => {
  it('are asked for with the header, priced, and leave goods alone that are there', async () => {
    open({ company_id: 2, warehouse_id: 5, sales_days: '30' }, { [API]: () => okAnswer([row(11, '9'), row(12, '3')]) });
    await click();
    expect(view.calls.find((call) => call.path === API)?.query).toMatchObject({
      company_id: '2',
      warehouse_id: '5',
      sales_days: '30',
    });
    expect(store.get().map(({ values }) => [values.goods_id, values.quantity])).toEqual([
      [11, '1'],
      [12, '3'],
    ]);
    expect(store.get()[1]?.values.amount).toBe('30.00');
    expect(view.told).toMatchObject([{ level: 'success', msg: '已生成1行' }]);
  });
  it('that are lacking are told the lines, and come beside the same goods', async () => {
    const gifts = {
      label: '添加赠品',
      api: 'v2/sales/PromotionPolicy/getGifts',
      by: ['customer_id', 'business_date'],
      of: ['goods_id', 'quantity', 'is_gift'],
    };
    open(
      { customer_id: 7, business_date: '2026-03-05' },
      { [gifts.api]: () => okAnswer([{ ...row(11, '2'), price: '0', is_gift: true }]) },
      gifts,
    );
    await pressButton(gifts.label);
    await act(() => store.whenIdle());
    expect(view.calls.find((call) => call.path === gifts.api)?.body).toEqual({
      customer_id: 7,
      business_date: '2026-03-05',
      lines: [{ goods_id: 11, quantity: '1', is_gift: false }],
    });
    expect(store.get().map(({ values }) => [values.goods_id, values.quantity, values.is_gift, values.amount])).toEqual([
      [11, '1', false, undefined],
      [11, '2', true, '0.00'],
    ]);
  });
  it('wait for the header', async () => {
    open({ company_id: 2 });
    await click();
    await waitFor(() => expect(view.told).toMatchObject([{ level: 'warning' }]));
    expect(view.calls.filter((call) => call.path === API)).toEqual([]);
  });
});
